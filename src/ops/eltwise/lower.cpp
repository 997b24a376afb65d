// SPDX-License-Identifier: Apache-2.0
// eltwise -> plan: one map step; the padding is zeroed, whatever f(0) is (ELT-38).
#include "ops/eltwise/eltwise.hpp"

#include <fmt/format.h>

#include "core/program/lib/eltwise.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

Result<Plan> lower_eltwise(const Problem& p) {
    const EltwiseView view = view_of_eltwise(p);
    const MemoryDesc& dst = p.md(view.to);
    const auto dims = dst.dims_span();
    Plan plan;
    std::vector<Layout> layouts;
    Operands operands{plan, layouts};
    plan.title = fmt::format("eltwise {} {} {} -> {}, {}", name(p.prop), p.auxiliary(), to_token(p.md(view.data)),
                             to_token(dst), to_string(dims));
    const auto add = [&](int id) {
        const MemoryDesc& md = p.md(id);
        return operands.add(arg_name(id), md.type, id, layout_of(md));
    };
    const int data = add(view.data), to = add(view.to);
    const int gradient = view.backward ? add(arg::diff_dst) : -1;
    if (dst.has_zero_dim()) return plan;

    Program program;
    const int x = program.load(data, ValueType::f32);
    if (view.backward) {
        const int dd = program.load(gradient, ValueType::f32);
        const int slope = eltwise_backward(program, view.alg, x, dd, view.alpha, view.beta);
        program.store(to, round_stochastically(program, slope, view.to, dims, p, operands));
    } else {
        finish(program, eltwise(program, view.alg, x, view.alpha, view.beta), to, p, operands);
    }
    plan.programs.push_back(simplify(program));
    add_output_padding(to, p, operands);
    add_moves({.layouts = layouts, .dims = dims, .program = 0, .order_by = to}, plan);
    return plan;
}

} // namespace tessera::ops
