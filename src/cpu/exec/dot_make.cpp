// From a step to a DotJob: what lies as the kernel wants it, what has to be packed, and the epilogue.
#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/moves.hpp"
#include "cpu/exec/dot_job.hpp"
#include "cpu/exec/generated.hpp"
#include "cpu/jit/codec.hpp"
#include "cpu/portable/executable.hpp"
#include "cpu/tiles/dot/few_rows.hpp"

namespace tessera::cpu {

namespace {

// An operand over the flattened dims of a product.
struct Flat {
    Modes batch, m, n, k;
};

class Maker {
public:
    Maker(const Plan& plan, const Step& step, DotPattern pattern, const jit::Target& target, const Machine& machine)
        : plan_(plan), space_(*step.space), p_(std::move(pattern)), target_(target), machine_(machine) {}

    std::unique_ptr<Job> make() {
        job_ = std::make_unique<DotJob>();
        job_->sum = p_.sum;
        see_groups();
        if (!set_kind()) return nullptr;
        few_ = see_few();
        if (p_.type == ValueType::s32) correct_sums();
        job_->batches = p_.batches, job_->rows = p_.rows, job_->columns = p_.columns, job_->depth = p_.depth;
        if (!set_outer()) return nullptr;
        DotShape shape{p_.batches, p_.rows, p_.columns, p_.depth, a_, b_, a_, b_, false, false, false};
        if (!see_a(shape) || !see_b(shape)) return nullptr;
        shape.b_strided = strided(p_.right, [](const Flat& f) { return is_strided(f.k); });
        shape.c_bytes = p_.batches * p_.rows * p_.columns * job_->c.bits / 8;
        shape.bytes = shape.c_bytes + p_.batches * p_.depth * (p_.rows * bits(a_) + p_.columns * bits(b_)) / 8;
        shape.c_lines = job_->c.bytes(job_->c.row) % 64 == 0 && 32 * job_->c.bits % 512 == 0;
        shape.b_columns = few_ && few_b_.row == 1 && few_a_.column == 1;
        shape.b_rows = few_ && !shape.b_columns;
        DotChoice& choice = job_->choice;
        choice = choose_dot(shape, kind_, target_, machine_);
        if (choice.way != DotWay::blocks) {
            const FewRowsSpec few = few_spec();
            const bool dots = choice.way == DotWay::dots;
            job_->few = jit::kernel(target_, dots ? dots_key(few) : axpy_key(few),
                                    [=, t = target_] { return dots ? build_dots(t, few) : build_axpy(t, few); });
            if (!job_->few || !make_epilogue() || !make_groups()) return nullptr;
            job_->a = few_a_, job_->b = few_b_;
            job_->prepare();
            return std::move(job_);
        }
        if (job_->groups.length) fit_depth();
        join_products();
        if (choice.a == DotSource::packed && !pack_rows()) return nullptr;
        if (choice.b == DotSource::packed && !pack_panels()) return nullptr;
        if (!make_kernels() || !make_epilogue() || !make_groups()) return nullptr;
        shorten_epilogue();
        job_->prepare();
        return std::move(job_);
    }

private:
    DataType type_of(int operand) const { return plan_.operands[size_t(operand)].type; }
    bool is_bare(const DotSide& side, DataType type) const {
        return side.operand >= 0 && side.zero < 0 && type_of(side.operand) == type;
    }

    // The kind of kernel, and the types of what it reads where that has to be packed.
    bool set_kind() {
        if (p_.type == ValueType::f32) {
            // Of a group the kernels need whole steps; what has 8 bits or fewer is exact as bf16.
            const bool bf16 = is_bare(p_.left, DataType::bf16) &&
                              (is_bare(p_.right, DataType::bf16) ||
                               (job_->groups.length && job_->groups.length % step_of(DotKind::amx_bf16) == 0 &&
                                bits(type_of(p_.right.operand)) <= 8));
            if (bf16 && worth_tiles()) {
                kind_ = DotKind::amx_bf16, a_ = b_ = DataType::bf16;
                return true;
            }
            if (bf16 && target_.bf16 && machine_.fast_bf16_products) {
                kind_ = DotKind::bf16, a_ = b_ = DataType::bf16;
                return true;
            }
            kind_ = DotKind::f32, a_ = b_ = DataType::f32;
            return true;
        }
        if (p_.left.operand < 0 || p_.right.operand < 0) return false;
        for (auto [operand, type] : {std::pair{p_.left.operand, &a_}, std::pair{p_.right.operand, &b_}}) {
            const DataType stored = type_of(operand);
            if (!is_integer(stored) || bits(stored) > 8) return false;
            *type = bits(stored) == 8 && !has_sign(stored) ? DataType::u8 : DataType::s8;
        }
        kind_ = worth_tiles() ? DotKind::amx_int8 : vector_kind();
        return true;
    }
    DotKind vector_kind() const { return target_.vnni && b_ == DataType::s8 ? DotKind::u8s8 : DotKind::s8_exact; }
    // Below that a configuration costs more than tiles win.
    bool worth_tiles() const {
        return target_.amx && p_.batches * p_.rows * p_.columns * p_.depth >= 16 * 16 * 64 && p_.depth >= 16;
    }

    // sum of (a - za) * (b - zb) = sum of a * b - za * sum of b - zb * (sum of a - k * za), wrapping as the program
    // does. Kernels that take s8 as a + 128 add 128 * sum of b.
    void correct_sums() {
        const bool shifted = !few_ && kind_ == DotKind::u8s8 && a_ == DataType::s8;
        if (!shifted && p_.left.zero < 0 && p_.right.zero < 0) return;
        needs_columns_ = shifted || p_.left.zero >= 0, needs_rows_ = p_.right.zero >= 0;
        Program corrected;
        const auto zero = [&](int operand) { return corrected.load(operand, ValueType::s32); };
        int v = corrected.load(p_.sum, ValueType::s32), columns = -1;
        if (needs_columns_) columns = corrected.load(p_.sum + 1, ValueType::s32);
        const auto less = [&](int a, int b) {
            v = corrected.binary(OpCode::sub, v, corrected.binary(OpCode::mul, a, b));
        };
        if (shifted) less(columns, corrected.constant(128, ValueType::s32));
        if (p_.left.zero >= 0) less(columns, zero(p_.left.zero));
        if (needs_rows_) {
            int rows = corrected.load(p_.sum + 2, ValueType::s32);
            if (p_.left.zero >= 0)
                rows = corrected.binary(OpCode::sub, rows,
                                        corrected.binary(OpCode::mul, zero(p_.left.zero),
                                                         corrected.constant(double(p_.depth), ValueType::s32)));
            less(rows, zero(p_.right.zero));
        }
        // The old program with the corrected sum in place of the load of the sum.
        std::vector<int> renamed;
        for (Op op : p_.outer.ops) {
            for (int* value : {&op.a, &op.b, &op.c})
                if (*value >= 0) *value = renamed[size_t(*value)];
            if (op.code == OpCode::load && op.operand == p_.sum) {
                renamed.push_back(v);
                continue;
            }
            corrected.ops.push_back(op);
            renamed.push_back(int(corrected.ops.size()) - 1);
        }
        p_.outer = std::move(corrected);
    }

    std::optional<Flat> seen(int operand) const {
        const Layout& layout = space_.layouts[size_t(operand)];
        auto b = flat(layout, space_.dims, p_.b), m = flat(layout, space_.dims, p_.m);
        auto n = flat(layout, space_.dims, p_.n), k = flat(layout, space_.dims, p_.k);
        if (!b || !m || !n || !k) return std::nullopt;
        return Flat{*b, *m, *n, *k};
    }
    DotView view(int operand, const Flat& f, int64_t row, int64_t column) const {
        return {operand, bits(type_of(operand)), space_.layouts[size_t(operand)].offset, f.batch, row, column, 0};
    }
    // Weights that are decompressed: their elements as they are stored become the factor, and zero points and scales
    // that are the same for groups along k are left to DotGroups.
    void see_groups() {
        const auto& ops = p_.right.program.ops;
        if (p_.type != ValueType::f32 || p_.right.operand >= 0 || p_.k.size() != 1) return;
        if (ops.size() < 4 || ops[0].code != OpCode::load || ops.back().code != OpCode::store) return;
        int zero = -1, scale = -1;
        for (size_t i = 1; i + 1 < ops.size(); i += 2) { // value - zero, value * scale
            const bool chain = ops[i].code == OpCode::load && ops[i + 1].a == int(i) - 1 && ops[i + 1].b == int(i);
            int* const operand = ops[i + 1].code == OpCode::sub && zero < 0 && scale < 0 ? &zero
                                 : ops[i + 1].code == OpCode::mul && scale < 0           ? &scale
                                                                                         : nullptr;
            if (!chain || !operand) return;
            *operand = ops[i].operand;
        }
        DotGroups groups;
        groups.length = p_.depth;
        for (const int operand : {zero, scale}) {
            if (operand < 0) continue;
            const auto f = seen(operand);
            if (!f || !is_strided(f->m) || stride_of(f->m) != 0 || !is_strided(f->n) || stride_of(f->n) > 1) return;
            const Modes& k = f->k;
            if (is_bytes(operand)) {
                if (!jit::Codec::supports(type_of(operand), ValueType::f32)) return;
            } else { // a line of them is brought to bytes
                const bool whole = (k.empty() || k[0].stride % 2 == 0) && is_strided(f->batch) &&
                                   stride_of(f->batch) % 2 == 0 && space_.layouts[size_t(operand)].offset % 2 == 0;
                if (!whole || stride_of(f->n) != 1 || !is_nibble(operand)) return;
            }
            if (!k.empty() && k.back().stride != 0) return;
            if (!k.empty() && groups.length != p_.depth && groups.length != k.back().extent) return;
            if (k.size() > 1) groups.length = k.back().extent;
            groups.places.push_back({view(operand, *f, 0, stride_of(f->n)), f->n, k});
        }
        zero_ = zero, scale_ = scale;
        groups.signed_zeros = zero >= 0 && has_sign(type_of(zero));
        job_->groups = std::move(groups);
        p_.right.operand = ops[0].operand;
        p_.right.program = {};
        p_.right.program.store(p_.sum, p_.right.program.load(p_.right.operand, ValueType::f32));
    }
    // All operands of a factor.
    template <typename Is> bool strided(const DotSide& side, const Is& is) const {
        return std::all_of(side.program.ops.begin(), side.program.ops.end(), [&](const Op& op) {
            if (op.code != OpCode::load) return true;
            const auto f = seen(op.operand);
            return f && is(*f);
        });
    }
    // As many steps at once as divide a group.
    void fit_depth() {
        DotChoice& c = job_->choice;
        const int64_t group = job_->groups.length, step = step_of(kind_);
        int64_t parts = ceil_div(group, c.depth);
        while (group < p_.depth && (group % parts || group / parts % step)) ++parts;
        c.depth = group < p_.depth ? group / parts : c.depth;
        c.unit_batches = 1, c.streams = false;
    }
    bool make_groups() {
        DotGroups& groups = job_->groups;
        if (!groups.length) return true;
        for (const bool first : {true, false}) {
            MapSpec spec;
            for (const Operand& o : plan_.operands) spec.types.push_back(o.type);
            spec.types.insert(spec.types.end(), 4, DataType::f32);
            if (spec.types.size() > map_operands) return false;
            Program& p = spec.program;
            int v = p.load(p_.sum, ValueType::f32);
            const auto load = [&](int operand) { return p.load(operand, ValueType::f32); };
            if (zero_ >= 0) v = p.binary(OpCode::sub, v, p.binary(OpCode::mul, load(p_.sum + 2), load(zero_)));
            if (scale_ >= 0) v = p.binary(OpCode::mul, v, load(scale_));
            if (!first) v = p.binary(OpCode::add, load(p_.sum + 3), v);
            p.store(p_.sum + 3, v);
            spec.column[size_t(p_.sum)] = spec.column[size_t(p_.sum) + 3] = 1;
            for (const DotPlace& place : groups.places)
                if (is_nibble(place.view.operand))
                    spec.types[size_t(place.view.operand)] =
                        has_sign(type_of(place.view.operand)) ? DataType::s8 : DataType::u8;
            for (const auto& [view, n, k] : groups.places) spec.column[size_t(view.operand)] = view.column;
            if (!can_build_map(spec)) return false;
            auto& made = first ? groups.first : groups.more;
            if (!(made = jit::kernel(target_, key(spec), [=, t = target_] { return build_map(t, spec); })))
                return false;
        }
        for (size_t i = 0; zero_ >= 0 && i < 2; ++i) {
            DotSpec ones{DotKind::f32, i ? 1 : int(DotJob::rows_of_sums), 1, few_row_type(), DataType::f32};
            ones.a_dense = job_->choice.a == DotSource::packed || job_->a.column == 1;
            if (!(groups.sums_of_a[i] = kernel(ones))) return false;
        }
        return true;
    }
    DataType few_row_type() const { return job_->few ? type_of(p_.left.operand) : job_->choice.spec.a; }
    bool is_nibble(int operand) const { return type_of(operand) == DataType::s4 || type_of(operand) == DataType::u4; }
    bool is_bytes(int operand) const { return !is_sub_byte(plan_.operands[size_t(operand)].type); }

    // The epilogue's operands, and whether it does nothing but store the sum where the kernel can do so.
    bool set_outer() {
        MapSpec spec{p_.outer, {}, {}, false};
        for (const Operand& o : plan_.operands) spec.types.push_back(o.type);
        const DataType sums = p_.type == ValueType::f32 ? DataType::f32 : DataType::s32;
        spec.types.insert(spec.types.end(), 3, sums);
        if (spec.types.size() > map_operands) return false;
        spec.column[size_t(p_.sum)] = spec.column[size_t(p_.sum) + 1] = 1;
        const int dst = p_.outer.ops.back().operand;
        for (size_t o = 0; o < plan_.operands.size(); ++o) {
            const bool used = std::any_of(p_.outer.ops.begin(), p_.outer.ops.end(),
                                          [&](const Op& op) { return op.operand == int(o); });
            if (!used) continue;
            const auto f = seen(int(o));
            if (!f || !is_strided(f->m) || !is_strided(f->n) || !is_bytes(int(o))) return false;
            int64_t column = stride_of(f->n);
            const bool stored = std::any_of(p_.outer.ops.begin(), p_.outer.ops.end(), [&](const Op& op) {
                return op.code == OpCode::store && op.operand == int(o);
            });
            if (stored && p_.columns == 1) column = 1;
            if (!plan_.operands[o].counted && column != 1 && (stored || column != 0)) return false;
            spec.column[o] = column;
            job_->outer.push_back(view(int(o), *f, stride_of(f->m), column));
            if (int(o) == dst) job_->c = job_->outer.back();
        }
        const auto& ops = p_.outer.ops;
        job_->direct = !job_->groups.length && ops.size() == 2 && ops[0].code == OpCode::load && type_of(dst) == sums &&
                       (target_.masks || p_.columns % 16 == 0);
        // Products of bf16 take denormals for zeros, and make none.
        spec.normal = !job_->groups.length && ops.size() == 2 && (kind_ == DotKind::amx_bf16 || kind_ == DotKind::bf16);
        epilogue_ = spec;
        return job_->direct || can_build_map(spec);
    }
    bool make_epilogue() {
        if (job_->choice.streams) job_->direct = false;
        if (job_->direct) return true;
        job_->epilogue =
            jit::kernel(target_, key(epilogue_), [spec = epilogue_, t = target_] { return build_map(t, spec); });
        return bool(job_->epilogue);
    }
    // Blocks of 32 columns leave the epilogue rows of 2 vectors: a kernel for that length does not count in them.
    void shorten_epilogue() {
        if (!job_->epilogue || !is_amx(kind_)) return;
        epilogue_.fixed = 16 * job_->choice.spec.panels;
        for (auto* kernel : {&job_->short_epilogue, &job_->streaming_epilogue}) {
            epilogue_.stream = kernel == &job_->streaming_epilogue;
            if (epilogue_.stream && !job_->choice.streams) continue;
            if (can_build_short_rows(target_, epilogue_))
                *kernel = jit::kernel(target_, key(epilogue_),
                                      [spec = epilogue_, t = target_] { return build_map(t, spec); });
        }
    }

    // A factor of several operands, or one whose elements have to be converted, is packed as f32.
    bool can_pack(const DotSide& side, bool rows) const {
        for (const Op& op : side.program.ops) {
            if (op.code != OpCode::load) continue;
            const auto f = seen(op.operand);
            if (!f || !is_strided(rows ? f->m : f->n)) return false;
            if (!is_bytes(op.operand) && (rows || op.operand != side.operand || !is_lines_of_nibbles(*f, op.operand)))
                return false;
        }
        return true;
    }
    // Elements of s4 or u4 in lines that begin at whole bytes.
    bool is_lines_of_nibbles(const Flat& f, int operand) const {
        if (!is_nibble(operand) || space_.layouts[size_t(operand)].offset % 2) return false;
        for (const Modes* modes : {&f.batch, &f.n, &f.k})
            if (!is_strided(*modes)) return false;
        const int64_t n = stride_of(f.n), k = stride_of(f.k);
        return stride_of(f.batch) % 2 == 0 && ((n == 1 && k % 2 == 0) || (k == 1 && n % 2 == 0));
    }
    bool see_a(DotShape& shape) {
        if (p_.left.operand >= 0 && (p_.left.zero < 0 || p_.type == ValueType::s32)) {
            const auto f = seen(p_.left.operand);
            const DataType type = type_of(p_.left.operand);
            if (f && is_strided(f->m) && is_strided(f->k) && type == a_) {
                const int64_t step = step_of(kind_);
                job_->a = view(p_.left.operand, *f, stride_of(f->m), stride_of(f->k));
                shape.a_dense = stride_of(f->k) == 1 || p_.depth == 1;
                const int64_t whole = p_.depth < step ? quad_of(kind_) : step; // of a single step as many groups
                shape.a_fits = step == 1 || (shape.a_dense && p_.depth % whole == 0);
                shape.a_pitch = job_->a.bytes(job_->a.row);
            }
        }
        return shape.a_fits || can_pack(p_.left, true);
    }
    bool see_b(DotShape& shape) {
        if (p_.right.operand >= 0 && (p_.right.zero < 0 || p_.type == ValueType::s32)) {
            const auto f = seen(p_.right.operand);
            const DataType type = type_of(p_.right.operand);
            const int64_t quad = quad_of(kind_);
            const bool readable = quad > 1 ? type == b_ : jit::Codec::supports(type, ValueType::f32);
            if (f && is_bytes(p_.right.operand) && readable) {
                DotView b = view(p_.right.operand, *f, 0, 0);
                if (quad == 1 && is_strided(f->n) && is_strided(f->k) && (stride_of(f->n) == 1 || p_.columns == 1))
                    b.row = stride_of(f->k), b.panel = 16, shape.b_fits = true, shape.b_pitch = b.bytes(b.row);
                else if (const int64_t panel = is_padded(p_.right.operand, step_of(kind_)) ? panels(*f, quad) : 0)
                    b.row = 16 * step_of(kind_), b.panel = panel, shape.b_fits = true;
                if (shape.b_fits) job_->b = b, shape.b = type;
            }
        }
        return shape.b_fits || can_pack(p_.right, false);
    }
    FewRowsSpec few_spec() const {
        return {int(p_.rows), type_of(p_.left.operand), type_of(p_.right.operand), p_.type};
    }
    // Whether dots or axpy can do it: elements of strided matrices, without zero points, enough of them to be worth it.
    bool see_few() {
        if (p_.rows > 4 || p_.columns * p_.depth < 4096) return false;
        for (const DotSide* side : {&p_.left, &p_.right})
            if (side->operand < 0 || side->zero >= 0) return false;
        if (!is_bytes(p_.left.operand)) return false;
        const auto a = seen(p_.left.operand), b = seen(p_.right.operand);
        for (const auto* f : {&a, &b})
            if (!*f || !is_strided((*f)->m) || !is_strided((*f)->n) || !is_strided((*f)->k)) return false;
        few_a_ = view(p_.left.operand, *a, stride_of(a->m), stride_of(a->k));
        few_b_ = view(p_.right.operand, *b, stride_of(b->k), stride_of(b->n));
        const bool dots = few_b_.row == 1 && few_a_.column == 1, axpy = few_b_.column == 1;
        if (!is_bytes(p_.right.operand)) {
            const int64_t length = job_->groups.length ? job_->groups.length : p_.depth;
            if (!is_lines_of_nibbles(*b, p_.right.operand)) return false;
            if (dots ? length % 16 || p_.depth % 16 : p_.columns % 16) return false;
        }
        return (dots || axpy) && can_build_few_rows(few_spec());
    }
    // Whether the last step of k is whole: with zeros, as memories are padded.
    bool is_padded(int operand, int64_t step) const {
        if (p_.depth % step == 0) return true;
        return p_.k.size() == 1 &&
               extent_of(space_.layouts[size_t(operand)].dims[p_.k[0]]) >= ceil_div(p_.depth, step) * step;
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
            if ((i < p_.columns && !fits(i, 0)) || (i < p_.depth && !fits(0, i))) return 0;
        return fits(p_.columns - 1, p_.depth - 1) ? std::max<int64_t>(apart, 1) : 0;
    }

    // A block of a factor as a plan of its own: `to` over (rows or columns, k), the program of the factor.
    bool pack(std::vector<DotPack>& packs, const DotSide& side, bool rows, int64_t extent, int64_t products,
              int64_t depth, const Layout& to) const {
        auto plan = std::make_shared<Plan>();
        plan->title = rows ? "rows" : "panels";
        Program program = side.program;
        const DataType type = rows ? a_ : b_;
        if (p_.type == ValueType::s32) { // zero points are taken from the sums
            program = {};
            program.store(p_.sum, program.load(side.operand, ValueType::s32));
        }
        DotPack result;
        std::vector<Layout> layouts;
        std::vector<int> known;
        for (Op& op : program.ops) {
            if (op.code != OpCode::load) continue;
            const auto at = std::find(known.begin(), known.end(), op.operand);
            const int number = int(at - known.begin());
            if (at == known.end()) {
                const Flat f = *seen(op.operand);
                const Modes& i = rows ? f.m : f.n;
                plan->operands.push_back(plan_.operands[size_t(op.operand)]);
                plan->operands.back().bytes = 0;
                if (int& constant = plan->operands.back().constant; constant >= 0) return false;
                layouts.push_back({0,
                                   {{{products, stride_of(f.batch)}},
                                    i.empty() ? Modes{{extent, 0}} : i,
                                    depth < p_.depth || f.k.empty() ? Modes{{depth, stride_of(f.k)}} : f.k}});
                result.places.push_back({view(op.operand, f, stride_of(i), stride_of(f.k)), i, f.k});
                if (!is_bytes(op.operand)) {
                    result.nibbles = number, result.sign = has_sign(type_of(op.operand));
                    result.along_k = stride_of(f.k) == 1;
                    result.extent = extent, result.depth = depth;
                    plan->operands.back().type = result.sign ? DataType::s8 : DataType::u8;
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
        Machine alone = machine_;
        alone.threads = 1;
        std::shared_ptr<const Executable> run = make_generated(plan, alone);
        if (!run) {
            auto portable = make_portable(plan, alone);
            if (!portable) return false;
            run = *portable;
        }
        result.run = std::move(run), result.extent = extent, result.products = products, result.depth = depth;
        packs.push_back(std::move(result));
        return true;
    }
    // Bytes; an odd number of lines, so that rows do not meet in one set of L1.
    int64_t packed_row() const {
        return (ceil_div(padded_depth(p_.depth, p_.depth, kind_) * bits(a_) / 8, 64) | 1) * 64;
    }
    bool pack_rows() {
        const int64_t width = packed_row() * 8 / bits(a_);
        job_->packed_row = packed_row();
        const int64_t whole = job_->choice.block_rows, unit = job_->choice.unit_rows;
        std::vector<int64_t> extents{whole};
        for (const int64_t rows : {std::min(unit, p_.rows), (p_.rows - 1) % unit + 1})
            if (rows % whole && std::find(extents.begin(), extents.end(), rows % whole) == extents.end())
                extents.push_back(rows % whole);
        for (const int64_t rows : extents)
            for (const int64_t products : numbers_of_products())
                if (!pack(job_->pack_a, p_.left, true, rows, products, p_.depth,
                          {0, {{{products, rows * width}}, {{rows, width}}, {{p_.depth, 1}}}}))
                    return false;
        return true;
    }
    bool pack_panels() {
        const int64_t quad = quad_of(kind_);
        const int64_t chunk = job_->choice.by_depth ? job_->choice.depth : p_.depth;
        std::vector<int64_t> depths{chunk};
        if (p_.depth % chunk) depths.push_back(p_.depth % chunk);
        const int64_t wide = round_up(job_->choice.unit_columns, 16 * job_->choice.spec.panels);
        const int64_t whole = job_->choice.unit_columns;
        std::vector<int64_t> extents{whole};
        if (p_.columns % whole) extents.push_back(p_.columns % whole);
        for (const int64_t columns : extents)
            for (const int64_t products : numbers_of_products())
                for (const int64_t depth : depths) {
                    const int64_t steps = padded_depth(depth, p_.depth, kind_) / quad;
                    if (!pack(job_->pack_b, p_.right, false, columns, products, depth,
                              {0,
                               {{{products, wide * quad * steps}},
                                {{ceil_div(columns, 16), 16 * quad * steps}, {16, quad}},
                                {{ceil_div(depth, quad), 16 * quad}, {quad, 1}}}}))
                        return false;
                }
        return true;
    }
    std::vector<int64_t> numbers_of_products() const {
        const int64_t most = job_->choice.unit_batches;
        if (!job_->together) return {1};
        return p_.batches % most ? std::vector{most, p_.batches % most} : std::vector{most};
    }
    // Several small products as one for the packs and the epilogue, as far as they stay in L1: their own calls take
    // longer than 4x4 elements.
    void join_products() {
        constexpr int64_t in_l1 = 48 << 10;
        DotChoice& c = job_->choice;
        if (c.unit_batches == 1 || c.block_rows < p_.rows || c.depth < p_.depth) return;
        if (p_.right.operand >= 0 && !is_bytes(p_.right.operand)) return;
        const int64_t rows = p_.rows * packed_row(),
                      panels = round_up(p_.columns, 16 * c.spec.panels) * padded_depth(p_.depth, p_.depth, kind_) *
                               bits(c.spec.b) / 8,
                      sums = p_.rows * (round_up(p_.columns, 16 * c.spec.panels) * 4 + 64);
        const auto batch = [](const Flat& f) { return is_strided(f.batch); };
        const bool packs_a = c.a == DotSource::packed, packs_b = c.b == DotSource::packed;
        job_->together = (packs_a || packs_b) && strided(p_.left, batch) && strided(p_.right, batch);
        job_->joint_epilogue = !job_->direct && !needs_columns_ && !needs_rows_ &&
                               std::all_of(job_->outer.begin(), job_->outer.end(), [&](const DotView& v) {
                                   return is_strided(v.batch) && stride_of(v.batch) == p_.rows * v.row;
                               });
        const int64_t each = (packs_a ? rows : 0) + (packs_b ? panels : 0) + (job_->direct ? 0 : sums);
        if (job_->together || job_->joint_epilogue)
            c.unit_batches = std::clamp<int64_t>(in_l1 / each, 1, c.unit_batches);
        if (c.unit_batches == 1) job_->together = job_->joint_epilogue = false;
    }

    bool make_kernels() {
        const DotChoice& c = job_->choice;
        if (is_amx(kind_)) {
            job_->configure =
                jit::kernel(target_, "configure tiles", [t = target_] { return build_configure_tiles(t); });
            job_->release = jit::kernel(target_, "release tiles", [t = target_] { return build_release_tiles(t); });
            if (!job_->configure || !job_->release) return false;
        }
        for (size_t i = 0; needs_rows_ && i < 2; ++i) {
            DotSpec ones = c.spec;
            ones.kind = DotKind::s8_exact, ones.rows = i ? 1 : DotJob::rows_of_sums, ones.panels = 1;
            ones.b = DataType::s8, ones.tail = ones.a_passes = false;
            if (!(job_->row_sums[i] = kernel(ones))) return false;
        }
        const int64_t width = 16 * c.spec.panels;
        const int groups = int(std::min<int64_t>(16, ceil_div(p_.depth, quad_of(kind_))));
        for (size_t i = 0; i < DotJob::variants; ++i) {
            const bool narrow = i & 1, low = i & 2;
            const int64_t rows = low ? p_.rows % c.spec.rows : std::min<int64_t>(c.spec.rows, p_.rows);
            const int64_t columns = narrow ? p_.columns % width : width;
            if (rows == 0 || columns == 0 || (!narrow && p_.columns < width)) continue;
            DotSpec spec = c.spec;
            spec.rows = int(rows), spec.panels = int(ceil_div(columns, 16)), spec.tail = narrow && c.spec.tail;
            if (is_amx(kind_)) {
                spec.rows = rows <= 16 ? 16 : 32;
                job_->tiles[i] = dot_tiles(spec, int(rows), int((columns - 1) % 16 + 1), groups);
            }
            if (!(job_->kernel[i] = kernel(spec))) return false;
            if (needs_columns_ && !low) {
                DotSpec ones = spec;
                ones.kind = vector_kind(), ones.rows = 1, ones.a = DataType::u8, ones.a_dense = false;
                ones.tail = false;
                if (!(job_->column_sums[narrow] = kernel(ones))) return false;
            }
        }
        return true;
    }
    std::shared_ptr<const jit::Kernel> kernel(const DotSpec& spec) const {
        if (!can_build_dot(target_, spec)) return nullptr;
        return jit::kernel(target_, key(spec), [=, t = target_] { return build_dot(t, spec); });
    }

    const Plan& plan_;
    const Space& space_;
    DotPattern p_;
    DotKind kind_ = DotKind::f32;
    DataType a_ = DataType::f32, b_ = DataType::f32; // as packed
    MapSpec epilogue_;
    int zero_ = -1, scale_ = -1; // of groups
    bool few_ = false;           // rows, under dots or axpy
    DotView few_a_, few_b_;
    bool needs_columns_ = false, needs_rows_ = false;
    const jit::Target& target_;
    const Machine& machine_;
    std::unique_ptr<DotJob> job_;
};

} // namespace

std::unique_ptr<Job> make_dot_job(const Plan& plan, const Step& step, const jit::Target& target,
                                  const Machine& machine) {
    auto pattern = dot_pattern(plan, step);
    if (!pattern) return nullptr;
    return Maker(plan, step, std::move(*pattern), target, machine).make();
}

} // namespace tessera::cpu
