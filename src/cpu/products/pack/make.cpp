// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/pack/pack.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "core/plan/moves.hpp"
#include "cpu/lanes/nibbles.hpp"
#include "cpu/products/see/seen.hpp"
#include "cpu/select/compile.hpp"
#include "cpu/select/copies.hpp"

namespace tessera::cpu {

namespace {

// What a pack computes: zero points of integers are taken from the sums.
Program program_of_pack(const Seen& x, const MatrixFactor& side, const PackedBlock& block) {
    if (!x.views.integers) return side.program;
    Program program;
    int value = program.load(side.operand, ValueType::s32);
    if (block.rows && block.type != x.a_type)
        value = program.binary(OpCode::add, value, program.constant(128, ValueType::s32));
    program.store(x.p.sum, value);
    return program;
}

void add_once(std::vector<int64_t>& all, int64_t length) {
    if (std::ranges::find(all, length) == all.end()) all.push_back(length);
}

// Operands of a pack: those of its program, numbered in the order of their loads.
class PackPlan {
public:
    PackPlan(const Seen& seen, const PackedBlock& of) : x(seen), block(of) {
        plan_->title = block.rows ? "rows" : "panels";
        result.extent = block.extent, result.products = block.products, result.depth = block.depth;
    }

    bool make(Program program) {
        for (Op& op : program.ops) {
            if (op.code != OpCode::load) continue;
            const auto at = std::ranges::find(known_, op.operand);
            const int number = int(at - known_.begin());
            if (at == known_.end() && !add(op.operand, number)) return false;
            op.operand = number;
        }
        program.ops.back().operand = int(known_.size());
        if (known_.empty()) return false;
        if (program.ops.size() == 2 && plan_->operands[0].type == block.type)
            for (Op& op : program.ops) op.type = ValueType::bits;
        plan_->operands.push_back({"packed", block.type});
        layouts_.push_back(block.to);
        plan_->programs.push_back(std::move(program));
        const int64_t dims[] = {block.products, block.extent, block.depth};
        // Conversions of rows of B follow them: by panels they would read 16 elements of each page.
        const bool by_src = !block.rows && plan_->programs[0].ops.size() > 2 && result.places[0].view.row == 1;
        add_moves({.layouts = layouts_, .dims = dims, .program = 0, .order_by = by_src ? 0 : int(known_.size())},
                  *plan_);
        auto run = compile(plan_, with_one_thread(x.context));
        if (run) result.run = std::move(*run);
        return bool(run);
    }

    DotPack result;

private:
    bool add(int operand, int number) {
        const Flat f = *x.flat_of(operand);
        const Modes& i = block.rows ? f.m : f.n;
        Operand& own = plan_->operands.emplace_back(x.plan.operands[size_t(operand)]);
        own.bytes = 0;
        if (own.constant >= 0) return false;
        layouts_.push_back(
            {0,
             {{{block.products, stride_of(f.batch)}}, modes_of_run(i, block.extent), modes_of_run(f.k, block.depth)}});
        result.places.push_back({x.view(operand, f, stride_of(i), stride_of(f.k)), i, f.k});
        known_.push_back(operand);
        if (x.is_bytes(operand)) return true;
        result.nibbles = number, result.unpacked_from = x.type_of(operand);
        result.along_k = stride_of(f.k) == 1;
        own.type = unpacked_type(result.unpacked_from);
        const int64_t apart = result.line_bytes();
        layouts_.back().dims[1] = {{block.extent, result.along_k ? apart : 1}};
        layouts_.back().dims[2] = {{block.depth, result.along_k ? 1 : apart}};
        return true;
    }

    const Seen& x;
    const PackedBlock& block;
    std::shared_ptr<Plan> plan_ = std::make_shared<Plan>();
    std::vector<Layout> layouts_;
    std::vector<int> known_;
};

} // namespace

bool add_pack(const Seen& x, DotPacks& packs, const MatrixFactor& side, const PackedBlock& block) {
    PackPlan plan(x, block);
    if (!plan.make(program_of_pack(x, side, block))) return false;
    packs.all.push_back(std::move(plan.result));
    return true;
}

bool add_copy(const Seen& x, DotPacks& packs, DataType type, Layout from, Layout to, int64_t extent, int64_t depth) {
    const int64_t dims[] = {extent, depth};
    DotPack& pack = packs.all.emplace_back();
    pack.run = compile_copy({type, std::move(from)}, {type, std::move(to)}, dims, x.context);
    pack.extent = extent, pack.depth = depth;
    return bool(pack.run);
}

bool make_pairs(Seen& x, int64_t depth_of_rows) {
    constexpr int64_t size = 2;
    x.pairs.kernel = jit::kernel(x.target, key(*x.pairs_spec),
                                 [spec = *x.pairs_spec, t = x.target] { return build_pairs(t, spec); });
    // Rows do not share sets of L1.
    if (x.pairs_spec->k_dense) x.pairs.row_bytes = round_up(depth_of_rows * size, cache_line) + cache_line;
    return bool(x.pairs.kernel);
}

std::vector<int64_t> lengths_of_parts(int64_t depth, KParts parts) {
    return lengths(parts.loop ? parts.loop : depth, parts.length);
}

std::vector<int64_t> lengths_in_units(const EvenParts& units, int64_t most) {
    std::vector<int64_t> all;
    for (const int64_t unit : lengths(units))
        for (const int64_t columns : lengths(unit, most)) add_once(all, columns);
    return all;
}

std::vector<int64_t> runs_of_columns(const Seen& x, const EvenParts& units) {
    std::vector<Modes> modes; // of operands whose columns are several runs
    x.all_are(x.p.right, [&](const Flat& f) {
        if (f.n.size() > 1 && !is_panels(f.n)) modes.push_back(f.n); // units begin with panels
        return true;
    });
    if (modes.empty()) return lengths(units);
    std::vector<int64_t> all;
    for (int64_t unit = 0; unit < units.parts; ++unit)
        for (int64_t j = units.begin(unit), end = j + units.length(unit), run; j < end; j += run) {
            run = end - j;
            for (const Modes& m : modes) run = run_from(m, j, run);
            add_once(all, run);
        }
    return all;
}

// A factor computed from several operands, or one whose elements have to be converted, is packed as f32.
bool can_pack(const Seen& x, const MatrixFactor& side, bool rows) {
    constexpr int64_t most_columns_in_runs = 1 << 20; // whose runs are told one by one when a job is made
    for (const Op& op : side.program.ops) {
        if (op.code != OpCode::load) continue;
        const auto f = x.flat_of(op.operand);
        if (!f) return false;
        // Runs are packed: those of columns begin with panels.
        const bool few_runs = x.p.columns <= most_columns_in_runs;
        if (!rows && !is_strided(f->n) && !is_panels(f->n) && (f->n.back().extent % 16 || !few_runs)) return false;
        if (!x.is_bytes(op.operand) && (op.operand != side.factor.operand || !x.is_lines_of_nibbles(*f, op.operand)))
            return false;
    }
    return true;
}

} // namespace tessera::cpu
