// SPDX-License-Identifier: Apache-2.0
// local_scratch: scratch memory that only one group uses belongs to a point of it: what a point stores there, no other
// point reads. So it needs no room for all points, and each thread has its own.
//
//   softmax over c of nchw: 3136 x 64 exponentials of a point's 64 columns
//   group         loops(64:64 ..)                      group         loops(64:0 ..)
//     map         loops(64:1 . 1000:4096)        ->      map         loops(64:1 . 1000:64)
#pragma once

#include <vector>

#include "core/plan/plan.hpp"

namespace tessera {

struct LocalScratch {
    int operand;
    int64_t elements; // of a point
};

// Whether an operand is all of its scratch memory, which no other operand of the plan shares.
bool has_own_scratch(const Plan& plan, const Operand& operand);

// Rewrites the operands `candidates` (scratch of their own, whose Operand::bytes is 0, in no step but this group): they
// do not move along the group's loops, and their strides and starts inside are close. Operands with tables, or whose
// strides do not nest (each a multiple of the extent below), keep them. Law: each point reads what it stored.
std::vector<LocalScratch> make_local(Step& group, const std::vector<int>& candidates);

} // namespace tessera
