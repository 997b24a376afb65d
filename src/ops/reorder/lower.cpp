// SPDX-License-Identifier: Apache-2.0
// reorder -> plan: fills for the padding, a map step per box, then reductions for the compensation.
//
// Of a src with compensation the weights alone are read; the factor that scaled them down is divided out.
//
// One program serves all boxes: the conversion alone, or with attributes in f32
//   dst = ((src - z_src) * s_src * output_scale + beta * dst_old) / s_dst + z_dst        (REO-09, REO-10)
#include "ops/reorder/reorder.hpp"

#include "core/layout/boxes.hpp"
#include "core/layout/quant.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

enum : int { src_operand = 0, dst_operand = 1 };

bool computes(const Problem& p) {
    const Attr& a = p.attr;
    const auto adjusts = [&](int id) { return (p.md(id).extra.flags & Extra::scale_adjust) != 0; };
    return !a.scales.empty() || !a.zero_points.empty() || !a.post_ops.entries.empty() ||
           !a.output_scales.values.empty() || a.rnn || adjusts(arg::src) || adjusts(arg::dst);
}

// x * scale + shift, with the factors in the plan.
int quantized_for_cells(Program& program, int v, const RnnFactors& f, const MemoryDesc& dst, Operands& operands) {
    const int operand = operands.add("RNN scales", DataType::f32, 0, layout_of_mask(f.mask, dst.dims_span()));
    operands.plan.operands.back().constant = int(operands.plan.constants.size());
    operands.plan.constants.push_back(f.scales);
    v = times(program, v, operand);
    return f.shift == 0 ? v : program.binary(OpCode::add, v, program.constant(f.shift, ValueType::f32));
}

Program conversion(const Problem& p, Operands& operands) {
    const MemoryDesc &src = p.md(arg::src), &dst = p.md(arg::dst);
    Program program;
    if (!computes(p)) {
        program.store(dst_operand, program.load(src_operand, conversion_type(src.type, dst.type)));
        return program;
    }
    int v = load_scaled(program, src_operand, arg::src, p, operands);
    if (src.extra.flags & Extra::scale_adjust)
        v = program.binary(OpCode::div, v, program.constant(src.extra.scale_adjust_factor, ValueType::f32));
    v = output_scaled(program, v, p, operands);
    if (p.attr.rnn) v = quantized_for_cells(program, v, rnn_factors(*p.attr.rnn, dst), dst, operands);
    if (dst.extra.flags & Extra::scale_adjust)
        v = program.binary(OpCode::mul, v, program.constant(dst.extra.scale_adjust_factor, ValueType::f32));
    if (const PostOp* entry = sum_of(p)) {
        const PostOp& sum = *entry;
        const bool other = sum.type != DataType::undef && sum.type != dst.type;
        const int from = other ? operands.add("old dst", sum.type, arg::dst, layout_of(dst)) : int(dst_operand);
        const int old = program.load(from, ValueType::f32);
        v = program.binary(OpCode::add, v,
                           program.binary(OpCode::mul, old, program.constant(sum.scale, ValueType::f32)));
    }
    program.store(dst_operand, quantized(program, v, arg::dst, p, operands));
    return simplify(program);
}

// comp[masked dims] += factor * sum of the quantized weights over the other dims (OPQ-02, OPQ-03).
void add_compensation(const Problem& p, Extra::Flag flag, int mask, double factor, Plan& plan) {
    const MemoryDesc& dst = p.md(arg::dst);
    const int operand = int(plan.operands.size());
    const char* const name = flag == Extra::s8s8             ? "s8s8 compensation"
                             : flag == Extra::asymmetric_src ? "asymmetric compensation"
                                                             : "sums of columns";
    plan.operands.push_back({name, DataType::s32, arg::dst, int64_t(compensation_offset(dst, flag))});
    Step zero;
    zero.kind = StepKind::fill;
    zero.fill_operand = operand;
    zero.nest.loops.resize(1);
    zero.nest.loops[0].extent = compensation_count(dst, flag);
    zero.nest.loops[0].stride[size_t(operand)] = 1;
    plan.steps.push_back(zero);

    Program sum;
    const int total = sum.reduce_add(sum.load(dst_operand, ValueType::s32));
    const int scaled = sum.binary(OpCode::mul, total, sum.constant(factor, ValueType::s32));
    sum.store(operand, sum.binary(OpCode::add, scaled, sum.load(operand, ValueType::s32)));
    const int program = int(plan.programs.size());
    plan.programs.push_back(sum);

    // Dims by operand: the weights as dst, the compensation row-major over the padded masked dims.
    std::vector<Layout> layouts(plan.operands.size(), layout_of_mask(0, dst.dims_span()));
    layouts[dst_operand] = layout_of(dst);
    layouts[size_t(operand)] = layout_of_mask(mask, {dst.padded_dims.data(), size_t(dst.ndims)});
    add_moves({.layouts = layouts,
               .dims = dst.dims_span(),
               .program = program,
               .reduce_mask = ~mask,
               .accumulates = true,
               .order_by = operand},
              plan);
}

} // namespace

Result<Plan> lower_reorder(const Problem& p) {
    const MemoryDesc &src = p.md(arg::src), &dst = p.md(arg::dst);
    Plan plan;
    plan.title = fmt::format("reorder {} -> {}, {}", to_token(src), to_token(dst), p.shape());
    plan.operands = {{"src", src.type, arg::src}, {"dst", dst.type, arg::dst}};
    if (dst.has_zero_dim()) return plan;

    std::vector<Layout> layouts{layout_of(src), layout_of(dst)};
    Operands operands{plan, layouts};
    plan.programs.push_back(conversion(p, operands));
    add_padding(dst, dst_operand, plan);
    add_moves({.layouts = layouts, .dims = dst.dims_span(), .program = 0}, plan);
    if (dst.extra.flags & Extra::s8s8) add_compensation(p, Extra::s8s8, dst.extra.compensation_mask, -128, plan);
    if (dst.extra.flags & Extra::rnn_u8s8) add_compensation(p, Extra::rnn_u8s8, dst.extra.compensation_mask, 1, plan);
    if (dst.extra.flags & Extra::asymmetric_src)
        add_compensation(p, Extra::asymmetric_src, dst.extra.asymmetric_compensation_mask, -1, plan);
    return plan;
}

} // namespace tessera::ops
