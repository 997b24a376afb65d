// What lowerings need beside moves: zero fills of the padding of outputs, and the list of programs.
#pragma once

#include "core/desc/memory_desc.hpp"
#include "core/plan/moves.hpp"

namespace tessera::ops {

// Appends fill steps that zero the padding of `md` (elements of padded_dims outside of dims), each element once.
void add_padding(const MemoryDesc& md, int operand, Plan& plan);
// The same for all of `md`: the result of a sum over no terms.
void add_zeros(const MemoryDesc& md, int operand, Plan& plan);

// The number of a program of the plan, which is added if there is no equal one.
int add_program(const Program& program, Plan& plan);
// What a program reads and writes, each once.
std::vector<int> operands_of(const Program& program);

} // namespace tessera::ops
