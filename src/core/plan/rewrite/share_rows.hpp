// SPDX-License-Identifier: Apache-2.0
// share_rows: steps one behind the other whose outermost loops are the same rows, as a group over these.
//
//   reduce  loops(128:1024,1 . sum 1024:1,0)            group  loops(128:1024,1)
//   map     loops(128:1024,1 . 1024:1,0)         ->       reduce  loops(sum 1024:1,0)
//                                                         map     loops(1024:1,0)
#pragma once

#include <optional>

#include "core/plan/plan.hpp"

namespace tessera {

// Steps first, .., last - 1 of the plan. None where outermost loops differ in extent, an operand moves along them by
// other strides in one step than in another, or there is a table or a reduce loop. Law: the group does what they do.
std::optional<Step> share_rows(const Plan& plan, size_t first, size_t last);

} // namespace tessera
