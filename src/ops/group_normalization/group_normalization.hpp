// SPDX-License-Identifier: Apache-2.0
// group normalization: each group of an image's channels over its pixels (GNO-01..06).
//
//   dst = scale (src - mean) / sqrt(variance + epsilon) + shift
//
// Then the factor of src, post-ops, and the factor of dst. What the normalizations share, the plan included, is in
// ops/normalization.
#pragma once

#include "ops/normalization/normalization.hpp"

namespace tessera::ops {

Result<Problem> make_group_normalization_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& dst,
                                                 int64_t groups, float epsilon, unsigned flags, const Attr& attr);
Result<Problem> make_group_normalization_backward(PropKind prop, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                                  const MemoryDesc& src, int64_t groups, float epsilon, unsigned flags,
                                                  const Attr& attr);

Result<Plan> lower_group_normalization(const Problem& problem);
void ref_group_normalization(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
