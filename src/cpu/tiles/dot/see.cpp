// SPDX-License-Identifier: Apache-2.0
// What the dot tile sees of a product before anything is chosen or made: the kind of kernel, which factors the kernel
// can read in place, runs of rows, the epilogue's operands. Pure, a few microseconds; ask_dot() and make_dot_job() ask
// the same.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/division.hpp"
#include "cpu/jit/codec.hpp"
#include "cpu/tiles/dot/choose/cut.hpp"
#include "cpu/tiles/dot/kernel/interleave.hpp"
#include "cpu/tiles/dot/loops.hpp"
#include "cpu/tiles/dot/make.hpp"
#include "cpu/tiles/map/make.hpp"

namespace tessera::cpu {

namespace {

class Sight {
public:
    explicit Sight(DotContext& context) : x(context), p(context.p), job(context.job), kind(context.kind) {}

    std::optional<DotFault> see() {
        job.integers = p.type == ValueType::s32;
        job.sum = p.sum, job.rows_of_sums = 8 * x.target.vector_bytes / 64;
        if (!allows_pairs() || !see_pairs(x)) see_groups(x);
        if (auto fault = set_kind()) return fault;
        if (auto fault = see_runs()) return fault;
        see_ways(x);
        if (p.type == ValueType::s32) correct_sums();
        job.batches = p.batches, job.rows = p.rows, job.columns = p.columns, job.depth = p.depth;
        if (auto fault = set_outer()) return fault;
        DotShape& shape = x.shape;
        shape = {p.batches, p.rows, p.columns, p.depth, x.a_type, x.b_type, x.a_type, x.b_type, false, false, false};
        // Packed as what the kernel multiplies, unless sums of A's rows are wanted.
        const bool sums_of_rows = x.needs_rows || job.groups.length;
        const bool flips_a = kind == DotKind::u8s8 && x.a_type == DataType::s8 && !x.shifts_b;
        if (flips_a && !sums_of_rows) shape.a_packed = DataType::u8;
        shape.run = job.run_of_rows, shape.grouped = job.groups.length > 0;
        // What tiles leave in memory goes to dst run by run.
        shape.run_of_a = job.run_of_a, shape.run_packed = is_amx(kind) ? p.rows : job.run_of_c;
        if (shape.grouped || !can_pack(x, p.left, true)) shape.run_packed = shape.run;
        see_step(shape);
        if (auto fault = see_a(shape)) return fault;
        if (auto fault = see_b(shape)) return fault;
        see_cuts(shape);
        const auto b = x.seen(p.right.factor.operand);
        shape.b_dense = b && is_strided(b->n) && stride_of(b->n) == 1;
        shape.b_summed = x.needs_columns, shape.corrected = x.corrected, shape.shifts_b = x.shifts_b;
        shape.a_words = kind == DotKind::s8_exact && !sums_of_rows && !job.pads_rows;
        shape.c_bytes = p.batches * p.rows * p.columns * job.c.bits / 8;
        shape.bytes = shape.c_bytes + p.batches * p.depth * (p.rows * bits(x.a_type) + p.columns * bits(x.b_type)) / 8;
        shape.c_bits = job.c.bits;
        if (job.run_of_rows == p.rows && !job.panels_apart) shape.c_pitch = job.c.bytes(job.c.row);
        shape.c_lines = shape.c_pitch && shape.c_pitch % 64 == 0 && 32 * job.c.bits % 512 == 0;
        shape.b_columns = x.few && x.few_dots;
        shape.b_rows = x.few && !shape.b_columns;
        shape.tall = x.tall, shape.turned = x.turned, shape.b_computed = x.pairs.has_value();
        return std::nullopt;
    }

private:
    template <typename... Of> static DotFault never(fmt::format_string<Of...> why, Of&&... of) {
        return {DotPart::none, fmt::format(why, std::forward<Of>(of)...)};
    }
    DotFault no_strides(DotPart part, int operand) const {
        const Operand& o = x.plan.operands[size_t(operand)];
        return {part, fmt::format("no kernel takes {} ({}) in its layout", o.name, name(o.type))};
    }
    std::string_view name_of(const MatrixFactor& side) const {
        return x.plan.operands[size_t(side.factor.operand)].name;
    }

    // The kind of kernel, and the types of what it reads where that has to be packed.
    std::optional<DotFault> set_kind() {
        DataType &a_type = x.a_type, &b_type = x.b_type;
        if (p.type == ValueType::f32) {
            // The length of a group is a multiple of the kernel's step of k; values of 8 bits are exact in bf16.
            const bool decompressed = job.groups.length && bits(x.type_of(p.right.operand)) <= 8;
            const bool bf16 = x.pairs || (job.groups.length % step_of(DotKind::amx_bf16) == 0 && fits_bf16(p.left) &&
                                          (fits_bf16(p.right) || decompressed));
            if (const auto found = bf16 ? bf16_kind() : std::nullopt) {
                kind = *found, a_type = b_type = DataType::bf16;
                return std::nullopt;
            }
            if (fits_f16(decompressed)) {
                kind = DotKind::amx_f16, a_type = b_type = DataType::f16;
                return std::nullopt;
            }
            if (fits_fma()) {
                kind = DotKind::bf16_fma, a_type = b_type = DataType::bf16;
                return std::nullopt;
            }
            kind = DotKind::f32, a_type = b_type = DataType::f32;
            return std::nullopt;
        }
        for (auto [side, type] : {std::pair{&p.left, &a_type}, std::pair{&p.right, &b_type}}) {
            if (side->operand < 0)
                return never("{} of integers has a scale, or a zero point that varies along k", name_of(*side));
            const DataType stored = x.type_of(side->operand);
            if (!is_integer(stored) || bits(stored) > 8)
                return never("{} is {}, and kernels of integers multiply 8 bits", name_of(*side), name(stored));
            *type = bits(stored) == 8 && !has_sign(stored) ? DataType::u8 : DataType::s8;
        }
        // The length of a group is a multiple of the kernel's step of k.
        const bool tiles = job.groups.length % step_of(DotKind::amx_int8) == 0 && worth_tiles() && !rows_of_vectors();
        kind = tiles ? DotKind::amx_int8 : x.vector_kind();
        return std::nullopt;
    }
    bool fits_bf16(const MatrixFactor& side) const {
        const bool rounds = x.space.bf16_factors && std::min(p.rows, p.columns) >= 16;
        return x.is_bare(side, DataType::bf16) || (rounds && x.is_bare(side, DataType::f32)) || x.is_exact_bf16(side);
    }
    // AMX-FP16: products of f16 are exact in f32, denormals too. Fewer rows are done before panels of f16, which
    // vectors read in place, were packed as pairs (by count of instructions: no such machine was measured).
    bool fits_f16(bool decompressed) const {
        constexpr int64_t least_rows = 9;
        const auto fits = [&](const MatrixFactor& side) {
            return x.is_bare(side, DataType::f16) || (side.factor.scale < 0 && x.is_exact_bf16(side));
        };
        if (!x.target.amx_f16 || !worth_tiles() || p.rows < least_rows) return false;
        if (!x.is_bare(p.left, DataType::f16) && !x.is_bare(p.right, DataType::f16)) return false;
        return job.groups.length % step_of(DotKind::amx_f16) == 0 && fits(p.left) && (fits(p.right) || decompressed);
    }
    // The kernel that multiplies pairs of bf16, where one does so faster than f32.
    std::optional<DotKind> bf16_kind() const {
        if (worth_tiles()) return DotKind::amx_bf16;
        if (x.target.bf16 && x.machine.fast_bf16_products) return DotKind::bf16;
        return std::nullopt;
    }
    // Tiles or vectors multiply bf16, and B is none yet.
    bool allows_pairs() const {
        return p.type == ValueType::f32 && fits_bf16(p.left) && !x.is_bare(p.right, DataType::bf16) && bf16_kind();
    }
    // So few rows of bytes take longer on tiles, for which B has to be packed.
    bool rows_of_vectors() const {
        const auto f = x.seen(p.right.operand);
        return p.rows <= 4 && f && is_strided(f->n) && is_strided(f->k) && stride_of(f->n) == 1 && p.columns > 1;
    }
    // Few rows read panels of pairs of bf16 as they are, where no instruction multiplies pairs: widening all of B to
    // f32 takes longer.
    bool fits_fma() const {
        constexpr int64_t most_rows = 64;
        if (p.rows > most_rows || job.groups.length || !x.is_bare(p.left, DataType::bf16) ||
            !x.is_bare(p.right, DataType::bf16))
            return false;
        const auto f = x.seen(p.right.operand);
        return f && is_padded(p.right.operand, 2) && panels(*f, 2) > 0;
    }
    // Below that a configuration costs more than tiles win.
    bool worth_tiles() const {
        constexpr int64_t one_tile = 16 * 16 * 64; // products of bytes
        return x.target.amx && p.batches * p.rows * p.columns * p.depth >= one_tile && p.depth >= 16;
    }

    // Where an xor with 0x80 costs nothing, B gets the offset of 128 instead of A: sums of few rows of A take less time
    // than sums of B's columns, which are one more row of the first block.
    bool rows_are_summed() const {
        constexpr int64_t most_rows = 64;
        const bool b_of_memory = p.columns * p.depth > x.machine.l3_bytes / 2;
        return x.machine.spare_vector_pipes && p.rows <= most_rows && 4 * p.rows <= p.columns &&
               (p.rows > rows_beside_sums || !b_of_memory);
    }

    // sum of (a - za) * (b - zb) = sum of a * b - za * sum of b - zb * (sum of a - k * za), wrapping as the program
    // does. Kernels that take s8 as a + 128 add 128 * sum of b.
    void correct_sums() {
        bool shifted = !x.few && kind == DotKind::u8s8 && x.a_type == DataType::s8;
        x.shifts_b = shifted && p.left.zero < 0 && !job.groups.length && rows_are_summed();
        shifted &= !x.shifts_b;
        // Kernels start their sums lower where nothing else needs the sums of columns.
        x.corrected =
            shifted && p.left.zero < 0 && !job.groups.length && p.rows > rows_beside_sums && x.vector_kind() == kind;
        if (!shifted && p.left.zero < 0 && p.right.zero < 0) return;
        x.needs_columns = shifted || p.left.zero >= 0, x.needs_rows = p.right.zero >= 0;
        if (x.corrected && !x.needs_rows) return;
        Program corrected;
        const auto zero = [&](int operand) { return corrected.load(operand, ValueType::s32); };
        int v = corrected.load(p.sum, ValueType::s32), columns = -1;
        if (x.needs_columns && !x.corrected) columns = corrected.load(p.sum + 1, ValueType::s32);
        const auto less = [&](int a, int b) {
            v = corrected.binary(OpCode::sub, v, corrected.binary(OpCode::mul, a, b));
        };
        if (shifted && !x.corrected) less(columns, corrected.constant(128, ValueType::s32));
        if (p.left.zero >= 0) less(columns, zero(p.left.zero));
        if (x.needs_rows) {
            int rows = corrected.load(p.sum + 2, ValueType::s32);
            if (p.left.zero >= 0)
                rows = corrected.binary(OpCode::sub, rows,
                                        corrected.binary(OpCode::mul, zero(p.left.zero),
                                                         corrected.constant(double(p.depth), ValueType::s32)));
            less(rows, zero(p.right.zero));
        }
        // The old program with the corrected sum in place of the load of the sum.
        append(corrected, p.outer, p.sum, v);
        p.outer = std::move(corrected);
    }

    // How far one stride describes the rows of A, and of what the epilogue loads and stores; and whether that has
    // panels of columns in places of their own. Blocks end with runs: too short ones are better copied.
    std::optional<DotFault> see_runs() {
        constexpr int64_t shortest = 4;
        int64_t runs[] = {p.rows, p.rows}; // of A, of the epilogue
        const auto see = [&](int operand, bool has_columns) {
            const auto f = x.seen(operand);
            if (!f) return false;
            int64_t& run = runs[has_columns];
            if (!is_strided(f->m)) run = std::gcd(run, f->m.back().extent);
            if (!has_columns || is_strided(f->n)) return true;
            job.panels_apart = true;
            return is_panels(f->n);
        };
        // Zero points of integers enter the epilogue, with sums of columns and of rows.
        const int zero = p.type == ValueType::s32 ? p.left.zero : -1;
        for (const Program* program : {&p.left.program, &p.outer})
            for (const Op& op : program->ops)
                if (op.operand >= 0 && op.operand != p.sum &&
                    !see(op.operand, program == &p.outer || op.operand == zero))
                    return no_strides(program == &p.outer ? DotPart::epilogue : DotPart::left, op.operand);
        if (p.type == ValueType::s32 && p.right.zero >= 0 && !see(p.right.zero, true))
            return never("{} has no strides along rows and columns", x.plan.operands[size_t(p.right.zero)].name);
        job.run_of_a = runs[0], job.run_of_c = runs[1], job.run_of_rows = std::gcd(runs[0], runs[1]);
        const int64_t least = std::min(p.rows, shortest);
        if (job.run_of_rows >= least) return std::nullopt;
        return DotFault{runs[0] < least ? DotPart::left : DotPart::epilogue,
                        fmt::format("strides describe {} of {} rows at a time", job.run_of_rows, p.rows)};
    }

    // The epilogue's operands, and whether it does nothing but store the sum where the kernel can do so.
    std::optional<DotFault> set_outer() {
        const Plan& plan = x.plan;
        const DataType sums = p.type == ValueType::f32 ? DataType::f32 : DataType::s32;
        MapSpec& spec = x.epilogue = map_spec(p.outer, plan.operands, {sums, sums, sums});
        if (spec.types.size() > map_operands)
            return DotFault{DotPart::epilogue,
                            fmt::format("{} operands; kernels take up to {}", plan.operands.size(), map_operands - 3)};
        spec.column[size_t(p.sum)] = spec.column[size_t(p.sum) + 1] = 1;
        const int dst = p.outer.ops.back().operand;
        for (size_t o = 0; o < plan.operands.size(); ++o) {
            const bool used =
                std::any_of(p.outer.ops.begin(), p.outer.ops.end(), [&](const Op& op) { return op.operand == int(o); });
            if (!used) continue;
            const auto f = x.seen(int(o));
            if (!f || !x.is_bytes(int(o))) return no_strides(DotPart::epilogue, int(o));
            int64_t column = f->n.empty() ? 0 : f->n.back().stride;
            const bool stored = std::any_of(p.outer.ops.begin(), p.outer.ops.end(), [&](const Op& op) {
                return op.code == OpCode::store && op.operand == int(o);
            });
            if (stored && p.columns == 1) column = 1;
            if (!set_column(spec, o, column) || (stored && column != 1)) return no_strides(DotPart::epilogue, int(o));
            job.outer.push_back(x.view(int(o), *f, f->m.empty() ? 0 : f->m.back().stride, column));
            DotView& v = job.outer.back();
            if (!is_strided(f->m)) v.rows = f->m;
            if (!is_strided(f->n)) v.columns = f->n;
            v.panel = is_strided(f->n) ? 16 * column : f->n[0].stride;
            if (int(o) == dst) job.c = job.outer.back();
        }
        const auto& ops = p.outer.ops;
        job.direct = !job.groups.length && ops.size() == 2 && ops[0].code == OpCode::load && x.type_of(dst) == sums;
        // Products of pairs make no denormals.
        const bool pairs = kind == DotKind::amx_bf16 || kind == DotKind::amx_f16 || kind == DotKind::bf16;
        spec.normal = !job.groups.length && ops.size() == 2 && pairs;
        if (job.direct || can_build_map(spec)) return std::nullopt;
        return DotFault{DotPart::epilogue, "no kernel computes its epilogue"};
    }
    // Tiles over A in place, of whose loops over k whole steps of theirs are no parts.
    void see_step(DotShape& shape) {
        if (!is_amx(kind) || job.groups.length || p.left.operand < 0 || x.type_of(p.left.operand) != x.a_type) return;
        const auto a = x.seen(p.left.operand);
        if (!a || a->k.empty() || a->k.back().stride != 1) return;
        int64_t length = a->k.back().extent;
        if (p.right.operand >= 0)
            if (const auto b = x.seen(p.right.operand))
                if (const auto steps = without_steps(b->k, vnni_factor(kind)))
                    length = std::gcd(length, steps->back().extent);
        if (length % step_of(kind) && p.depth > step_of(kind))
            shape.step = fitting_step(kind, length, p.depth, p.columns);
        if (shape.step) step_ = shape.step;
    }
    int64_t step() const { return step_ ? step_ : step_of(kind); }
    std::optional<DotFault> see_a(DotShape& shape) {
        if (p.left.operand >= 0 && (p.left.zero < 0 || p.type == ValueType::s32)) {
            const auto f = x.seen(p.left.operand);
            const DataType type = x.type_of(p.left.operand);
            // Sums of A's rows are those of rows a stride apart, those of groups of a single loop over k as well.
            const bool fits_sums = f && (is_strided(f->m) || (!x.needs_rows && !job.groups.length)) &&
                                   (is_strided(f->k) || !job.groups.length);
            if (fits_sums && type == x.a_type) {
                const int64_t step = this->step(), loops = int64_t(f->k.size());
                const auto innermost = [](const Modes& m) { return m.empty() ? 0 : m.back().stride; };
                job.a = x.view(p.left.operand, *f, innermost(f->m), innermost(f->k));
                if (!is_strided(f->m)) job.a.rows = f->m;
                shape.a_dense = job.a.column == 1 || p.depth == 1;
                const int64_t whole = p.depth < step ? vnni_factor(kind) : step; // of a single step as many groups
                shape.a_fits = step == 1 || (shape.a_dense && p.depth % whole == 0);
                // Kernels of vectors take less than a step from what lies before it.
                if (!shape.a_fits && shape.a_dense && !is_amx(kind) && p.depth >= step && loops == 1 &&
                    !job.groups.length && !x.needs_rows) {
                    shape.a_fits = true;
                    shape.a_short = int((round_up(p.depth, step) - p.depth) * bits(type) / 8);
                }
                x.a_k = loops > 1 ? f->k : Modes{{p.depth, job.a.column}};
                // Rows of less than a step, which would be lines of a cache each.
                job.pads_rows = !shape.a_fits && !is_amx(kind) && loops <= 1 && p.depth * bits(type) < 32;
                shape.a_pitch = job.a.bytes(job.a.row);
                if (!shape.a_dense) shape.a_step = job.a.bytes(job.a.column);
                if (loops > 1) {
                    shape.a_fits &= fits_loops(f->k);
                    if (shape.a_fits) shape.loops = extents_of(f->k);
                }
            }
        }
        if (shape.a_fits || can_pack(x, p.left, true)) return std::nullopt;
        return no_strides(DotPart::left, p.left.factor.operand);
    }
    std::optional<DotFault> see_b(DotShape& shape) {
        if (p.right.operand >= 0 && (p.right.zero < 0 || p.type == ValueType::s32)) {
            const auto f = x.seen(p.right.operand);
            const DataType type = x.type_of(p.right.operand);
            const int64_t vnni = vnni_factor(kind);
            const bool readable = vnni > 1 ? type == x.b_type : jit::Codec::supports(type, ValueType::f32);
            if (f && x.is_bytes(p.right.operand) && readable) {
                DotView b = x.view(p.right.operand, *f, 0, 0);
                const bool rows = is_strided(f->n) && is_strided(f->k) && (stride_of(f->n) == 1 || p.columns == 1);
                if (vnni == 1 && rows)
                    b.row = stride_of(f->k), b.panel = 16, shape.b_fits = true, shape.b_pitch = b.bytes(b.row);
                else if (const int64_t panel = is_padded(p.right.operand, step()) ? panels(*f, vnni) : 0)
                    b.row = 16 * step(), b.panel = panel, shape.b_fits = true, shape.b_whole = ends_panel(*f);
                x.b_k = {{p.depth, shape.b_pitch ? b.row : 16}};
                if (shape.b_fits)
                    job.b = b, shape.b = type;
                else if (see_loops_of_b(*f, type, shape))
                    shape.b_fits = true, shape.b = type;
                else if (rows && can_interleave())
                    b.row = stride_of(f->k), b.panel = 16, x.b_rows = b, shape.rows_pitch = b.bytes(b.row);
            }
        }
        if (shape.b_fits || x.pairs || can_pack(x, p.right, false)) return std::nullopt;
        return no_strides(DotPart::right, p.right.factor.operand);
    }
    // B in place whose k has several strides, in loops that A shares.
    bool see_loops_of_b(const Flat& f, DataType type, DotShape& shape) {
        const int64_t vnni = vnni_factor(kind), step = this->step();
        if (type != x.b_type || job.groups.length) return false;
        if (extent_of(f.k) != p.depth) return false; // a last block that is not whole is no turn of a loop
        DotView b = x.view(p.right.operand, f, 0, 0);
        Modes k = f.k;
        int64_t pitch = 0;
        bool whole = false;
        if (vnni == 1 && is_strided(f.n) && (stride_of(f.n) == 1 || p.columns == 1)) {
            b.row = k.back().stride, b.panel = 16, pitch = b.bytes(b.row);
        } else {
            const auto steps = without_steps(k, vnni);
            if (!steps || !are_panels(f.n, vnni)) return false;
            k = *steps, b.row = 16 * step, b.panel = std::max<int64_t>(offset_in(f.n, 16), 1), whole = ends_panel(f);
            if (!x.target.masks && !whole) return false;
        }
        std::optional<DotLoops> loops;
        if (shape.a_fits) loops = common_loops(x.a_k, k);
        if (!loops || !fits_loops(loops->b)) { // A that is packed has any loops
            if (!fits_loops(k) || !can_pack(x, p.left, true)) return false;
            shape.a_fits = false, shape.a_short = 0;
            shape.loops = extents_of(k);
        } else {
            shape.loops = extents_of(loops->b);
        }
        job.b = b, x.b_k = k;
        shape.b_pitch = pitch, shape.b_whole = whole;
        return true;
    }
    // Packs of a part of k begin and end with turns of loops over it. Where elements that are neighbours in memory,
    // along k alone, are not those of the innermost loop, each part would read all lines of the others again: weights
    // oihw, 3x3 taps, by parts of input channels, 0.78 of the speed of one pack.
    void see_cuts(DotShape& shape) const {
        Modes all{{p.depth, 1}};
        if (!shape.loops.empty()) {
            all.clear();
            for (const int64_t extent : shape.loops) all.push_back({extent, 1});
        }
        const auto respects = [&](const MatrixFactor& side) {
            Modes with = all;
            const auto cut = [&](const Flat& f) {
                if (is_strided(f.k) || job.groups.length) return is_strided(f.k); // groups decide where parts end
                const Modes& own = f.m.empty() ? f.n : f.m;
                const bool dense = !own.empty() && own.back().stride == 1;
                const auto nearer = [&](const Mode& loop) {
                    return std::abs(loop.stride) < std::abs(f.k.back().stride);
                };
                if (!dense && std::ranges::any_of(f.k, nearer)) return false;
                auto loops = common_loops(with, f.k);
                if (loops) with = std::move(loops->a);
                return loops.has_value();
            };
            if (!x.all_are(side, cut)) return false;
            all = std::move(with);
            return true;
        };
        shape.a_cuts = respects(p.left), shape.b_cuts = x.pairs || respects(p.right);
        if (all.size() > 1) shape.cuts = extents_of(all);
    }
    // Whether kernels have loops over all of k as these modes, the innermost of which is long enough: whole steps, some
    // of them.
    bool fits_loops(const Modes& k) const {
        constexpr int64_t fewest = 4;
        const int64_t step = this->step(), innermost = k.back().extent;
        return k.size() >= 2 && k.size() <= size_t(most_loops) && extent_of(k) == p.depth && innermost % step == 0 &&
               innermost >= (is_amx(kind) ? 1 : fewest) * step;
    }
    static Few<int64_t, 4> extents_of(const Modes& k) {
        Few<int64_t, 4> extents;
        for (const Mode& loop : k) extents.push_back(loop.extent);
        return extents;
    }
    // Whether kernels of pairs and fours can interleave B's rows.
    bool can_interleave() const {
        if ((kind != DotKind::bf16 && kind != DotKind::u8s8) || job.groups.length) return false;
        return p.right.zero < 0 && !x.needs_columns && !x.corrected && Interleaver::supports(x.target, x.b_type);
    }
    // Whether the last step of k is whole: with zeros, as memories are padded.
    bool is_padded(int operand, int64_t step) const {
        if (p.depth % step == 0) return true;
        return p.k.size() == 1 &&
               extent_of(x.space.layouts[size_t(operand)].dims[p.k[0]]) >= ceil_div(p.depth, step) * step;
    }
    // Whether the last panel is whole, with zeros, as memories are padded.
    bool ends_panel(const Flat& f) const {
        return p.columns % 16 == 0 || (p.n.size() == 1 && extent_of(f.n) % 16 == 0);
    }
    // Elements between panels of 16 columns in steps of `step`, if B lies so; else 0.
    int64_t panels(const Flat& f, int64_t step) const {
        if (f.n.size() > 2 || f.k.size() > 2) return 0;
        const auto fits = [&](int64_t k) { return offset_in(f.k, k) == k / step * 16 * step + k % step; };
        for (int64_t i = 0; i < std::min<int64_t>(p.depth, 64); ++i)
            if (!fits(i)) return 0;
        return fits(p.depth - 1) && are_panels(f.n, step) ? std::max<int64_t>(offset_in(f.n, 16), 1) : 0;
    }
    // Whether columns lie in panels of 16, `step` elements apart.
    bool are_panels(const Modes& n, int64_t step) const {
        const int64_t apart = offset_in(n, 16);
        const auto fits = [&](int64_t i) { return offset_in(n, i) == i / 16 * apart + i % 16 * step; };
        for (int64_t i = 0; i < std::min<int64_t>(p.columns, 64); ++i)
            if (!fits(i)) return false;
        return n.size() <= 2 && fits(p.columns - 1);
    }

    DotContext& x;
    Matrices& p;
    DotJob& job;
    DotKind& kind;
    int64_t step_ = 0; // as DotShape has it
};

} // namespace

std::optional<DotFault> see_product(DotContext& context) { return Sight(context).see(); }

} // namespace tessera::cpu
