// SPDX-License-Identifier: Apache-2.0
// What lowerings need beside moves: the list of programs.
#pragma once

#include "core/desc/memory_desc.hpp"
#include "core/plan/moves.hpp"

namespace tessera::ops {

// The number of a program of the plan, which is added if there is no equal one.
int add_program(const Program& program, Plan& plan);
// What a program reads and writes, each once.
std::vector<int> operands_of(const Program& program);

} // namespace tessera::ops
