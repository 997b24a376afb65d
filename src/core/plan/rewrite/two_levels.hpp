// SPDX-License-Identifier: Apache-2.0
// two_levels: a reduction over many points as two steps, so that one result is work for all threads and a sum costs
// fewer roundings: blocks of points into scratch memory, then their results.
//
//   reduce  loops(64:1 . sum 32:200704 . sum 3136:64)       nhwc over n, h and w
//   ->
//   reduce  loops(32:200704,64 . 64:1,1 . sum 3136:64,0)    block (n), channel
//   reduce  loops(64:1 . sum 32:64)
#pragma once

#include "core/plan/plan.hpp"

namespace tessera {

// Replaces the last `steps` steps of the plan where they reduce more than reduction_block points each; others stay.
// The combination is one of those that ops.def has, but no pair.
void in_two_levels(size_t steps, Plan& plan);

} // namespace tessera
