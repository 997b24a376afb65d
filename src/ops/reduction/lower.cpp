// SPDX-License-Identifier: Apache-2.0
// reduction -> plan: one reduce step over the dims of src, in whose program the division, the root and the post-ops
// follow the reduction; a map step where there are no elements to reduce.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/plan/rewrite/two_levels.hpp"
#include "core/program/lib/math.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"
#include "ops/reduction/reduction.hpp"

namespace tessera::ops {

namespace {

constexpr float largest = std::numeric_limits<float>::max();

OpCode combine_of(int alg) {
    switch (alg) {
    case alg::reduction_max:
        return OpCode::reduce_max;
    case alg::reduction_min:
        return OpCode::reduce_min;
    case alg::reduction_mul:
        return OpCode::reduce_mul;
    default:
        return OpCode::reduce_add;
    }
}

// |x|^p
int power(Program& program, int x, float p) {
    if (p == 2) return program.binary(OpCode::mul, x, x);
    const int positive = magnitude(Expression{&program, x}).value;
    return p == 1 ? positive : math::pow(program, positive, p);
}

int root(Program& program, int x, float p) {
    if (p == 1) return x;
    return p == 2 ? program.unary(OpCode::sqrt, x) : math::pow(program, x, 1 / p);
}

// What combining no elements gives.
int of_no_elements(Program& program, const Reduction& r) {
    return program.constant(r.alg == alg::reduction_mul   ? 1.f
                            : r.alg == alg::reduction_max ? -largest
                            : r.alg == alg::reduction_min ? largest
                                                          : 0.f,
                            ValueType::f32);
}

// What follows the combination of all elements.
int finished(Program& program, int v, const Reduction& r) {
    const auto with = [&](OpCode code, double number) {
        return program.binary(code, program.constant(number, ValueType::f32), v);
    };
    if (r.alg == alg::reduction_mean && r.is_zero_of_none) return v;
    if (r.alg == alg::reduction_mean)
        return program.binary(OpCode::div, v, program.constant(float(r.count), ValueType::f32));
    if (!r.is_norm()) return v;
    v = with(r.bounds_norm() ? OpCode::max : OpCode::add, r.eps); // max gives its second argument where it is NaN
    return r.has_root() ? root(program, v, r.p) : v;
}

} // namespace

Result<Plan> lower_reduction(const Problem& problem) {
    const Reduction r(problem);
    const MemoryDesc &src = problem.md(arg::src), &dst = problem.md(arg::dst);
    Plan plan;
    std::vector<Layout> layouts;
    Operands operands{plan, layouts};
    constexpr std::string_view prefix = "reduction_";
    plan.title = fmt::format("reduction {} {} -> {}, {} to {}", alg_name(r.alg).substr(prefix.size()), to_token(src),
                             to_token(dst), to_string(src.dims_span()), to_string(dst.dims_span()));
    const bool empty = src.has_zero_dim(); // then src is not read, and the step is over dst
    const auto dims = empty ? dst.dims_span() : src.dims_span();
    const int from = empty ? -1 : operands.add("src", src.type, arg::src, layout_of(src));
    const int to = operands.add("dst", dst.type, arg::dst, broadcast_layout(dst, dims));
    if (dst.has_zero_dim()) return plan;
    Program program;
    int v;
    if (empty) {
        v = of_no_elements(program, r);
    } else {
        const int x = program.load(from, ValueType::f32);
        v = program.reduce(combine_of(r.alg), r.is_norm() ? power(program, x, r.p) : x);
    }
    finish(program, finished(program, v, r), to, problem, operands);
    // The tensors of post-ops are laid out over dst.
    for (size_t o = 0; o < layouts.size(); ++o)
        for (size_t d = 0; d < dims.size(); ++d)
            if ((r.mask >> d & 1) && int(o) != from) layouts[o].dims[d] = {{dims[d], 0}};
    plan.programs.push_back(simplify(program));
    add_output_padding(to, problem, operands);
    const size_t before = plan.steps.size();
    add_moves({.layouts = layouts, .dims = dims, .program = 0, .reduce_mask = empty ? 0 : r.mask, .order_by = to},
              plan);
    in_two_levels(plan.steps.size() - before, plan);
    return plan;
}

} // namespace tessera::ops
