// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/division.hpp"
#include "core/plan/moves.hpp"
#include "cpu/select/compile.hpp"
#include "cpu/select/copies.hpp"
#include "cpu/tiles/dot/make.hpp"

namespace tessera::cpu {

namespace {

// A block of a factor as a plan of its own: `to` over (rows or columns, k), the program of the factor.
bool pack(const DotContext& x, std::vector<DotPack>& packs, const MatrixFactor& side, bool rows, int64_t extent,
          int64_t products, int64_t depth, const Layout& to) {
    auto plan = std::make_shared<Plan>();
    plan->title = rows ? "rows" : "panels";
    Program program = side.program;
    const bool turned = x.job.choice.way == DotWay::turned;
    const DataType type = !rows ? x.b_type : turned ? x.a_type : x.job.choice.spec.a;
    if (x.p.type == ValueType::s32) { // zero points are taken from the sums
        program = {};
        int value = program.load(side.operand, ValueType::s32);
        if (rows && type != x.a_type) value = program.binary(OpCode::add, value, program.constant(128, ValueType::s32));
        program.store(x.p.sum, value);
    }
    DotPack result;
    std::vector<Layout> layouts;
    std::vector<int> known;
    for (Op& op : program.ops) {
        if (op.code != OpCode::load) continue;
        const auto at = std::find(known.begin(), known.end(), op.operand);
        const int number = int(at - known.begin());
        if (at == known.end()) {
            const Flat f = *x.seen(op.operand);
            const Modes& i = rows ? f.m : f.n;
            plan->operands.push_back(x.plan.operands[size_t(op.operand)]);
            plan->operands.back().bytes = 0;
            if (int& constant = plan->operands.back().constant; constant >= 0) return false;
            layouts.push_back(
                {0, {{{products, stride_of(f.batch)}}, modes_of_run(i, extent), modes_of_run(f.k, depth)}});
            result.places.push_back({x.view(op.operand, f, stride_of(i), stride_of(f.k)), i, f.k});
            if (!x.is_bytes(op.operand)) {
                result.nibbles = number, result.unpacked_from = x.type_of(op.operand);
                result.along_k = stride_of(f.k) == 1;
                result.extent = extent, result.depth = depth;
                plan->operands.back().type = unpacked_type(result.unpacked_from);
                const int64_t apart = result.line_bytes();
                layouts.back().dims[1] = {{extent, result.along_k ? apart : 1}};
                layouts.back().dims[2] = {{depth, result.along_k ? 1 : apart}};
            }
            known.push_back(op.operand);
        }
        op.operand = number;
    }
    program.ops.back().operand = int(known.size());
    if (known.empty()) return false;
    if (program.ops.size() == 2 && plan->operands[0].type == type)
        for (Op& op : program.ops) op.type = ValueType::bits;
    plan->operands.push_back({"packed", type});
    layouts.push_back(to);
    plan->programs.push_back(std::move(program));
    const int64_t dims[] = {products, extent, depth};
    // Conversions of rows of B follow them: by panels they would read 16 elements of each page.
    const bool by_src = !rows && plan->programs[0].ops.size() > 2 && result.places[0].view.row == 1;
    add_moves({.layouts = layouts, .dims = dims, .program = 0, .order_by = by_src ? 0 : int(known.size())}, *plan);
    auto run = compile(std::move(plan), with_one_thread(x.machine));
    if (!run) return false;
    result.run = std::move(*run), result.extent = extent, result.products = products, result.depth = depth;
    packs.push_back(std::move(result));
    return true;
}

// Elements of scratch memory in another order, over (columns, rows or k).
bool pack_copy(const DotContext& x, std::vector<DotPack>& packs, DataType type, Layout from, Layout to, int64_t extent,
               int64_t depth) {
    const int64_t dims[] = {extent, depth};
    DotPack pack;
    pack.run = compile_copy({type, std::move(from)}, {type, std::move(to)}, dims, x.machine);
    pack.extent = extent, pack.depth = depth;
    packs.push_back(std::move(pack));
    return bool(packs.back().run);
}

// Bytes of a packed row: an odd number of lines, so that rows do not share sets of L1.
int64_t packed_row(const DotContext& x) {
    if (x.job.pads_rows) return 4;
    const int64_t depth = x.job.a_by_depth ? x.job.choice.depth : x.p.depth;
    const int64_t element = bits(x.a_type) / 8 * (x.job.choice.spec.a_words ? 2 : 1);
    return (ceil_div(padded_depth(depth, x.p.depth, x.kind) * element, 64) | 1) * 64;
}

std::vector<int64_t> numbers_of_products(const DotContext& x) {
    return x.job.together ? lengths(x.p.batches, x.job.choice.unit_batches) : std::vector<int64_t>{1};
}

// Lengths, each once.
std::vector<int64_t> parts_of_k(const DotContext& x, bool by_depth) {
    if (!by_depth) return {x.p.depth};
    const KParts parts = x.job.choice.parts();
    return lengths(parts.loop ? parts.loop : x.p.depth, parts.length);
}

// The same of the runs in which columns of units are packed.
std::vector<int64_t> runs_of_columns(const DotContext& x) {
    std::vector<Modes> modes; // of operands whose columns are several runs
    x.all_are(x.p.right, [&](const Flat& f) {
        if (f.n.size() > 1 && !is_panels(f.n)) modes.push_back(f.n); // units begin with panels
        return true;
    });
    const EvenParts units = columns_of_units(x.p.columns, x.job.choice);
    if (modes.empty()) return lengths(units);
    std::vector<int64_t> all;
    for (int64_t unit = 0; unit < units.parts; ++unit)
        for (int64_t j = units.begin(unit), end = j + units.length(unit), run; j < end; j += run) {
            run = end - j;
            for (const Modes& m : modes) run = run_from(m, j, run);
            if (std::ranges::find(all, run) == all.end()) all.push_back(run);
        }
    return all;
}

// Lengths of the parts that units are taken in, each once.
std::vector<int64_t> parts_of_columns(const DotContext& x, int64_t most) {
    std::vector<int64_t> all;
    for (const int64_t unit : lengths(columns_of_units(x.p.columns, x.job.choice)))
        for (const int64_t columns : lengths(unit, most))
            if (std::find(all.begin(), all.end(), columns) == all.end()) all.push_back(columns);
    return all;
}

} // namespace

// A factor computed from several operands, or one whose elements have to be converted, is packed as f32.
bool can_pack(const DotContext& x, const MatrixFactor& side, bool rows) {
    constexpr int64_t most_columns_in_runs = 1 << 20; // whose runs are told one by one when a job is made
    for (const Op& op : side.program.ops) {
        if (op.code != OpCode::load) continue;
        const auto f = x.seen(op.operand);
        if (!f) return false;
        // Runs are packed: those of columns begin with panels.
        const bool few_runs = x.p.columns <= most_columns_in_runs;
        if (!rows && !is_strided(f->n) && !is_panels(f->n) && (f->n.back().extent % 16 || !few_runs)) return false;
        if (!x.is_bytes(op.operand) && (op.operand != side.factor.operand || !x.is_lines_of_nibbles(*f, op.operand)))
            return false;
    }
    return true;
}

bool pack_rows(DotContext& x) {
    const int64_t width = packed_row(x) * 8 / bits(x.a_type);
    x.job.packed_row = packed_row(x);
    if (x.job.pads_rows) {
        if (x.a_type == DataType::s8 && x.job.choice.spec.a == DataType::u8) x.job.flip_of_row = 0x80; // s8 + 128
        return true;
    }
    const int64_t run = x.job.run_of_a, unit = std::min(x.job.choice.unit_rows, run);
    const int64_t whole = std::min(x.job.choice.block_rows, run);
    std::vector<int64_t> extents{whole};
    for (const int64_t rows : run == x.p.rows ? lengths(rows_of_units(run, x.job.choice)) : lengths(run, unit))
        if (rows % whole && std::find(extents.begin(), extents.end(), rows % whole) == extents.end())
            extents.push_back(rows % whole);
    for (const int64_t rows : extents)
        for (const int64_t products : numbers_of_products(x))
            for (const int64_t depth : parts_of_k(x, x.job.a_by_depth))
                if (!pack(x, x.job.pack_a, x.p.left, true, rows, products, depth,
                          {0, {{{products, rows * width}}, {{rows, width}}, {{depth, 1}}}}))
                    return false;
    return true;
}

bool pack_panels(DotContext& x) {
    if (x.pairs) return make_pairs(x);
    const int64_t vnni = vnni_factor(x.kind);
    const int64_t wide = round_up(x.job.choice.unit_columns, 16 * x.job.choice.spec.panels);
    for (const int64_t columns : runs_of_columns(x))
        for (const int64_t products : numbers_of_products(x))
            for (const int64_t depth : parts_of_k(x, x.job.choice.by_depth)) {
                const int64_t panel = x.job.packed_panel(depth) * 8 / bits(x.job.choice.spec.b);
                const int64_t rows = x.job.choice.prefetched_rows ? x.job.choice.prefetched_rows : depth;
                for (const int64_t some : lengths(depth, rows)) {
                    if (!pack(x, x.job.pack_b, x.p.right, false, columns, products, some,
                              {0,
                               {{{products, wide / 16 * panel}},
                                {{ceil_div(columns, 16), panel}, {16, vnni}},
                                {{ceil_div(some, vnni), 16 * vnni}, {vnni, 1}}}}))
                        return false;
                    x.job.pack_b.back().part = depth;
                }
            }
    return true;
}

bool pack_turned(DotContext& x) {
    const int64_t vnni = vnni_factor(x.kind), panels = ceil_div(x.p.rows, 16);
    for (const int64_t depth : parts_of_k(x, true)) {
        const int64_t steps = depth / vnni, panel = x.job.packed_panel(depth) * 8 / bits(x.job.choice.spec.b);
        if (!pack(x, x.job.pack_a, x.p.left, true, x.p.rows, 1, depth,
                  {0, {{{1, 0}}, {{panels, panel}, {16, vnni}}, {{steps, 16 * vnni}, {vnni, 1}}}}))
            return false;
    }
    const DataType type = x.p.type == ValueType::f32 ? DataType::f32 : DataType::s32;
    for (const int64_t columns : parts_of_columns(x, x.job.columns_at_once()))
        if (!pack_copy(x, x.job.turns, type, {0, {{{columns, 16 * panels}}, {{x.p.rows, 1}}}},
                       {0, {{{columns, 1}}, {{x.p.rows, x.job.row_of_turned()}}}}, columns, x.p.rows))
            return false;
    return true;
}

bool make_pairs(DotContext& x) {
    DotPairs& pairs = x.job.pairs;
    const DotChoice& c = x.job.choice;
    pairs.kernel =
        jit::kernel(x.target, key(*x.pairs), [spec = *x.pairs, t = x.target] { return build_pairs(t, spec); });
    if (!pairs.kernel || !x.pairs->k_dense) return bool(pairs.kernel);
    constexpr int64_t line = 64, size = 2;
    const bool turned = c.way == DotWay::turned;
    const int64_t most = turned ? c.chunk : c.by_depth ? c.depth : x.p.depth;
    pairs.row_bytes = round_up(most * size, line) + line; // rows do not share sets of L1
    if (turned) return true;
    for (const int64_t columns : parts_of_columns(x, DotPairs::columns))
        for (const int64_t depth : parts_of_k(x, c.by_depth)) {
            const int64_t panel = x.job.packed_panel(depth) / size;
            if (!pack_copy(x, pairs.panels, DataType::bf16, {0, {{{columns, pairs.row_bytes / size}}, {{depth, 1}}}},
                           {0, {{{ceil_div(columns, 16), panel}, {16, 2}}, {{depth / 2, 32}, {2, 1}}}}, columns, depth))
                return false;
        }
    return true;
}

// Small products of a batch are packed and finished together, as many as stay in L1: calls of their own take longer
// than 4x4 elements.
void join_products(DotContext& x) {
    DotChoice& c = x.job.choice;
    if (x.pairs) c.unit_batches = 1;
    if (std::min(x.job.run_of_a, x.job.run_of_c) < x.p.rows || x.job.panels_apart) c.unit_batches = 1;
    if (c.unit_batches == 1 || c.block_rows < x.p.rows || c.depth < x.p.depth) return;
    if (!x.is_bytes(x.p.left.factor.operand) || !x.is_bytes(x.p.right.factor.operand)) return;
    const int64_t rows = x.p.rows * packed_row(x),
                  panels = round_up(x.p.columns, 16 * c.spec.panels) / 16 * x.job.packed_panel(x.p.depth),
                  sums = x.p.rows * (round_up(x.p.columns, 16 * c.spec.panels) * 4 + 64);
    const auto batch = [](const Flat& f) { return is_strided(f.batch); };
    const bool packs_a = c.a == DotSource::packed, packs_b = c.b == DotSource::packed;
    x.job.together = (packs_a || packs_b) && x.all_are(x.p.left, batch) && x.all_are(x.p.right, batch);
    x.job.joint_epilogue = !x.job.direct && !x.needs_columns && !x.needs_rows &&
                           std::all_of(x.job.outer.begin(), x.job.outer.end(), [&](const DotView& v) {
                               return is_strided(v.batch) && stride_of(v.batch) == x.p.rows * v.row;
                           });
    const int64_t each = (packs_a ? rows : 0) + (packs_b ? panels : 0) + (x.job.direct ? 0 : sums);
    if (x.job.together || x.job.joint_epilogue)
        c.unit_batches = std::clamp<int64_t>(x.machine.l1_bytes / each, 1, c.unit_batches);
    if (c.unit_batches == 1) x.job.together = x.job.joint_epilogue = false;
}

} // namespace tessera::cpu
