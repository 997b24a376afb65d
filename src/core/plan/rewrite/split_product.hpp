// split_dot: a sum of products in steps that the dot tile takes, for operands that it does not: factors whose layouts
// have no strides (blocks, padding between flattened dims) are first copied to where they have, and an epilogue that
// does not follow the rows of the product runs behind it, on sums in memory.
//
//   src aB16b x weights -> dst ba, a bias:   copy src; dot: sums = src * weights; map: dst = sums + bias
//
// split_depth: a long sum of few results, which one block of them and so one thread would compute, in parts of k that
// are added up in a fixed order, whatever number of threads there is.
//
//   32x65536 x 65536x32:   eight times dot: sums[i] = src * weights; map: dst = ((sums[0] + sums[1]) + ...
#pragma once

#include <optional>

#include "core/plan/plan.hpp"

namespace tessera {

struct DotParts {
    bool left = false, right = false, epilogue = false; // what becomes a step of its own
};

// `plan` is of the step alone. The result's operands are its operands, then those in memory of the execution, whose
// bytes are Plan::scratch in the same order. None where a part cannot be taken out.
std::optional<Plan> split_dot(const Plan& plan, const Step& step, DotParts parts);

// None where there is too little to win, or where k cannot be cut.
std::optional<Plan> split_depth(const Plan& plan, const Step& step);

// A sum of one product as the map that it is; none of longer sums.
std::optional<Plan> without_sum(const Plan& plan, const Step& step);

} // namespace tessera
