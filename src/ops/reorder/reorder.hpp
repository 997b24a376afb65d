// SPDX-License-Identifier: Apache-2.0
// reorder: copies a tensor to another layout and data type, and applies scales, zero points and a sum post-op.
//
// Rules in desc.cpp, oracle in ref.cpp, plan in lower.cpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// ---- desc.cpp: checks everything, answers a complete problem
Result<Problem> make_reorder(const MemoryDesc& src, const MemoryDesc& dst, const Attr& attr);

// The sum post-op; null if there is none or its factor is 0, when the old dst must not be read (it may hold NaN).
const PostOp* sum_of(const Problem& problem);

// What RNN quantization parameters make of x: x * scale + shift. Weights (five dims, or their compensation says so)
// have scales of their own and no shift.
struct RnnFactors {
    bool weights = false;
    float shift = 0;
    int mask = 0; // of the scales
    std::vector<float> scales;
};
RnnFactors rnn_factors(const RnnQparams& qparams, const MemoryDesc& dst);

Result<Plan> lower_reorder(const Problem& problem);
void ref_reorder(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
