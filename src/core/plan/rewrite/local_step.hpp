// LocalStep: a step with the operands that it touches and no others, numbered in a fixed order:
//
//   0   the loaded operand that lies otherwise than what is stored, or what is loaded first
//   1   what is stored last
//   2.. the others, in the plan's order
//
// So what a step costs does not depend on how many operands the plan has, and the 300 steps of a concat share one
// kernel. Where the step is a map, the load of operand 0 is its program's first operation. A fill, and a program that
// loads nothing but what it stores, have operand 0 alone.
#pragma once

#include <vector>

#include "core/plan/plan.hpp"

namespace tessera {

struct LocalStep {
    Plan plan;                 // of one step; bases, types and constants as in the whole plan
    std::vector<int> operands; // their numbers in the whole plan
};

LocalStep local_step(const Plan& plan, const Step& step);

} // namespace tessera
