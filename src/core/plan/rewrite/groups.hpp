// SPDX-License-Identifier: Apache-2.0
// groups: steps that share outer loops, seen as steps of their own, and points of a group made larger.
#pragma once

#include "core/plan/plan.hpp"

namespace tessera {

// The plan without groups: their steps one after the other, each over all of the points. What has no use for groups,
// like the portable engine, runs this. Repeats stay as they are.
Plan ungrouped(const Plan& plan);
// The steps of one group, each over all of its points.
std::vector<Step> ungrouped(const Plan& plan, const Step& group);

// `count` passes of a group's innermost loop belong to one point, as a loop of each of its steps: fewer and larger
// points. A few passes less, if so many divide the extent; else there are two steps, the second has the rest. Where
// they are all of the loop, passes of the next one too. No loops, or an indexed one: the step as it is.
std::vector<Step> widened(const Plan& plan, const Step& group, int64_t count);

} // namespace tessera
