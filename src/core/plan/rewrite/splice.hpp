// SPDX-License-Identifier: Apache-2.0
// splice: steps of one plan put into another, whose operands they are given.
#pragma once

#include <vector>

#include "core/plan/plan.hpp"

namespace tessera {

// The operands of `part` behind those that `operands` names in `to` become new ones of `to` (memory of the execution),
// and `operands` names them, too.
void add_scratch_of(const Plan& part, std::vector<int>& operands, Plan& to);

// Appends a step of `part` to `to`; operand o of `part` is operands[o] of `to`. `same_program`: it has the program of
// the last step of `to`, as the boxes of one move have; else it gets one of its own, even if they are equal.
void splice(const Plan& part, const Step& step, const std::vector<int>& operands, bool same_program, Plan& to);

} // namespace tessera
