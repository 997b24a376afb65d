// eltwise: one function of each element, and its derivative.
//
//   forward    dst = convert(post_ops(f(src)))                                       (ELT-01..21)
//   backward   diff_src = convert(diff_dst * f'(src)), f' from dst for *_use_dst_for_bwd
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp; the functions in core/program/lib/eltwise.hpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// The parameters of the problem as core/program/lib/eltwise.hpp takes them.
struct EltwiseView {
    int alg;
    float alpha, beta;
    bool backward;
    int data, to; // argument ids: the input of the function (src; dst for gradients of use_dst forms), the output
};
EltwiseView view_of_eltwise(const Problem& problem);

Result<Plan> lower_eltwise(const Problem& problem, const Machine& machine);
void ref_eltwise(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
