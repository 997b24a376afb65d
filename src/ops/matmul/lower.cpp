// SPDX-License-Identifier: Apache-2.0
// matmul -> plan: one product over [batch.., M, N, K], and fills of dst's padding.
//
//   factors    src [- z_s] [* s_s], weights [- z_w] [* s_w]
//   epilogue   total, [cvt], [* s_s], [* s_w], [+ bias], ...
//
// Integers are summed in s32, unless a scale varies along k: such a scale is applied inside the sum, others after it.
#include <fmt/format.h>

#include "core/layout/quant.hpp"
#include "ops/epilogue.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/moves.hpp"
#include "ops/products/space.hpp"

namespace tessera::ops {

namespace {

class Lowering {
public:
    explicit Lowering(const Problem& p)
        : p_(p), dst_(p.md(arg::dst)), n_(size_t(dst_.ndims) - 1),
          terms_(p.md(arg::src).dims[n_]), operands_{plan_, layouts_} {
        product_.space.dims.assign(dst_.dims.begin(), dst_.dims.begin() + dst_.ndims);
        product_.space.dims.push_back(terms_);
    }

    Plan plan() {
        plan_.title = fmt::format("matmul {} {} -> {}, {}", to_token(p_.md(arg::src)), to_token(p_.md(arg::weights)),
                                  to_token(dst_), p_.shapes());
        for (const int id : {arg::src, arg::weights}) add(id, over_space(id, layout_of(p_.md(id))));
        const int to = add(arg::dst, layout_of(dst_));
        if (dst_.has_zero_dim()) return std::move(plan_);

        Program program;
        int v = terms_ == 0 ? program.constant(0, ValueType::f32) : sum(program);
        if (const Tensor* bias = p_.find(arg::bias))
            v = program.binary(
                OpCode::add, v,
                program.load(add(arg::bias, broadcast_layout(bias->md, dst_.dims_span())), ValueType::f32));
        const int sums = dynamic_scales(p_.attr) ? store_sums(program, v, to) : -1;
        if (sums < 0) {
            finish(program, v, to, p_, operands_);
            store_sum_exactly(program, dst_.type);
        }
        plan_.programs.push_back(simplify(program));
        add_output_padding(to, p_, operands_);
        add_step(to);
        if (sums >= 0) add_dynamic_quantization(p_, sums, to, plan_);
        return std::move(plan_);
    }

private:
    // finish() without the scales of dst, stored as f32 to the operand of the sums.
    int store_sums(Program& program, int v, int to) {
        Problem unscaled = p_;
        unscaled.attr.scales.erase(arg::dst);
        finish(program, v, to, unscaled, operands_);
        layouts_.push_back(layout_of_mask(-1, dst_.dims_span()));
        return program.ops.back().operand = add_sums(dst_, plan_);
    }
    int add(int id, Layout layout) { return operands_.add(arg_name(id), p_.md(id).type, id, std::move(layout)); }

    // A layout over the dims of src or weights as a layout over the space: dimensions of extent 1 are broadcast, and so
    // are weights along M and src along N.
    Layout over_space(int id, const Layout& own) const {
        const int n = int(n_), m = n - 1, k = n + 1;
        Places places;
        for (int d = 0; d < m; ++d) places.push_back(p_.md(id).dims[size_t(d)] == 1 ? -1 : d);
        places.insert(places.end(), {id == arg::src ? m : k, id == arg::src ? k : n});
        return spread(own, places, product_.space.dims);
    }

    // The operand of scales or zero points of src or weights; -1 if there are none.
    int quant(QuantKind kind, int id) {
        const Quant* quant = find_quant(p_.attr, kind, id);
        if (!quant) return -1;
        const MemoryDesc& md = p_.md(id);
        const std::vector<int64_t> extents = quant_dims(*quant, md);
        Layout layout = layout_of(*quant, md);
        for (size_t d = 0; d < extents.size(); ++d)
            if (extents[d] == 1) layout.dims[d] = {{md.dims[d], 0}};
        return operands_.add(kind, id, *quant, over_space(id, layout));
    }
    Factor factor(int id, int operand, bool scales_inside) {
        const int zero = quant(QuantKind::zero_points, id);
        return {operand, zero, scales_inside ? quant(QuantKind::scales, id) : -1};
    }

    // The mode is for f32, and for integers where it says so: what is computed of others, or of integers otherwise, is
    // multiplied as f32.
    bool may_be_rounded(const Factor& f) const {
        const DataType type = plan_.operands[size_t(f.operand)].type;
        const bool computed = f.zero >= 0 || f.scale >= 0;
        return !computed || type == DataType::f32 || (is_integer(type) && p_.attr.fpmath_apply_to_int);
    }

    int sum(Program& program) {
        const bool src_inside = varies_along_k(p_.attr.scales, arg::src, p_.md(arg::src));
        const bool weights_inside = varies_along_k(p_.attr.scales, arg::weights, p_.md(arg::weights));
        const bool in_s32 = multiplies_integers(p_) && !src_inside && !weights_inside;
        product_.type = in_s32 ? ValueType::s32 : ValueType::f32;
        product_.a = factor(arg::src, 0, src_inside), product_.b = factor(arg::weights, 1, weights_inside);
        int v = program.total(product_.type);
        if (in_s32) v = program.cvt(v, ValueType::f32);
        if (!src_inside) v = times(program, v, quant(QuantKind::scales, arg::src));
        return weights_inside ? v : times(program, v, quant(QuantKind::scales, arg::weights));
    }

    void add_step(int to) {
        const auto dims = dst_.dims_span();
        if (terms_ == 0) { // K = 0: src and weights are not read
            layouts_[0] = layouts_[1] = layout_of_mask(0, dims);
            add_moves({.layouts = layouts_, .dims = dims, .program = 0, .order_by = to}, plan_);
            return;
        }
        Space& space = product_.space;
        space.reduce_mask = 1 << dims.size();
        spread_behind(layouts_, space.dims);
        space.layouts = std::move(layouts_);
        if (may_be_rounded(product_.a) && may_be_rounded(product_.b)) space.fpmath = p_.attr.fpmath;
        add_product(std::move(product_), 0, plan_);
    }

    const Problem& p_;
    const MemoryDesc& dst_;
    const size_t n_;
    const int64_t terms_; // K
    Plan plan_;
    Product product_;
    std::vector<Layout> layouts_;
    Operands operands_;
};

} // namespace

Result<Plan> lower_matmul(const Problem& p) { return is_sparse(p) ? lower_sparse_matmul(p) : Lowering(p).plan(); }

} // namespace tessera::ops
