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

Result<Plan> lower_prelu(const Problem& problem, const Machine& machine);
void ref_prelu(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
