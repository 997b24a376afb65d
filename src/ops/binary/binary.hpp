// SPDX-License-Identifier: Apache-2.0
// binary: an element-wise function of two tensors, each broadcast along dimensions in which its extent is 1.
//
//   dst = convert(post_ops(f(s0 * src, s1 * src_1)))      f: add, sub, ..., ne      (BIN-01, BIN-03)
//   dst = convert(post_ops(src_2 ? s0 * src : s1 * src_1))                           (BIN-05, select)
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp; the functions in core/program/binary.hpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// ---- desc.cpp: checks everything, answers a complete problem. An empty src2 stands for none (only select reads one);
// src1, src2 and dst may be `any`
Result<Problem> make_binary(int alg, const MemoryDesc& src0, const MemoryDesc& src1, const MemoryDesc& src2,
                            const MemoryDesc& dst, const Attr& attr);

int alg_of_binary(const Problem& problem);

Result<Plan> lower_binary(const Problem& problem);
void ref_binary(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
