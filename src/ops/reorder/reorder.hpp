// reorder: copies a tensor to another layout and data type, and applies scales, zero points and a sum post-op.
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// ---- desc.cpp: checks everything, answers a complete problem
Result<Problem> make_reorder(const MemoryDesc& src, const MemoryDesc& dst, const Attr& attr);

// The sum post-op; null if there is none or its factor is 0, when the old dst must not be read (it may hold NaN).
const PostOp* sum_of(const Problem& problem);

Result<Plan> lower_reorder(const Problem& problem);
void ref_reorder(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
