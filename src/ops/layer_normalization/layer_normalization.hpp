// SPDX-License-Identifier: Apache-2.0
// layer normalization: over the last dim, C, of every row; with rms_norm RMSNorm (LNO-01..14).
//
//   dst = scale (src - mean) / sqrt(variance + epsilon) + shift       mean and variance of a row, biased
//   dst = scale src / sqrt(mean of squares + epsilon) + shift         rms_norm: the variance is the mean of squares
//
// Then the factor of src, post-ops, and the factor of dst (LNO-01). The gradient of rms_norm is that of the formula
// above: without the mean of the gradients, which others subtract as well (LNO-04, decision 017).
//
// What the normalizations share is in ops/normalization; the plan in lower.cpp.
#pragma once

#include "ops/normalization/normalization.hpp"

namespace tessera::ops {

// `statistics`: the descriptor of mean and variance; zero or `any`: dense, in the order of src.
Result<Problem> make_layer_normalization_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& dst,
                                                 const MemoryDesc& statistics, DataType scale_type, float epsilon,
                                                 unsigned flags, const Attr& attr);
Result<Problem> make_layer_normalization_backward(PropKind prop, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                                  const MemoryDesc& src, const MemoryDesc& statistics,
                                                  DataType diff_scale_type, DataType scale_type, float epsilon,
                                                  unsigned flags, const Attr& attr);

Result<Plan> lower_layer_normalization(const Problem& problem);
void ref_layer_normalization(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
