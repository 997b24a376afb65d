// LerpPattern: what a step of linear resampling has in common with its neighbours. The program interpolates along one
// dimension once for every corner of the others ("member"), each time with the same weights, then between the members:
//
//   fma(w, load src_w, (1 - w) * load src), fma(w, load src_hw, (1 - w) * load src_h)   then   fma(h, ..), store
//
// A member is a row that other rows of dst read again, so it is worth keeping (run.cpp).
#pragma once

#include <optional>
#include <vector>

#include "core/plan/plan.hpp"

namespace tessera::cpu {

struct LerpPattern {
    struct Member {
        int left, right; // operands
    };
    std::vector<Member> members;
    int weight = -1; // operand of the right weights, a constant of the plan; -1: these
    float left_same = 0, right_same = 0;
    // The program with members as loads of f32 from their operand `left`. 1 - weight of other dimensions comes from the
    // operand `complement`, which is the `right` of a member.
    Program rest;
    struct Complement {
        int operand, weight;
    };
    std::vector<Complement> complements;
};

std::optional<LerpPattern> lerp_pattern(const Plan& plan, const Program& program);

} // namespace tessera::cpu
