// SPDX-License-Identifier: Apache-2.0
// Dropout and stochastic rounding as operations of a program. Both identify an element by its number in logical order,
// which an iota operand gives along the loops of every layout.
#include "core/layout/quant.hpp"
#include "core/program/lib/random.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

namespace {

// One element of an argument, as `type`; `bytes`: where in its buffer.
Expression scalar(Program& program, std::string name, DataType type, int arg, int64_t bytes,
                  std::span<const int64_t> dims, Operands& operands) {
    const int operand = operands.add(std::move(name), type, arg, layout_of_mask(0, dims));
    operands.plan.operands[size_t(operand)].bytes = bytes;
    return {&program, program.load(operand, type == DataType::f32 ? ValueType::f32 : ValueType::s32)};
}

// An iota over the elements of `md` along the dims of the plan, to which extents of 1 are broadcast.
Expression element_number(Program& program, const MemoryDesc& md, std::span<const int64_t> dims, Operands& operands) {
    Layout layout = layout_of_mask(-1, md.dims_span());
    for (size_t d = 0; d < dims.size(); ++d)
        if (md.dims[d] != dims[d]) layout.dims[d] = {{dims[d], 0}};
    const int operand = operands.add("number of an element", DataType::u8, 0, std::move(layout));
    operands.plan.operands[size_t(operand)].counted = true;
    return {&program, program.index(operand)};
}

} // namespace

int drop_out(Program& program, int v, int& kept, const MemoryDesc& dst, const Problem& problem, Operands& operands) {
    const auto dims = dst.dims_span();
    const auto load = [&](const char* name, DataType type, int arg, int64_t bytes = 0) {
        return scalar(program, name, type, arg, bytes, dims, operands);
    };
    const Dropout& d = *problem.attr.dropout;
    const Expression index = element_number(program, dst, dims, operands);
    const Expression seed = load("dropout seed", DataType::s32, arg::dropout_seed);
    DropoutStream stream{seed, seed, {}};
    if (d.use_offset) { // else only the low half of the seed counts
        stream.seed_high = d.seed_type == DataType::s64
                               ? load("high half of the dropout seed", DataType::s32, arg::dropout_seed, 4)
                               : less(seed, 0); // all bits of a negative seed
        const Expression low = load("dropout offset", DataType::s32, arg::dropout_offset);
        const Expression high = load("high half of the dropout offset", DataType::s32, arg::dropout_offset, 4);
        stream.offset = DropoutStream::Offset{low, high};
    }
    const Expression bits = dropout_bits(index, stream);
    const Expression probability = load("dropout probability", DataType::f32, arg::dropout_probability);
    const Expression is_kept_here = is_kept(bits, probability);
    kept = is_kept_here.value;
    const Expression factor = 1. / (1. - probability), x{&program, v}, scaled = x * factor;
    return select(is_kept_here, scaled, x.number(0)).value;
}

void store_mask(Program& program, int kept, const Problem& problem, Operands& operands) {
    const Tensor* mask = problem.find(arg::dropout_mask);
    if (kept < 0 || !mask) return;
    const int operand = operands.add(arg_name(mask->arg), mask->md.type, mask->arg, layout_of(mask->md));
    const Expression all_bits{&program, kept};
    program.store(operand, all_bits.binary(OpCode::bit_and, all_bits.number(1)).value);
}

int round_stochastically(Program& program, int v, int id, std::span<const int64_t> dims, const Problem& problem,
                         Operands& operands) {
    const MemoryDesc& md = problem.md(id);
    if (!rounds_stochastically(problem.attr, id) || md.type == DataType::f32) return v;
    const Expression seed =
        scalar(program, arg_name(arg::rounding_seed), DataType::s32, arg::rounding_seed, 0, dims, operands);
    const Expression bits = rounding_bits(element_number(program, md, dims, operands), seed);
    return rounded_stochastically({&program, v}, bits, md.type).value;
}

} // namespace tessera::ops
