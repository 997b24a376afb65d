// SPDX-License-Identifier: Apache-2.0
// turns: a repeat seen as steps that run one after the other, and one turn of it as a plan of its own.
#pragma once

#include "core/plan/plan.hpp"

namespace tessera {

// The plan without repeats: the steps of every turn, which is what a repeat means. Interpreters run this.
Plan unrolled(const Plan& plan);

// A plan of the steps of the first turn, of a repeat alone in its plan (local_step.hpp). Temporary memory is an
// argument there: it outlives the turn.
Plan turn_of(const Plan& plan, const Step& repeat);

// Where the operands of a turn are, in elements from those of the step without its loops: base + the loops' offsets.
// Turn number `turn` counts in row-major order of the loops.
int64_t start_of_turn(const Nest& nest, size_t operand, int64_t turn);

} // namespace tessera
