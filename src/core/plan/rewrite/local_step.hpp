// SPDX-License-Identifier: Apache-2.0
// LocalStep: a step with only the operands that it touches, numbered in a fixed order:
//
//   0   the loaded operand whose layout differs from that of the stored one, or the first one loaded
//   1   the operand stored last
//   2.. the others, in the plan's order
//
// So the cost of a step does not depend on the number of operands of the plan, and the 300 steps of a concat share one
// kernel. The program of a map begins with the load of operand 0. A fill, and a program that loads only what it stores,
// have operand 0 alone.
#pragma once

#include <vector>

#include "core/plan/plan.hpp"

namespace tessera {

struct LocalStep {
    Plan plan;                 // of one step; bases, types and constants as in the whole plan
    std::vector<int> operands; // number in the whole plan of each operand
};

LocalStep local_step(const Plan& plan, const Step& step);

} // namespace tessera
