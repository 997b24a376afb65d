// reorder: copies a tensor into another layout and data type, with scales, zero points and sum on the way.
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

Result<Plan> lower_reorder(const Problem& problem, const Machine& machine);
void ref_reorder(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
