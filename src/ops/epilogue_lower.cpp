// SPDX-License-Identifier: Apache-2.0
// Attributes as operations of a program.
//
//   dst = (post-ops(dropout(output_scale * v)) / s_dst) + z_dst,  v of (src - z_src) * s_src     (NUM-01, PO-08)
#include <algorithm>

#include "core/layout/quant.hpp"
#include "core/program/binary.hpp"
#include "core/program/lib/eltwise.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

// A post-op's tensor over the extents of dst.
int load_tensor(Program& program, int id, const MemoryDesc& dst, const Problem& problem, Operands& operands) {
    const MemoryDesc& md = problem.md(id);
    const int operand = operands.add(arg_name(id), md.type, id, broadcast_layout(md, dst.dims_span()));
    return program.load(operand, ValueType::f32);
}

int sum(Program& program, int v, const PostOp& p, int dst_operand, Operands& operands) {
    if (p.scale == 0.f) return v; // then dst must not be read: it may hold NaN
    const Operand& dst = operands.plan.operands[size_t(dst_operand)];
    int from = dst_operand;
    if (p.type != DataType::undef && p.type != dst.type)
        from = operands.add(fmt::format("old {} as {}", dst.name, name(p.type)), p.type, dst.arg,
                            operands.layouts[size_t(dst_operand)]);
    int old = program.load(from, ValueType::f32);
    if (p.zero_point != 0)
        old = program.binary(OpCode::sub, old, program.constant(float(p.zero_point), ValueType::f32));
    if (p.scale != 1.f) old = program.binary(OpCode::mul, old, program.constant(p.scale, ValueType::f32));
    return program.binary(OpCode::add, v, old);
}

int post_op(Program& program, int v, size_t i, int dst_operand, const MemoryDesc& dst, const Problem& problem,
            Operands& operands) {
    const PostOp& p = problem.attr.post_ops.entries[i];
    const int base = arg::post_op(int(i));
    switch (p.kind) {
    case PostOpKind::sum:
        return sum(program, v, p, dst_operand, operands);
    case PostOpKind::eltwise:
        v = eltwise(program, p.alg, v, p.alpha, p.beta);
        if (p.scale != 1.f) v = program.binary(OpCode::mul, v, program.constant(p.scale, ValueType::f32));
        return v;
    case PostOpKind::binary: {
        const int other = load_tensor(program, base | arg::src_1, dst, problem, operands);
        if (p.alg != binary::select) return binary_op(program, p.alg, v, other);
        return select_op(program, load_tensor(program, base | arg::src_2, dst, problem, operands), v, other);
    }
    default: { // prelu
        const int weights = load_tensor(program, base | arg::weights, dst, problem, operands);
        const int positive = program.binary(OpCode::lt, program.constant(0, ValueType::f32), v);
        return program.ternary(OpCode::select, positive, v, program.binary(OpCode::mul, v, weights));
    }
    }
}

} // namespace

int Operands::add(std::string name, DataType type, int arg, Layout layout) {
    for (size_t i = 0; i < plan.operands.size(); ++i) {
        const Operand& o = plan.operands[i];
        if (o.name == name && o.type == type && o.arg == arg && layouts[i] == layout) return int(i);
    }
    plan.operands.push_back({std::move(name), type, arg});
    layouts.push_back(std::move(layout));
    return int(plan.operands.size()) - 1;
}

int Operands::add_scratch(std::string name, DataType type, int64_t elements, Layout layout) {
    const int to = add(std::move(name), type, 0, std::move(layout));
    plan.operands[size_t(to)].scratch = int(plan.scratch.size());
    plan.scratch.push_back(bytes_of(type, elements));
    return to;
}

int64_t close_strides(std::vector<Mode*> modes) {
    std::ranges::stable_sort(modes, {}, [](const Mode* m) { return m->stride; });
    int64_t elements = 1;
    for (Mode* mode : modes) {
        mode->stride = elements;
        elements *= mode->extent;
    }
    return elements;
}

Layout broadcast_layout(const MemoryDesc& md, std::span<const int64_t> dims) {
    if (md.kind == FormatKind::host_scalar) {
        Layout layout;
        for (const int64_t extent : dims) layout.dims.push_back({{extent, 0}});
        return layout;
    }
    Layout layout = layout_of(md);
    for (size_t d = 0; d < dims.size(); ++d)
        if (md.dims[d] == 1 && dims[d] != 1) layout.dims[d] = {{dims[d], 0}};
    return layout;
}

const Quant* find_quant(const Attr& attr, QuantKind kind, int id) {
    const auto& quants = kind == QuantKind::scales ? attr.scales : attr.zero_points;
    const auto it = quants.find(id);
    return it == quants.end() ? nullptr : &it->second;
}

int Operands::add(QuantKind kind, int id, const Quant& quant, Layout layout) {
    const bool scales = kind == QuantKind::scales;
    return add(fmt::format("{} of {}", scales ? "scales" : "zero points", arg_name(id)), quant.type,
               (scales ? arg::scales : arg::zero_points) | id, std::move(layout));
}

int load_quant(Program& program, QuantKind kind, int id, const Problem& problem, Operands& operands) {
    const Quant* quant = find_quant(problem.attr, kind, id);
    if (!quant) return -1;
    const MemoryDesc& md = problem.md(id);
    return program.load(operands.add(kind, id, *quant, layout_of(*quant, md)), ValueType::f32);
}

int times(Program& program, int value, int operand) {
    return operand < 0 ? value : program.binary(OpCode::mul, value, program.load(operand, ValueType::f32));
}

int load_scaled(Program& program, int operand, int id, const Problem& problem, Operands& operands) {
    int v = program.load(operand, ValueType::f32);
    if (const int z = load_quant(program, QuantKind::zero_points, id, problem, operands); z >= 0)
        v = program.binary(OpCode::sub, v, z);
    if (const int s = load_quant(program, QuantKind::scales, id, problem, operands); s >= 0)
        v = program.binary(OpCode::mul, v, s);
    return v;
}

int output_scaled(Program& program, int v, const Problem& problem, Operands& operands) {
    const OutputScales& o = problem.attr.output_scales;
    if (o.values.empty()) return v;
    const size_t known = operands.plan.operands.size();
    const int operand = operands.add("output scales", DataType::f32, arg::output_scales,
                                     layout_of_mask(o.mask, problem.md(arg::dst).dims_span()));
    if (!o.at_execution() && size_t(operand) == known) {
        operands.plan.operands.back().constant = int(operands.plan.constants.size());
        operands.plan.constants.push_back(o.values);
    }
    return times(program, v, operand);
}

int quantized(Program& program, int v, int id, const Problem& problem, Operands& operands) {
    if (const int s = load_quant(program, QuantKind::scales, id, problem, operands); s >= 0)
        v = program.binary(OpCode::div, v, s);
    if (const int z = load_quant(program, QuantKind::zero_points, id, problem, operands); z >= 0)
        v = program.binary(OpCode::add, v, z);
    return v;
}

void finish(Program& program, int v, int dst_operand, const Problem& problem, Operands& operands) {
    const Attr& a = problem.attr;
    const int id = operands.plan.operands[size_t(dst_operand)].arg;
    const MemoryDesc& dst = problem.md(id);
    v = output_scaled(program, v, problem, operands);
    int kept = -1;
    if (a.dropout) v = drop_out(program, v, kept, dst, problem, operands);
    for (size_t i = 0; i < a.post_ops.entries.size(); ++i)
        v = post_op(program, v, i, dst_operand, dst, problem, operands);
    v = quantized(program, v, id, problem, operands);
    v = round_stochastically(program, v, id, dst.dims_span(), problem, operands);
    store_mask(program, kept, problem, operands); // after all loads
    program.store(dst_operand, v);
}

void store_sum_exactly(Program& program, DataType dst) {
    Op& store = program.ops.back();
    const Op& value = program.ops[size_t(store.a)];
    if (value.code != OpCode::cvt || !is_integer(dst) || program.ops[size_t(value.a)].type != ValueType::s32) return;
    store.a = value.a, store.type = ValueType::s32;
}

void add_output_padding(int dst_operand, const Problem& problem, Operands& operands) {
    for (size_t o = 0; o < operands.plan.operands.size(); ++o) {
        const int id = operands.plan.operands[o].arg;
        if (int(o) == dst_operand || id == arg::dropout_mask) add_padding(problem.md(id), int(o), operands.plan);
    }
}

bool rounds_stochastically(const Attr& attr, int id) {
    const auto at = attr.rounding.find(id);
    return at != attr.rounding.end() && at->second == RoundingMode::stochastic;
}

} // namespace tessera::ops
