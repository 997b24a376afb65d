// Zero fills that every lowering needs beside its moves: padding of outputs.
#pragma once

#include "core/desc/memory_desc.hpp"
#include "core/plan/moves.hpp"

namespace tessera::ops {

// Appends fill steps that zero the padding of `md` (elements of padded_dims outside of dims), each element once.
void add_padding(const MemoryDesc& md, int operand, Plan& plan);
// The same for all of `md`: the result of a sum over no terms.
void add_zeros(const MemoryDesc& md, int operand, Plan& plan);

} // namespace tessera::ops
