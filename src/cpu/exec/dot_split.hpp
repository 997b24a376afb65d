// split_dot: a sum of products in steps that the dot tile takes, for operands that it does not: factors whose layouts
// have no strides (blocks, padding between flattened dims) are first copied to where they have, and an epilogue that
// does not follow the rows of the product runs behind it, on sums in memory.
//
//   src aB16b x weights -> dst ba, a bias:   copy src; dot: sums = src * weights; map: dst = sums + bias
#pragma once

#include <optional>

#include "core/plan/plan.hpp"

namespace tessera::cpu {

struct DotParts {
    bool left = false, right = false, epilogue = false; // what becomes a step of its own
};

// `plan` is of the step alone. The result's operands are its operands, then those in memory of the execution, whose
// bytes are Plan::scratch in the same order. None where a part cannot be taken out.
std::optional<Plan> split_dot(const Plan& plan, const Step& step, DotParts parts);

} // namespace tessera::cpu
