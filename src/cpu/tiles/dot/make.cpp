// From a step to a DotJob: what the kernel reads in place, what has to be packed, and the epilogue.
#include <algorithm>
#include <numeric>

#include "core/division.hpp"
#include "cpu/jit/codec.hpp"
#include "cpu/tiles/dot/kernel/few_rows.hpp"
#include "cpu/tiles/dot/make.hpp"
#include "cpu/tiles/map/make.hpp"

namespace tessera::cpu {

namespace {

class Maker : DotContext {
public:
    Maker(const Plan& plan, const Step& step, Matrices matrices, const jit::Target& target, const Machine& machine)
        : DotContext{plan, step.product->space, std::move(matrices), target, machine} {}

    std::unique_ptr<Job> make() {
        job.sum = p.sum;
        see_groups(*this);
        if (!set_kind()) return nullptr;
        if (!see_runs()) return nullptr;
        few_ = see_few();
        if (p.type == ValueType::s32) correct_sums();
        job.batches = p.batches, job.rows = p.rows, job.columns = p.columns, job.depth = p.depth;
        if (!set_outer()) return nullptr;
        DotShape shape{p.batches, p.rows, p.columns, p.depth, a_type, b_type, a_type, b_type, false, false, false};
        shape.run = job.run_of_rows;
        if (!see_a(shape) || !see_b(shape)) return nullptr;
        shape.b_strided = strided(p.right, [](const Flat& f) { return is_strided(f.k); });
        shape.c_bytes = p.batches * p.rows * p.columns * job.c.bits / 8;
        shape.bytes = shape.c_bytes + p.batches * p.depth * (p.rows * bits(a_type) + p.columns * bits(b_type)) / 8;
        shape.c_lines = job.c.bytes(job.c.row) % 64 == 0 && 32 * job.c.bits % 512 == 0 && job.run_of_rows == p.rows &&
                        !job.panels_apart;
        shape.b_columns = few_ && few_b_.row == 1 && few_a_.column == 1;
        shape.b_rows = few_ && !shape.b_columns;
        DotChoice& choice = job.choice;
        choice = choose_dot(shape, kind, target, machine);
        if (choice.way != DotWay::blocks) {
            const FewRowsSpec few = few_spec();
            const bool dots = choice.way == DotWay::dots;
            job.few = jit::kernel(target, dots ? dots_key(few) : axpy_key(few),
                                  [=, t = target] { return dots ? build_dots(t, few) : build_axpy(t, few); });
            if (!job.few || !make_epilogue() || !make_groups(*this)) return nullptr;
            job.a = few_a_, job.b = few_b_;
            job.prepare();
            return std::move(made);
        }
        if (shape.inner && choice.a == DotSource::in_place) choice.spec.loops = int(job.a.columns.size());
        job.inner = shape.inner, job.middle = shape.middle;
        if (job.groups.length) fit_depth(*this);
        join_products(*this);
        if (choice.a == DotSource::packed && !pack_rows(*this)) return nullptr;
        if (choice.b == DotSource::packed && !pack_panels(*this)) return nullptr;
        choice.finishes = keeps_in_registers();
        if (!make_kernels() || !make_epilogue() || !make_groups(*this)) return nullptr;
        shorten_epilogue();
        job.prepare();
        return std::move(made);
    }

private:
    bool is_bare(const MatrixFactor& side, DataType type) const {
        return side.operand >= 0 && side.zero < 0 && type_of(side.operand) == type;
    }

    // The kind of kernel, and the types of what it reads where that has to be packed.
    bool set_kind() {
        if (p.type == ValueType::f32) {
            const bool rounds = space.bf16_factors && std::min(p.rows, p.columns) >= 16;
            const auto fits = [&](const MatrixFactor& side) {
                return is_bare(side, DataType::bf16) || (rounds && is_bare(side, DataType::f32));
            };
            // Of a group the kernels need whole steps; what has 8 bits or fewer is exact as bf16.
            const bool decompressed = job.groups.length && bits(type_of(p.right.operand)) <= 8;
            const bool bf16 =
                job.groups.length % step_of(DotKind::amx_bf16) == 0 && fits(p.left) && (fits(p.right) || decompressed);
            if (bf16 && worth_tiles()) {
                kind = DotKind::amx_bf16, a_type = b_type = DataType::bf16;
                return true;
            }
            if (bf16 && target.bf16 && machine.fast_bf16_products) {
                kind = DotKind::bf16, a_type = b_type = DataType::bf16;
                return true;
            }
            kind = DotKind::f32, a_type = b_type = DataType::f32;
            return true;
        }
        if (p.left.operand < 0 || p.right.operand < 0) return false;
        for (auto [operand, type] : {std::pair{p.left.operand, &a_type}, std::pair{p.right.operand, &b_type}}) {
            const DataType stored = type_of(operand);
            if (!is_integer(stored) || bits(stored) > 8) return false;
            *type = bits(stored) == 8 && !has_sign(stored) ? DataType::u8 : DataType::s8;
        }
        kind = worth_tiles() ? DotKind::amx_int8 : vector_kind();
        return true;
    }
    DotKind vector_kind() const { return target.vnni && b_type == DataType::s8 ? DotKind::u8s8 : DotKind::s8_exact; }
    // Below that a configuration costs more than tiles win.
    bool worth_tiles() const {
        return target.amx && p.batches * p.rows * p.columns * p.depth >= 16 * 16 * 64 && p.depth >= 16;
    }

    // sum of (a - za) * (b - zb) = sum of a * b - za * sum of b - zb * (sum of a - k * za), wrapping as the program
    // does. Kernels that take s8 as a + 128 add 128 * sum of b.
    void correct_sums() {
        const bool shifted = !few_ && kind == DotKind::u8s8 && a_type == DataType::s8;
        if (!shifted && p.left.zero < 0 && p.right.zero < 0) return;
        needs_columns = shifted || p.left.zero >= 0, needs_rows = p.right.zero >= 0;
        Program corrected;
        const auto zero = [&](int operand) { return corrected.load(operand, ValueType::s32); };
        int v = corrected.load(p.sum, ValueType::s32), columns = -1;
        if (needs_columns) columns = corrected.load(p.sum + 1, ValueType::s32);
        const auto less = [&](int a, int b) {
            v = corrected.binary(OpCode::sub, v, corrected.binary(OpCode::mul, a, b));
        };
        if (shifted) less(columns, corrected.constant(128, ValueType::s32));
        if (p.left.zero >= 0) less(columns, zero(p.left.zero));
        if (needs_rows) {
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
    bool see_runs() {
        constexpr int64_t shortest = 4;
        job.run_of_rows = p.rows;
        const auto see = [&](int operand, bool has_columns) {
            const auto f = seen(operand);
            if (!f) return false;
            if (!is_strided(f->m)) job.run_of_rows = std::gcd(job.run_of_rows, f->m.back().extent);
            if (!has_columns || is_strided(f->n)) return true;
            job.panels_apart = true;
            return f->n.size() == 2 && f->n.back().extent == 16;
        };
        for (const Program* program : {&p.left.program, &p.outer})
            for (const Op& op : program->ops)
                if (op.operand >= 0 && op.operand != p.sum && !see(op.operand, program == &p.outer)) return false;
        // Of integers it enters the epilogue, with sums of rows.
        if (p.type == ValueType::s32 && p.right.zero >= 0 && !see(p.right.zero, true)) return false;
        return job.run_of_rows >= std::min(p.rows, shortest);
    }

    // The epilogue's operands, and whether it does nothing but store the sum where the kernel can do so.
    bool set_outer() {
        const DataType sums = p.type == ValueType::f32 ? DataType::f32 : DataType::s32;
        MapSpec spec = map_spec(p.outer, plan.operands, {sums, sums, sums});
        if (spec.types.size() > map_operands) return false;
        spec.column[size_t(p.sum)] = spec.column[size_t(p.sum) + 1] = 1;
        const int dst = p.outer.ops.back().operand;
        for (size_t o = 0; o < plan.operands.size(); ++o) {
            const bool used =
                std::any_of(p.outer.ops.begin(), p.outer.ops.end(), [&](const Op& op) { return op.operand == int(o); });
            if (!used) continue;
            const auto f = seen(int(o));
            if (!f || !is_bytes(int(o))) return false;
            int64_t column = f->n.empty() ? 0 : f->n.back().stride;
            const bool stored = std::any_of(p.outer.ops.begin(), p.outer.ops.end(), [&](const Op& op) {
                return op.code == OpCode::store && op.operand == int(o);
            });
            if (stored && p.columns == 1) column = 1;
            if (!set_column(spec, o, column) || (stored && column != 1)) return false;
            job.outer.push_back(view(int(o), *f, f->m.empty() ? 0 : f->m.back().stride, column));
            DotView& v = job.outer.back();
            if (!is_strided(f->m)) v.rows = f->m;
            if (!is_strided(f->n)) v.columns = f->n;
            v.panel = is_strided(f->n) ? 16 * column : f->n[0].stride;
            if (int(o) == dst) job.c = job.outer.back();
        }
        const auto& ops = p.outer.ops;
        job.direct = !job.groups.length && ops.size() == 2 && ops[0].code == OpCode::load && type_of(dst) == sums &&
                     (target.masks || p.columns % 16 == 0);
        // Products of bf16 take denormals for zeros, and make none.
        spec.normal = !job.groups.length && ops.size() == 2 && (kind == DotKind::amx_bf16 || kind == DotKind::bf16);
        epilogue_ = spec;
        return job.direct || can_build_map(spec);
    }
    bool make_epilogue() {
        if (job.choice.streams) job.direct = false;
        if (job.direct) return true;
        job.epilogue_name = key(epilogue_);
        if (job.choice.finishes && !some_pass_) return true;
        job.epilogue = map_kernel(target, epilogue_);
        return bool(job.epilogue);
    }
    // Whether kernels apply the epilogue to their sums. Sums that stay in memory, for a group or for products that are
    // finished together, are what the pass is for, and those of tiles go through memory anyway. The pass packs the
    // results of four vectors into one: for bytes, and on AVX2 for 2 bytes, that costs 2 to 12 % less at 64 to 256, and
    // sums of s32 win nothing (-3 to +4 %).
    bool keeps_in_registers() {
        if (job.direct || is_amx(kind) || job.groups.length || job.joint_epilogue) return false;
        const bool packs = !job.panels_apart; // panels of their own leave the pass single vectors
        const int least = target.masks ? 16 : 32;
        if (packs && (p.type != ValueType::f32 || bits(type_of(p.outer.ops.back().operand)) < least)) return false;
        // Blocks that end within a panel need masks.
        if (!target.masks && p.columns < 16 * job.choice.spec.panels && p.columns % 16) return false;
        finisher_ = job.choice.spec;
        finisher_.epilogue = std::make_shared<const MapSpec>(epilogue_), finisher_.sum = p.sum;
        job.in_registers = epilogue_operands(epilogue_, p.sum);
        for (size_t i = 0; i < job.in_registers.size() && i < most_epilogue_operands; ++i) {
            const int number = job.in_registers[i];
            const auto varies = [&](const DotView& v) { return v.operand == number && v.row; };
            const bool moves = std::any_of(job.outer.begin(), job.outer.end(), varies) || number == p.sum + 2;
            finisher_.epilogue_rows |= uint32_t(moves) << i;
        }
        return epilogue_fits(target, finisher_);
    }
    // Blocks of 32 columns leave the epilogue rows of 2 vectors: a kernel for that length does not count in them.
    void shorten_epilogue() {
        if (!job.epilogue || !is_amx(kind)) return;
        epilogue_.fixed = job.panels_apart ? 16 : 16 * job.choice.spec.panels;
        job.width_of_epilogue = epilogue_.fixed;
        for (auto* kernel : {&job.short_epilogue, &job.streaming_epilogue}) {
            epilogue_.stream = kernel == &job.streaming_epilogue;
            if (epilogue_.stream && !job.choice.streams) continue;
            if (can_build_short_rows(target, epilogue_))
                *kernel =
                    jit::kernel(target, key(epilogue_), [spec = epilogue_, t = target] { return build_map(t, spec); });
        }
    }

    bool see_a(DotShape& shape) {
        if (p.left.operand >= 0 && (p.left.zero < 0 || p.type == ValueType::s32)) {
            const auto f = seen(p.left.operand);
            const DataType type = type_of(p.left.operand);
            // Sums of A's rows are those of rows a stride apart, as groups are.
            const bool linear = f && is_strided(f->m) && is_strided(f->k);
            if (f && type == a_type && (linear || (!job.groups.length && !needs_rows))) {
                const int64_t step = step_of(kind), loops = int64_t(f->k.size());
                const auto innermost = [](const Modes& m) { return m.empty() ? 0 : m.back().stride; };
                job.a = view(p.left.operand, *f, innermost(f->m), innermost(f->k));
                if (!is_strided(f->m)) job.a.rows = f->m;
                shape.a_dense = job.a.column == 1 || p.depth == 1;
                const int64_t whole = p.depth < step ? vnni_factor(kind) : step; // of a single step as many groups
                shape.a_fits = step == 1 || (shape.a_dense && p.depth % whole == 0);
                shape.a_pitch = job.a.bytes(job.a.row);
                if (!shape.a_dense) shape.a_step = job.a.bytes(job.a.column);
                if (loops > 1) { // whole steps, some of them
                    constexpr int64_t fewest = 4;
                    job.a.columns = f->k;
                    shape.inner = f->k.back().extent;
                    shape.middle = shape.inner * (f->k.rbegin() + 1)->extent;
                    shape.a_fits &= loops <= most_loops && extent_of(f->k) == p.depth && shape.inner % step == 0 &&
                                    shape.inner >= (is_amx(kind) ? 1 : fewest) * step;
                    if (!shape.a_fits) shape.inner = shape.middle = 0;
                }
            }
        }
        return shape.a_fits || can_pack(*this, p.left, true);
    }
    bool see_b(DotShape& shape) {
        if (p.right.operand >= 0 && (p.right.zero < 0 || p.type == ValueType::s32)) {
            const auto f = seen(p.right.operand);
            const DataType type = type_of(p.right.operand);
            const int64_t vnni = vnni_factor(kind);
            const bool readable = vnni > 1 ? type == b_type : jit::Codec::supports(type, ValueType::f32);
            if (f && is_bytes(p.right.operand) && readable) {
                DotView b = view(p.right.operand, *f, 0, 0);
                if (vnni == 1 && is_strided(f->n) && is_strided(f->k) && (stride_of(f->n) == 1 || p.columns == 1))
                    b.row = stride_of(f->k), b.panel = 16, shape.b_fits = true, shape.b_pitch = b.bytes(b.row);
                else if (const int64_t panel = is_padded(p.right.operand, step_of(kind)) ? panels(*f, vnni) : 0)
                    b.row = 16 * step_of(kind), b.panel = panel, shape.b_fits = true;
                if (shape.b_fits) job.b = b, shape.b = type;
            }
        }
        return shape.b_fits || can_pack(*this, p.right, false);
    }
    FewRowsSpec few_spec() const { return {int(p.rows), type_of(p.left.operand), type_of(p.right.operand), p.type}; }
    // Whether dots or axpy can do it: elements of strided matrices, without zero points, enough of them to be worth it.
    bool see_few() {
        if (p.rows > 4 || p.columns * p.depth < 4096 || job.run_of_rows < p.rows || job.panels_apart) return false;
        for (const MatrixFactor* side : {&p.left, &p.right})
            if (side->operand < 0 || side->zero >= 0) return false;
        if (!is_bytes(p.left.operand)) return false;
        const auto a = seen(p.left.operand), b = seen(p.right.operand);
        for (const auto* f : {&a, &b})
            if (!*f || !is_strided((*f)->m) || !is_strided((*f)->n) || !is_strided((*f)->k)) return false;
        few_a_ = view(p.left.operand, *a, stride_of(a->m), stride_of(a->k));
        few_b_ = view(p.right.operand, *b, stride_of(b->k), stride_of(b->n));
        const bool dots = few_b_.row == 1 && few_a_.column == 1, axpy = few_b_.column == 1;
        if (!is_bytes(p.right.operand)) {
            const int64_t length = job.groups.length ? job.groups.length : p.depth;
            if (!is_lines_of_nibbles(*b, p.right.operand)) return false;
            if (dots ? length % 16 || p.depth % 16 : p.columns % 16) return false;
        }
        return (dots || axpy) && can_build_few_rows(few_spec());
    }
    // Whether the last step of k is whole: with zeros, as memories are padded.
    bool is_padded(int operand, int64_t step) const {
        if (p.depth % step == 0) return true;
        return p.k.size() == 1 &&
               extent_of(space.layouts[size_t(operand)].dims[p.k[0]]) >= ceil_div(p.depth, step) * step;
    }
    // Elements between panels of 16 columns in steps of `step`, if B lies so; else 0.
    int64_t panels(const Flat& f, int64_t step) const {
        if (f.n.size() > 2 || f.k.size() > 2) return 0;
        const int64_t apart = offset_in(f.n, 16);
        const auto fits = [&](int64_t n, int64_t k) {
            return offset_in(f.n, n) == n / 16 * apart + n % 16 * step &&
                   offset_in(f.k, k) == k / step * 16 * step + k % step;
        };
        for (int64_t i = 0; i < 64; ++i)
            if ((i < p.columns && !fits(i, 0)) || (i < p.depth && !fits(0, i))) return 0;
        return fits(p.columns - 1, p.depth - 1) ? std::max<int64_t>(apart, 1) : 0;
    }

    bool make_kernels() {
        const DotChoice& c = job.choice;
        if (is_amx(kind)) {
            job.configure = jit::kernel(target, "configure tiles", [t = target] { return build_configure_tiles(t); });
            job.release = jit::kernel(target, "release tiles", [t = target] { return build_release_tiles(t); });
            if (!job.configure || !job.release) return false;
        }
        for (size_t i = 0; needs_rows && i < 2; ++i) {
            DotSpec ones = c.spec;
            ones.kind = DotKind::s8_exact, ones.rows = i ? 1 : DotJob::rows_of_sums, ones.panels = 1;
            ones.b = DataType::s8, ones.tail = ones.a_passes = false, ones.loops = 1;
            if (!(job.row_sums[i] = kernel(ones))) return false;
        }
        const int64_t width = 16 * c.spec.panels;
        const size_t first = p.columns < width; // the variant of most blocks
        const int groups = int(std::min<int64_t>(16, ceil_div(p.depth, vnni_factor(kind))));
        for (size_t i = 0; i < DotJob::variants; ++i) {
            const bool narrow = i & 1, low = i & 2;
            const int64_t run = job.run_of_rows;
            const int64_t rows = low ? run % c.spec.rows : std::min<int64_t>(c.spec.rows, run);
            const int64_t columns = narrow ? p.columns % width : width;
            if (rows == 0 || columns == 0 || (!narrow && p.columns < width)) continue;
            DotSpec spec = c.spec;
            spec.rows = int(rows), spec.panels = int(ceil_div(columns, 16)), spec.tail = narrow && c.spec.tail;
            if (is_amx(kind)) {
                spec.rows = rows <= 16 ? 16 : 32;
                job.tiles[i] = dot_tiles(spec, int(rows), int((columns - 1) % 16 + 1), groups);
            }
            if (job.blocks_name.empty()) job.blocks_name = key(spec);
            if (c.finishes && i == first) {
                finisher_.tail = spec.tail;
                if (!(job.finishing = kernel(finisher_))) return false;
                job.finishing_variant = i;
            }
            some_pass_ |= !job.finishing || i != first;
            if ((!job.finishing || i != first || p.depth > c.depth) && !(job.kernel[i] = kernel(spec))) return false;
            if (needs_columns && !low) {
                DotSpec ones = spec;
                ones.kind = vector_kind(), ones.rows = 1, ones.a = DataType::u8, ones.a_dense = false, ones.loops = 1;
                // B ends where its columns do, if it is not a pack of whole panels.
                ones.tail = narrow && target.masks && p.columns % 16 != 0;
                if (!(job.column_sums[narrow] = kernel(ones))) return false;
            }
        }
        return true;
    }

    MapSpec epilogue_;
    DotSpec finisher_;       // a full block's kernel with the epilogue
    bool some_pass_ = false; // blocks without one
    bool few_ = false;       // rows, under dots or axpy
    DotView few_a_, few_b_;
};

} // namespace

std::unique_ptr<Job> make_dot_job(const Plan& plan, const Step& step, const jit::Target& target,
                                  const Machine& machine) {
    if (step.kind != StepKind::product) return nullptr;
    auto matrices = matrices_of(plan, step);
    if (!matrices) return nullptr;
    return Maker(plan, step, std::move(*matrices), target, machine).make();
}

} // namespace tessera::cpu
