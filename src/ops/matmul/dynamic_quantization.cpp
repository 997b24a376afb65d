// SPDX-License-Identifier: Apache-2.0
// Dynamic quantization of dst (MAT-44): two steps after the sums, which are f32 in scratch memory.
//
//   scale of a group = 2^floor(log2 amax) / 2^floor(log2 highest), or amax / highest
//   dst = sum / scale
//
// The first step has one point per group; each element of the group is an operand of its own. Both share the loops over
// rows, so that the sums are read from memory once: bf16 4096x64x4096, one thread, 19.4 -> 17.8 ms.
#include <cmath>

#include "core/layout/quant.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

constexpr int32_t magnitude_bits = 0x7fffffff, exponent_bits = 0x7f800000;

// The larger of two magnitudes by their bits as integers: these order like the numbers, NaN above all.
int largest(Program& program, std::span<const int> values) {
    int most = -1;
    for (const int v : values) {
        const int bits = program.binary(OpCode::bit_and, program.unary(OpCode::as, v),
                                        program.constant(magnitude_bits, ValueType::s32));
        most = most < 0 ? bits : program.binary(OpCode::max, most, bits);
    }
    return most;
}

int scale_of(Program& program, int most, QuantizationMode mode, double highest) {
    if (mode == QuantizationMode::dynamic_mx) {
        const int exponent = program.binary(OpCode::bit_and, most, program.constant(exponent_bits, ValueType::s32));
        const double inverse = std::ldexp(1., -std::ilogb(highest));
        return program.binary(OpCode::mul, program.unary(OpCode::as, exponent),
                              program.constant(inverse, ValueType::f32));
    }
    const int amax = program.unary(OpCode::as, most);
    const int all_zero = program.binary(OpCode::eq, amax, program.constant(0, ValueType::f32));
    const int ratio = program.binary(OpCode::div, amax, program.constant(highest, ValueType::f32));
    return program.ternary(OpCode::select, all_zero, program.constant(1, ValueType::f32), ratio);
}

} // namespace

int add_sums(const MemoryDesc& dst, Plan& plan) {
    plan.scratch.push_back(bytes_of(DataType::f32, dst.nelems()));
    plan.operands.push_back({"sums", DataType::f32});
    plan.operands.back().scratch = 0;
    return int(plan.operands.size()) - 1;
}

void add_dynamic_quantization(const Problem& p, int sums, int dst_operand, Plan& plan) {
    const Quant& q = *dynamic_scales(p.attr);
    const MemoryDesc& dst = p.md(arg::dst);
    const auto dims = dst.dims_span();
    const int64_t group = q.groups[1];
    std::vector<int64_t> groups(dims.begin(), dims.end());
    groups.back() /= group;
    const int scales = int(plan.operands.size());
    plan.operands.push_back({"scales of dst", q.type, arg::scales | arg::dst});

    Program scale;
    std::vector<int> used{scales}, values;
    std::vector<Layout> layouts{layout_of_mask(-1, groups)};
    const Layout all = layout_of_mask(-1, dims);
    Layout first_of_group = all;
    first_of_group.dims.back() = {{groups.back(), group}};
    for (int64_t i = 0; i < group; ++i) {
        used.push_back(int(plan.operands.size()));
        plan.operands.push_back(plan.operands[size_t(sums)]);
        plan.operands.back().bytes = bytes_of(DataType::f32, i);
        layouts.push_back(first_of_group);
        values.push_back(scale.load(used.back(), ValueType::f32));
    }
    scale.store(scales, scale_of(scale, largest(scale, values), q.mode, range(dst.type).highest));
    plan.programs.push_back(scale);
    const int scale_program = int(plan.programs.size()) - 1;

    Program divide;
    const int sum = divide.load(sums, ValueType::f32);
    divide.store(dst_operand, divide.binary(OpCode::div, sum, divide.load(scales, ValueType::f32)));
    plan.programs.push_back(divide);
    const std::vector<Layout> of_divide{all, layout_of(q, dst), layout_of(dst)};
    const Moves steps[] = {
        {.layouts = layouts, .dims = groups, .program = scale_program, .order_by = 0, .operands = used},
        {.layouts = of_divide,
         .dims = dims,
         .program = int(plan.programs.size()) - 1,
         .order_by = 2,
         .operands = {sums, scales, dst_operand}}};
    // A row of dst may end within a byte that the next one begins (f4).
    if (bits(dst.type) < 8)
        for (const Moves& step : steps) add_moves(step, plan);
    else
        add_group(steps, (1 << (dims.size() - 1)) - 1, plan);
}

} // namespace tessera::ops
