// prelu -> plan: forward one map step; backward one for diff_src, and for diff_weights a reduction over the dims that
// share weights, or a map step where none does.
#include "ops/prelu/prelu.hpp"

#include <fmt/format.h>

#include "core/plan/rewrite/two_levels.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

int zero(Program& p) { return p.constant(0, ValueType::f32); }

// x > 0 ? y : y * w; for NaN the comparison is false, and the product is NaN (PRE-09).
int sloped(Program& p, int x, int y, int w) {
    const int positive = p.binary(OpCode::lt, zero(p), x);
    return p.ternary(OpCode::select, positive, y, p.binary(OpCode::mul, y, w));
}

// min(0, x), in this order: OpCode::min returns its second argument if either is NaN or both are zeros.
int negative_part(Program& p, int x) { return p.binary(OpCode::min, zero(p), x); }

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
    const int from = add(arg::src);
    const int to = add(backward ? arg::diff_src : arg::dst), slopes = add(arg::weights);
    const MemoryDesc& dst = p.md(backward ? arg::diff_src : arg::dst);
    const int gradient = backward ? add(arg::diff_dst) : from;
    const int weights_gradient = backward ? add(arg::diff_weights) : -1;
    if (src.has_zero_dim()) { // sums over no terms are 0
        if (backward) add_zeros(p.md(arg::diff_weights), weights_gradient, plan);
        return plan;
    }

    int shared = 0;
    for (size_t d = 0; d < dims.size(); ++d)
        if (weights.dims[d] == 1 && dims[d] != 1) shared |= 1 << d;
    Program slope, product;
    const int x = slope.load(from, ValueType::f32), w = slope.load(slopes, ValueType::f32);
    const int y = backward ? slope.load(gradient, ValueType::f32) : x;
    const int result = sloped(slope, x, y, w);
    slope.store(to, backward ? round_stochastically(slope, result, arg::diff_src, dims, p, operands) : result);
    add_padding(dst, to, plan);
    add_step(slope, to, 0);
    if (!backward) return plan;

    // A separate pass even if no weight is shared: one pass with two outputs was not faster (17 to 21 against 19 to
    // 22 GB/s, one thread), because it cannot use non-temporal stores.
    const int s = product.load(from, ValueType::f32), dd = product.load(gradient, ValueType::f32);
    const int term = product.binary(OpCode::mul, negative_part(product, s), dd);
    add_padding(p.md(arg::diff_weights), weights_gradient, plan);
    const int sum = shared ? product.reduce_add(term) : term;
    product.store(weights_gradient, round_stochastically(product, sum, arg::diff_weights, dims, p, operands));
    const size_t before = plan.steps.size();
    add_step(product, weights_gradient, shared);
    if (shared) in_two_levels(plan.steps.size() - before, plan);
    return plan;
}

} // namespace tessera::ops
