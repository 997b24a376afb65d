// SPDX-License-Identifier: Apache-2.0
// LerpPattern: an interpolation as two passes see it. The first one computes the step's values, one row for each pair
// of neighbours ("member"); the second one runs the step's program over them.
#pragma once

#include <vector>

#include "core/plan/plan.hpp"

namespace tessera::cpu {

struct LerpPattern {
    using Member = Interpolation::Neighbours;
    std::vector<Member> members;
    int weight = -1; // operand of the right weights, a constant of the plan; -1: these
    float left_same = 0, right_same = 0;
    // The step's program with values as loads of f32 from the member's operand `left`. 1 - weight of other dimensions
    // is computed once, and comes from the operand `complement`, which is the `right` of a member.
    Program rest;
    struct Complement {
        int operand, weight;
    };
    std::vector<Complement> complements;
};

LerpPattern lerp_pattern(const Plan& plan, const Step& step);

} // namespace tessera::cpu
