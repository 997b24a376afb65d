// SPDX-License-Identifier: Apache-2.0
// binary -> plan: one map step over the dims of dst, in which a broadcast dimension has stride 0.
#include "ops/binary/binary.hpp"

#include <fmt/format.h>

#include "core/program/binary.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

Result<Plan> lower_binary(const Problem& p) {
    const MemoryDesc& dst = p.md(arg::dst);
    const int alg = alg_of_binary(p);
    Plan plan;
    std::vector<Layout> layouts;
    Operands operands{plan, layouts};
    plan.title = fmt::format("binary {} {} {} -> {}, {}", alg, to_token(p.md(arg::src)), to_token(p.md(arg::src_1)),
                             to_token(dst), to_string(dst.dims_span()));
    const auto add = [&](int id) {
        const MemoryDesc& md = p.md(id);
        return operands.add(arg_name(id), md.type, id, broadcast_layout(md, dst.dims_span()));
    };
    const int src0 = add(arg::src), to = add(arg::dst), src1 = add(arg::src_1);
    if (dst.has_zero_dim()) return plan;

    Program program;
    const int a = load_scaled(program, src0, arg::src, p, operands);
    const int b = load_scaled(program, src1, arg::src_1, p, operands);
    int result;
    if (alg == binary::select)
        result = select_op(program, program.load(add(arg::src_2), ValueType::f32), a, b);
    else
        result = binary_op(program, alg, a, b);
    finish(program, result, to, p, operands);
    plan.programs.push_back(simplify(program));
    add_output_padding(to, p, operands);
    const auto dims = dst.dims_span();
    add_moves({.layouts = layouts, .dims = dims, .program = 0, .order_by = to}, plan);
    return plan;
}

} // namespace tessera::ops
