// SPDX-License-Identifier: Apache-2.0
// prelu -> plan: forward one map step; backward one for diff_src, and for diff_weights a reduction over the dims that
// share weights, or a map step where none does. Where many points share a weight both go from cell to cell.
#include "ops/prelu/prelu.hpp"

#include <fmt/format.h>

#include "core/plan/rewrite/two_levels.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"
#include "ops/normalization/domain.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t fewest_points = 256; // of a cell

int zero(Program& p) { return p.constant(0, ValueType::f32); }

// x > 0 ? y : y * w; for NaN the comparison is false, and the product is NaN (PRE-09).
int sloped(Program& p, int x, int y, int w) {
    const int positive = p.binary(OpCode::lt, zero(p), x);
    return p.ternary(OpCode::select, positive, y, p.binary(OpCode::mul, y, w));
}

// min(0, x), in this order: OpCode::min returns its second argument if either is NaN or both are zeros.
int negative_part(Program& p, int x) { return p.binary(OpCode::min, zero(p), x); }

// Both gradients of a cell one after the other, while src and diff_dst of it are in a cache: some of the points that
// share a weight, each weight its own. Then the sums of cells are added up. False where cells would be short. One
// thread, f32 nchw, of the speed of oneDNN 3.2: 64x4x112x23 0.64 -> 0.88, 3x50x60x60 0.61 -> 0.89, 12x1x192x300 0.62 ->
// 0.89.
bool add_gradients_by_cells(const Problem& p, int shared, Plan& plan) {
    constexpr auto f32 = ValueType::f32;
    const MemoryDesc &src = p.md(arg::src), &weights = p.md(arg::diff_weights);
    const auto dims = src.dims_span();
    std::vector<Layout> layouts;
    for (const int id : {arg::src, arg::diff_src, arg::diff_dst}) layouts.push_back(layout_of(p.md(id)));
    std::vector<size_t> among;
    int64_t apart = 1; // weights
    bool dense = false;
    for (size_t d = 0; d < dims.size(); ++d) {
        if (shared >> d & 1) among.push_back(d);
        if (!(shared >> d & 1)) apart *= dims[d];
        dense |= !(shared >> d & 1) && dims[d] > 1 && layouts[0].dims[d].back().stride == 1;
    }
    const Inner inner = inner_of(dims, among, points_of_cell(dense ? apart : 0), layouts);
    if (inner.points < fewest_points) return false;
    Domain cells(plan, inner.dims);
    const auto add = [&](int id) {
        return cells.add(arg_name(id), p.md(id).type, id, inner.of(broadcast_layout(p.md(id), dims)));
    };
    const int from = add(arg::src), to = add(arg::diff_src), slopes = add(arg::weights), gradient = add(arg::diff_dst);
    const int result = add(arg::diff_weights);
    const int all = (1 << inner.dims.size()) - 1, outer = all & ~inner.mask;
    int within = 0, count = 1; // dims of the cells of a weight
    const Layout over_cells = inner.of(broadcast_layout(weights, dims));
    for (size_t d = 0; d < inner.dims.size(); ++d)
        if (outer >> d & 1 && inner.dims[d] > 1 && over_cells.dims[d].back().stride == 0)
            within |= 1 << d, count *= int(inner.dims[d]);
    int last = -1;
    for (size_t d = 0; d < inner.dims.size(); ++d)
        if (outer >> d & 1 && cells.layout(from).dims[d].back().stride == 1) last = int(d);
    const int sums = count == 1 ? result : cells.scratch("sums of cells", ops::dense(inner.dims, outer, last));

    Program slope, product, combined;
    const int x = slope.load(from, f32), w = slope.load(slopes, f32);
    slope.store(to, sloped(slope, x, slope.load(gradient, f32), w));
    const int s = product.load(from, f32), dd = product.load(gradient, f32);
    product.store(sums, product.reduce_add(product.binary(OpCode::mul, negative_part(product, s), dd)));
    add_padding(p.md(arg::diff_src), to, plan);
    add_padding(weights, result, plan);
    cells.group({{product, all, inner.mask}, {slope, all, 0}}, outer); // diff_src may have diff_dst's buffer, or src's
    if (count == 1) return true;
    combined.store(result, combined.reduce_add(combined.load(sums, f32)));
    cells.step({combined, outer, within});
    return true;
}

} // namespace

Result<Plan> lower_prelu(const Problem& p) {
    const bool backward = p.prop == PropKind::backward;
    const MemoryDesc &src = p.md(arg::src), &weights = p.md(arg::weights);
    const auto dims = src.dims_span();
    Plan plan;
    std::vector<Layout> layouts;
    Operands operands{plan, layouts};
    plan.title = fmt::format("prelu {} {} {}, {}", name(p.prop), to_token(src), to_token(weights), to_string(dims));
    const auto add = [&](int id) {
        const MemoryDesc& md = p.md(id);
        return operands.add(arg_name(id), md.type, id, broadcast_layout(md, dims));
    };
    // One step. Its loops are ordered by the tensor that it writes, and depend only on the operands of its program.
    const auto add_step = [&](const Program& program, int written, int reduce_mask) {
        std::vector<int> used{written};
        for (const Op& op : program.ops)
            if (op.operand >= 0 && op.operand != written) used.push_back(op.operand);
        std::vector<Layout> seen;
        for (const int o : used) seen.push_back(layouts[size_t(o)]);
        plan.programs.push_back(program);
        add_moves({.layouts = seen,
                   .dims = dims,
                   .program = int(plan.programs.size()) - 1,
                   .reduce_mask = reduce_mask,
                   .order_by = 0,
                   .operands = used},
                  plan);
    };
    int shared = 0;
    for (size_t d = 0; d < dims.size(); ++d)
        if (weights.dims[d] == 1 && dims[d] != 1) shared |= 1 << d;
    const bool exact = p.attr.rounding.empty();
    if (backward && shared && exact && !src.has_zero_dim() && add_gradients_by_cells(p, shared, plan)) return plan;
    const int from = add(arg::src);
    const int to = add(backward ? arg::diff_src : arg::dst), slopes = add(arg::weights);
    const MemoryDesc& dst = p.md(backward ? arg::diff_src : arg::dst);
    const int gradient = backward ? add(arg::diff_dst) : from;
    const int weights_gradient = backward ? add(arg::diff_weights) : -1;
    if (src.has_zero_dim()) { // sums over no terms are 0
        if (backward) add_zeros(p.md(arg::diff_weights), weights_gradient, plan);
        return plan;
    }

    Program slope, product;
    const int x = slope.load(from, ValueType::f32), w = slope.load(slopes, ValueType::f32);
    const int y = backward ? slope.load(gradient, ValueType::f32) : x;
    const int result = sloped(slope, x, y, w);
    slope.store(to, backward ? round_stochastically(slope, result, arg::diff_src, dims, p, operands) : result);
    const auto add_slope = [&] {
        add_padding(dst, to, plan);
        add_step(slope, to, 0);
    };
    if (!backward) {
        add_slope();
        return plan;
    }

    // First, because diff_src may have the buffer of diff_dst or src. A separate pass even if no weight is shared: one
    // pass with two outputs was not faster (17 to 21 against 19 to 22 GB/s, one thread), because it cannot use
    // non-temporal stores.
    const int s = product.load(from, ValueType::f32), dd = product.load(gradient, ValueType::f32);
    const int term = product.binary(OpCode::mul, negative_part(product, s), dd);
    add_padding(p.md(arg::diff_weights), weights_gradient, plan);
    const int sum = shared ? product.reduce_add(term) : term;
    product.store(weights_gradient, round_stochastically(product, sum, arg::diff_weights, dims, p, operands));
    const size_t before = plan.steps.size();
    add_step(product, weights_gradient, shared);
    if (shared) in_two_levels(plan.steps.size() - before, plan);
    add_slope();
    return plan;
}

} // namespace tessera::ops
