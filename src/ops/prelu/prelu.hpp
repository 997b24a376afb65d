// SPDX-License-Identifier: Apache-2.0
// prelu: relu with a tensor of slopes below zero; weights are broadcast along dimensions of extent 1.
//
//   forward       dst = src > 0 ? src : src * weights                                              (PRE-01)
//   diff_src      = src > 0 ? diff_dst : diff_dst * weights                                        (PRE-02)
//   diff_weights  = sum of min(src, 0) * diff_dst over what shares a weight, accumulated in f32     (PRE-02)
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// ---- desc.cpp: check everything, answer a complete problem. Everything but src may be `any`.
Result<Problem> make_prelu_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& weights,
                                   const MemoryDesc& dst, const Attr& attr);
Result<Problem> make_prelu_backward(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& diff_src,
                                    const MemoryDesc& diff_weights, const MemoryDesc& diff_dst, const Attr& attr);

Result<Plan> lower_prelu(const Problem& problem);
void ref_prelu(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
