// SPDX-License-Identifier: Apache-2.0
// pooling: the maximum or the mean of windows (POO-01..15).
//
//   window of output o: inputs o * stride + k * (dilation + 1) - padding_l, k = 0 .. kernel - 1, of each spatial
//                       dimension, those that lie inside of src
//   max                 the largest, beginning with the lowest finite value of dst's type; NaN are passed over
//   avg_include_padding (sum of those inside) / (extents of the kernel multiplied)
//   avg_exclude_padding (sum of those inside) / (how many lie inside)
//
//   {1 2; 3 4}, kernel 2x2, stride 1x1, padding 1x1, corner 1:   max 1   include 1/4   exclude 1
//
// Training by maximum writes which tap it was: the number of the first one above where it begins, counted row by row
// in the kernel, 0 if none is. The gradient of a maximum goes to that tap; of a mean each tap inside gets the gradient
// of dst divided as the sum was. A tap that a workspace names beyond the kernel or outside of src gets nothing.
//
// Maxima are compared as s32 if src and dst are both integers, else as f32. Sums of s8 and u8 are s32 (of up to 2^23,
// which cannot overflow), others f32, in the order of core/program/reduction.hpp; the quotient is rounded to f32.
//
// Rules in desc.cpp, oracle in ref.cpp, plans in lower.cpp, lower_backward.cpp and, of windows that overlap,
// lower_passes.cpp; windows and their borders in ops/windows.
#pragma once

#include "core/program/lib/eltwise.hpp"
#include "ops/epilogue.hpp"
#include "ops/ops.hpp"
#include "ops/windows/ranges.hpp"

namespace tessera::ops {

// The lists of the calls, an entry for each spatial dimension; dilation 0 is a dense kernel.
struct PoolingWindows {
    Dims strides{}, kernel{}, dilation{}, padding_l{}, padding_r{};
};

// ---- desc.cpp: checks everything, answers a complete problem. dst may be `any`.
Result<Problem> make_pooling_forward(PropKind prop, int alg, const MemoryDesc& src, const MemoryDesc& dst,
                                     const PoolingWindows& windows, const Attr& attr);
// diff_src, or diff_dst, may be `any`. `hint`: the problem of the forward computation, which tells the layout of the
// workspace; null where there is none.
Result<Problem> make_pooling_backward(int alg, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                      const PoolingWindows& windows, const Problem* hint, const Attr& attr);

// What a problem pools, as its two ends and the tools' bounds need it.
struct Pooling {
    explicit Pooling(const Problem& problem);
    bool backward() const { return prop == PropKind::backward_data; }
    bool is_max() const { return alg == alg::pooling_max; }
    bool excludes() const { return alg == alg::pooling_avg_exclude_padding; }
    // Of maxima, and of sums: s32 or f32.
    ValueType value_type() const;
    // How many a sum is divided by, at the outputs `at` of the spatial dimensions.
    double divisor(std::span<const int64_t> at) const;

    PropKind prop;
    int alg;
    const MemoryDesc &src, &dst; // backward: diff_src and diff_dst
    const MemoryDesc* workspace; // null: none
    std::vector<Window> windows; // by spatial dimension
    double volume = 1;           // taps of the whole kernel
};

Result<Plan> lower_pooling(const Problem& problem);
Result<Plan> lower_pooling_backward(const Problem& problem);
std::optional<Plan> lower_in_passes(const Problem& problem); // none where that does not pay
// Appends attributes and the store to operand `dst`.
void finish_pooling(Program& program, const Pooling& p, int value, int dst, const Problem& problem, Operands& operands);
void ref_pooling(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
