// SPDX-License-Identifier: Apache-2.0
// resampling: interpolates src at other spatial extents; backward is the transposed linear map (RES-01..12).
//
//   x(o) = (o + 1/2) * I / O - 1/2                     for every spatial dimension, I of src, O of dst
//   nearest   dst[o] = src[x rounded, halves away from zero]
//   linear    dst[o] = (1 - w) * src[left] + w * src[right],   left = floor(x), right = ceil(x), w = x - left
//   backward  diff_src[i] = sum of weight(o, i) * diff_dst[o] over the o that read i
//
// Coordinates are fractions of integers, so indices are exact; weights are f32, w rounded once. Linear computes
// fma(w, src[right], (1 - w) * src[left]) along the last dimension, then along those before it. Where left == right (an
// integer coordinate, or one outside) w is 1/2, so that the result is that element even if it is an infinity.
// Dimensions in which this holds everywhere are skipped. Backward multiplies the weights in the order of the
// dimensions, then diff_dst, and sums over o, the last dimension fastest, in the order of core/program/reduction.hpp.
//
// Rules in desc.cpp, oracle in ref.cpp, plans in lower.cpp and lower_backward.cpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

// ---- desc.cpp: checks everything, answers a complete problem. Forward src -> dst, where dst may be `any`, or an empty
// descriptor if there are factors (one a spatial dimension; else they are not looked at); backward_data: src =
// diff_src, dst = diff_dst, either may be `any`; `hint`: the problem of the forward resampling.
Result<Problem> make_resampling(PropKind prop, int alg, std::span<const float> factors, const MemoryDesc& src,
                                const MemoryDesc& dst, const Attr& attr, const Problem* hint = nullptr);

inline constexpr int resampling_nearest = 0x2fff0, resampling_linear = 0x2fff1; // dnnl_alg_kind_t

// The inputs (taps) that each output of one spatial dimension reads.
struct Taps {
    int64_t inputs = 0, outputs = 0;
    std::vector<int64_t> left, right; // by output; non-decreasing
    std::vector<float> weight;        // of right
    bool single = true;               // left == right everywhere
    // The weights of left and right for output `o`; a single tap has weight 1.
    float left_weight(size_t o) const { return left[o] == right[o] ? 1.f : 1.f - weight[o]; }
};
Taps taps_of(int alg, int64_t inputs, int64_t outputs);

int alg_of_resampling(const Problem& problem);
// Of the spatial dimensions, in order.
std::vector<Taps> taps_of(const Problem& problem);

Result<Plan> lower_resampling(const Problem& problem);
Result<Plan> lower_resampling_backward(const Problem& problem);
void ref_resampling(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
