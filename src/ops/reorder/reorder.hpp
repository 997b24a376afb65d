// reorder: copies a tensor into another layout and data type, with scales, zero points and sum on the way.
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// The sum post-op, null without one or with a factor of 0: then the old dst is not read, it may hold anything.
const PostOp* sum_of(const Problem& problem);

Result<Plan> lower_reorder(const Problem& problem, const Machine& machine);
void ref_reorder(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
