// SPDX-License-Identifier: Apache-2.0
// Steps of a group's point that go over the same rows, one behind the other, seen as a group of their own, which the
// rows tile may run in one kernel.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/plan/rewrite/local_scratch.hpp"
#include "core/plan/rewrite/local_step.hpp"

namespace tessera::cpu {

struct SharedRows {
    size_t end;                       // number of the first step that is none of these
    LocalStep group;                  // alone in its plan
    std::vector<LocalScratch> values; // of its operands: one number a row, which other steps do not read
};

// Steps of the plan from number `first` on, as many as share rows; none: fewer than two, or no reduction among them.
// `of_point`: operands that are memory of the point. `uses`: by operand, how many steps of the plan use it.
std::optional<SharedRows> shared_rows(const Plan& plan, size_t first, std::span<const int> of_point,
                                      std::span<const int> uses);

} // namespace tessera::cpu
