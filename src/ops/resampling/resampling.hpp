// resampling: src seen at other spatial extents, and the transpose of that map (RES-01..12).
//
//   x(o) = (o + 1/2) * I / O - 1/2                     for every spatial dimension, I of src, O of dst
//   nearest   dst[o] = src[x rounded, halves away from zero]
//   linear    dst[o] = (1 - w) * src[left] + w * src[right],   left = floor(x), right = ceil(x), w = x - left
//   backward  diff_src[i] = sum of weight(o, i) * diff_dst[o] over the o that read i
//
// Coordinates are fractions of integers, so indices are exact; weights are f32, w rounded once. Linear computes
// fma(w, src[right], (1 - w) * src[left]) along the last dimension, then along those before it. Where one element is
// both neighbours (a coordinate that is an integer or lies outside), w is 1/2: the result is that element, an infinity
// too. Dimensions in which that holds everywhere take no part. Backward multiplies the weights in the order of the
// dimensions, then diff_dst, and sums over o, the last dimension fastest, in the order of core/program/reduction.hpp.
//
// Rules in desc.cpp, oracle in ref.cpp, plans in lower.cpp and lower_backward.cpp.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

inline constexpr int resampling_nearest = 0x2fff0, resampling_linear = 0x2fff1; // dnnl_alg_kind_t

// What the outputs of one spatial dimension read.
struct Taps {
    int64_t inputs = 0, outputs = 0;
    std::vector<int64_t> left, right; // by output; neither ever decreases
    std::vector<float> weight;        // of right
    bool single = true;               // left == right everywhere
    // What output `o` gives to each of its neighbours; to the only one, everything.
    float left_weight(size_t o) const { return left[o] == right[o] ? 1.f : 1.f - weight[o]; }
};
Taps taps_of(int alg, int64_t inputs, int64_t outputs);

int alg_of_resampling(const Problem& problem);
// Of the spatial dimensions, in order.
std::vector<Taps> taps_of(const Problem& problem);

Result<Plan> lower_resampling(const Problem& problem, const Machine& machine);
Result<Plan> lower_resampling_backward(const Problem& problem);
void ref_resampling(const Problem& problem, const Buffers& buffers);

// A loop over a spatial dimension, operand by operand: by a stride where the offsets have one, else by a table.
class SpatialLoop {
public:
    explicit SpatialLoop(int64_t extent) { loop.extent = extent; }
    void set(size_t operand, std::vector<int64_t> offsets); // one for each index
    Loop loop;
    PerOperand<int64_t> base; // offset of index 0 where there is a stride
};

} // namespace tessera::ops
