// SPDX-License-Identifier: Apache-2.0
// inner product -> plan: one product over the dims of the output and of the sum; for diff_bias a reduction over the
// batch.
//
//   forward           n o | i pixels         src varies along n, weights along o
//   backward data     n i pixels | o         diff_dst along n, weights along i and pixels
//   backward weights  o i pixels | n         diff_dst along o, src along i and pixels
#include <fmt/format.h>

#include "core/plan/rewrite/two_levels.hpp"
#include "ops/epilogue.hpp"
#include "ops/inner_product/inner_product.hpp"
#include "ops/moves.hpp"
#include "ops/products/space.hpp"

namespace tessera::ops {

namespace {

// first, first + 1, ... behind `begin`
Places with_inner(int begin, int first, size_t count) {
    Places places{begin};
    for (size_t i = 0; i < count; ++i) places.push_back(first + int(i));
    return places;
}

struct Lowering {
    explicit Lowering(const Problem& problem) : p(problem), args(side_args(problem.prop)) {
        const auto of_weights = p.md(args.weights).dims_span();
        inner.assign(of_weights.begin() + 1, of_weights.end());
        plan.title = fmt::format("inner_product {} {} {} {}, {}", name(p.prop), to_token(p.md(args.src)),
                                 to_token(p.md(args.weights)), to_token(p.md(args.dst)), shape_of_inner_product(p));
    }
    Lowering(const Lowering&) = delete;

    int add(int id, const Places& places) {
        const MemoryDesc& md = p.md(id);
        return operands.add(arg_name(id), md.type, id, spread(layout_of(md), places, dims));
    }
    // Adds the factors over `dims`, of which those from `summed` on are summed over.
    int products(int a, int b, size_t summed) {
        const bool integers = is_integer(plan.operands[size_t(a)].type);
        product.type = integers ? ValueType::s32 : ValueType::f32;
        product.a = {a}, product.b = {b};
        const int sum = program.total(product.type);
        for (size_t d = summed; d < dims.size(); ++d) sum_mask |= 1 << d;
        return integers ? program.cvt(sum, ValueType::f32) : sum;
    }
    // `written` and `read` as in arranged().
    void add_step(int written, int read) {
        plan.programs.push_back(simplify(program));
        spread_behind(layouts, dims);
        product.space = arranged({dims, sum_mask, layouts, p.attr.fpmath}, size_t(written), size_t(read));
        add_product(product, int(plan.programs.size()) - 1, plan);
    }
    int scaled(int v, int id);
    void forward();
    void backward_data();
    void backward_weights();
    void diff_bias();

    const Problem& p;
    const SideArgs args;
    std::vector<int64_t> inner; // channels and pixels
    std::vector<int64_t> dims;
    int sum_mask = 0;
    Plan plan;
    std::vector<Layout> layouts;
    Operands operands{plan, layouts};
    Product product;
    Program program;
};

// One scale for all, or one per output channel.
int Lowering::scaled(int v, int id) {
    const Quant* quant = find_quant(p.attr, QuantKind::scales, id);
    if (!quant) return v;
    const Layout values{0, {{{dims[1], quant->mask ? 1 : 0}}}};
    return times(program, v, operands.add(QuantKind::scales, id, *quant, spread(values, {1}, dims)));
}

void Lowering::forward() {
    const MemoryDesc& dst = p.md(arg::dst);
    dims = {dst.dims[0], dst.dims[1]};
    dims.insert(dims.end(), inner.begin(), inner.end());
    const int src = add(arg::src, with_inner(0, 2, inner.size()));
    const int to = add(arg::dst, {0, 1}), weights = add(arg::weights, with_inner(1, 2, inner.size()));
    if (dst.has_zero_dim()) return;
    int v = scaled(scaled(products(src, weights, 2), arg::src), arg::weights);
    if (p.find(arg::bias)) v = program.binary(OpCode::add, v, program.load(add(arg::bias, {1}), ValueType::f32));
    finish(program, v, to, p, operands);
    store_sum_exactly(program, p.md(operands.plan.operands[size_t(to)].arg).type);
    add_output_padding(to, p, operands);
    add_step(to, src);
}

void Lowering::backward_data() {
    const MemoryDesc &diff_src = p.md(arg::diff_src), &diff_dst = p.md(arg::diff_dst);
    const auto written = diff_src.dims_span();
    dims.assign(written.begin(), written.end());
    const int sum = int(dims.size());
    dims.push_back(diff_dst.dims[1]);
    const int from = add(arg::diff_dst, {0, sum}), to = add(arg::diff_src, with_inner(0, 1, inner.size()));
    const int weights = add(arg::weights, with_inner(sum, 1, inner.size()));
    if (diff_src.has_zero_dim()) return;
    const int v = products(from, weights, size_t(sum));
    program.store(to, round_stochastically(program, v, arg::diff_src, written, p, operands));
    add_padding(diff_src, to, plan);
    add_step(to, from);
}

void Lowering::backward_weights() {
    const MemoryDesc &diff_weights = p.md(arg::diff_weights), &diff_dst = p.md(arg::diff_dst);
    const auto written = diff_weights.dims_span();
    dims.assign(written.begin(), written.end());
    const int sum = int(dims.size());
    dims.push_back(diff_dst.dims[0]);
    const int from = add(arg::diff_dst, {sum, 0}), to = add(arg::diff_weights, with_inner(0, 1, inner.size()));
    const int src = add(arg::src, with_inner(sum, 1, inner.size()));
    if (diff_dst.has_zero_dim()) return add_zeros(diff_weights, to, plan); // sums over no terms
    const int v = products(from, src, size_t(sum));
    program.store(to, round_stochastically(program, v, arg::diff_weights, written, p, operands));
    add_padding(diff_weights, to, plan);
    add_step(to, from);
}

void Lowering::diff_bias() {
    const MemoryDesc &diff_dst = p.md(arg::diff_dst), &bias = p.md(arg::diff_bias);
    const int to = operands.add(arg_name(arg::diff_bias), bias.type, arg::diff_bias, {});
    if (diff_dst.has_zero_dim()) return add_zeros(bias, to, plan);
    const std::vector<int64_t> extents{diff_dst.dims[1], diff_dst.dims[0]};
    const std::vector<Layout> seen{spread(layout_of(bias), {0}, extents), spread(layout_of(diff_dst), {1, 0}, extents)};
    Program sum;
    sum.store(to, sum.reduce_add(sum.load(0, ValueType::f32))); // diff_dst is operand 0
    plan.programs.push_back(sum);
    add_padding(bias, to, plan);
    const size_t before = plan.steps.size();
    add_moves({.layouts = seen,
               .dims = extents,
               .program = int(plan.programs.size()) - 1,
               .reduce_mask = 2,
               .order_by = 0,
               .operands = {to, 0}},
              plan);
    in_two_levels(plan.steps.size() - before, plan);
}

} // namespace

Result<Plan> lower_inner_product(const Problem& p) {
    Lowering lowering(p);
    if (p.prop == PropKind::backward_data)
        lowering.backward_data();
    else if (p.prop == PropKind::backward_weights)
        lowering.backward_weights();
    else
        lowering.forward();
    if (p.find(arg::diff_bias)) lowering.diff_bias();
    return std::move(lowering.plan);
}

} // namespace tessera::ops
