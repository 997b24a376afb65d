// eltwise: one function of each element, and its derivative.
//
//   forward    dst = convert(post_ops(f(src)))                                       (ELT-01..21)
//   backward   diff_src = convert(diff_dst * f'(src)), f' from dst for *_use_dst_for_bwd
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp; the functions in core/program/lib/eltwise.hpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// The problem in the words of core/program/lib/eltwise.hpp.
struct EltwiseView {
    int alg;
    float alpha, beta;
    bool backward;
    int data, to; // argument ids: what the function reads (src; dst in backward of use_dst forms), what is written
};
EltwiseView view_of_eltwise(const Problem& problem);

Result<Plan> lower_eltwise(const Problem& problem, const Machine& machine);
void ref_eltwise(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
