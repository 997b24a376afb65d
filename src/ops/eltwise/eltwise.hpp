// SPDX-License-Identifier: Apache-2.0
// eltwise: one function of each element, and its derivative.
//
//   forward    dst = convert(post_ops(f(src)))                                       (ELT-01..21)
//   backward   diff_src = convert(diff_dst * f'(src)), f' from dst for *_use_dst_for_bwd
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp; the functions in core/program/lib/eltwise.hpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// ---- desc.cpp: check everything, answer a complete problem. dst may be `any` and takes src's layout then; of the
// gradients an open one takes the layout of the other, or of data, which is src, or dst for the *_use_dst_for_bwd
// algorithms.
Result<Problem> make_eltwise_forward(PropKind prop, int alg, const MemoryDesc& src, const MemoryDesc& dst, float alpha,
                                     float beta, const Attr& attr);
Result<Problem> make_eltwise_backward(int alg, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                      const MemoryDesc& data, float alpha, float beta, const Attr& attr);

// The parameters of the problem as core/program/lib/eltwise.hpp takes them.
struct EltwiseView {
    int alg;
    float alpha, beta;
    bool backward;
    int data, to; // argument ids: the input of the function (src; dst for gradients of use_dst forms), the output
};
EltwiseView view_of_eltwise(const Problem& problem);

Result<Plan> lower_eltwise(const Problem& problem);
void ref_eltwise(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
