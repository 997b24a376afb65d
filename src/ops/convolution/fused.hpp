// SPDX-License-Identifier: Apache-2.0
// A 1x1 convolution with a depthwise convolution of its result as a post-op (CNV-65): two problems in one.
//
//   asked        src * weights + bias -> 16x20x9x9   post-ops: relu, depthwise 3x3 stride 2, binary add
//   pointwise    src * weights + bias -> between     post-ops: relu       between: 16x20x9x9
//   depthwise    between * its weights + bias -> dst post-ops: binary add     dst: 16x20x5x5
//
// The caller describes `between` as dst; queries answer with the dst of both. Arguments of the depthwise convolution
// are numbered attr_post_op_dw | weights and so on. A scale of dst is that of `between`, which both convolutions know.
#pragma once

#include "ops/convolution/convolution.hpp"

namespace tessera::ops {

bool has_depthwise(const Attr& attr);

// The two problems of one, and what the oracle of the second reads: its arguments in their places, `between` as its
// src.
struct FusedParts {
    Problem pointwise, depthwise;
};
FusedParts parts_of_fused(const Problem& problem);
Buffers buffers_of_depthwise(const Problem& whole, const Problem& depthwise, const Buffers& buffers, void* between);

Result<Problem> make_fused_convolution(Sides pointwise, int alg, const ConvolutionWindows& windows, const Attr& attr);
Result<Plan> lower_fused_convolution(const Problem& problem);
void ref_fused_convolution(const Problem& problem, const Buffers& buffers);
std::string shape_of_fused_convolution(const Problem& problem);
std::vector<VerboseToken> tokens_of_convolution(const Problem& problem); // dst as the caller describes it

} // namespace tessera::ops
