// SPDX-License-Identifier: Apache-2.0
// A copy of a tensor in temporary memory, in which windows find a stride along every dimension that they have and,
// where they reach beyond the tensor, a border of one value.
#pragma once

#include "ops/epilogue.hpp"
#include "ops/windows/ranges.hpp"

namespace tessera::ops {

// Whether a dimension of `mask` has blocks, so that it has no stride.
bool has_blocks(const MemoryDesc& md, int mask);
inline int spatial_dims(const MemoryDesc& md) { return ((1 << md.ndims) - 1) & ~3; } // a mask

// Adds the memory, its operand `name` and the steps that fill its border. `borders`: of each dimension; those of `mask`
// have no blocks. The order of the dims and the other blocks are those of `md`, the tensor in it. `beyond`: so far
// behind its last element the memory goes on, unwritten; coordinates of each dimension, or none. Returns the operand.
Result<int> add_bordered(std::string name, const MemoryDesc& md, DataType type, double border,
                         std::span<const Border> borders, int mask, Operands& operands,
                         std::span<const int64_t> beyond = {});
// The same with the steps that fill it from the operand `from`, which is laid out as `md`.
Result<int> add_bordered_copy(int from, const MemoryDesc& md, DataType type, double border,
                              std::span<const Border> borders, int mask, Operands& operands,
                              std::span<const int64_t> beyond = {});

} // namespace tessera::ops
