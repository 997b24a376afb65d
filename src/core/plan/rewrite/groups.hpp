// groups: steps that share outer loops, seen as steps of their own, and points of a group made larger.
#pragma once

#include "core/plan/plan.hpp"

namespace tessera {

// The plan without groups: their steps one after the other, each over all of the points. What has no use for groups,
// like the portable engine, runs this.
Plan ungrouped(const Plan& plan);

// `count` passes of a group's innermost loop belong to one point, as the outermost loop of each of its steps: fewer and
// larger points. Two steps where the loop's extent is no multiple of `count`: the second has the rest. No loops, or an
// indexed one: the step as it is.
std::vector<Step> widened(const Plan& plan, const Step& group, int64_t count);

} // namespace tessera
