// SPDX-License-Identifier: Apache-2.0
// batch normalization: each channel over images and pixels (BNO-01..15).
//
//   dst = scale (src - mean) / sqrt(variance + epsilon) + shift, and with fuse_norm_relu what is above 0 of it
//
// In training a fused relu writes a byte for each element to the workspace: 0 where dst is 0 because of it, else 1.
//
// What the normalizations share, the plan included, is in ops/normalization.
#pragma once

#include "ops/normalization/normalization.hpp"

namespace tessera::ops {

Result<Problem> make_batch_normalization_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& dst,
                                                 float epsilon, unsigned flags, const Attr& attr);
// `forward`: the problem of the forward computation; null: not known, which is enough without a fused relu.
Result<Problem> make_batch_normalization_backward(PropKind prop, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                                  const MemoryDesc& src, float epsilon, unsigned flags,
                                                  const Problem* forward, const Attr& attr);

Result<Plan> lower_batch_normalization(const Problem& problem);
void ref_batch_normalization(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
