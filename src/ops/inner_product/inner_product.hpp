// SPDX-License-Identifier: Apache-2.0
// inner product: dot products of all rows of src with all rows of weights, over channels and pixels, and the gradients
// (INP-01..08).
//
//   forward           dst[n,o] = bias[o] + sum of src[n,i,...] * weights[o,i,...] over i and pixels
//   backward data     diff_src[n,i,...] = sum of diff_dst[n,o] * weights[o,i,...] over o
//   backward weights  diff_weights[o,i,...] = sum of diff_dst[n,o] * src[n,i,...] over n;  diff_bias[o] = sum of
//   diff_dst
//
// Integers are summed in s32, all others in f32. Forward continues in f32: sum * s_src * s_weights + bias, post-ops,
// / s_dst. Rules in desc.cpp, layouts left open in layouts.cpp, oracle in ref.cpp, plans in lower.cpp.
#pragma once

#include "ops/ops.hpp"
#include "ops/sides.hpp"

namespace tessera::ops {

// ---- desc.cpp: check everything, answer a complete problem. An empty bias stands for none; every layout may be `any`.
Result<Problem> make_inner_product_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& weights,
                                           const MemoryDesc& bias, const MemoryDesc& dst, const Attr& attr);
Result<Problem> make_inner_product_backward_data(const MemoryDesc& diff_src, const MemoryDesc& weights,
                                                 const MemoryDesc& diff_dst, const Attr& attr);
Result<Problem> make_inner_product_backward_weights(const MemoryDesc& src, const MemoryDesc& diff_weights,
                                                    const MemoryDesc& diff_bias, const MemoryDesc& diff_dst,
                                                    const Attr& attr);

std::string shape_of_inner_product(const Problem& p); // "mb2ic16ih5iw7oc8", of gradients, too

// Chooses the layouts that the caller left open for src, weights and dst or their gradients.
Result<void> choose_inner_product_layouts(Sides& sides);

// ---- ref.cpp: the sums of the reference, and of its error bounds
class InnerProducts {
public:
    InnerProducts(const Problem& problem, const Buffers& buffers);
    struct Sum {
        double value = 0, magnitude = 0; // sum of the terms; sum of their absolute values
        int64_t terms = 0;
    };
    Sum at(int output, std::span<const int64_t> at) const; // of dst, diff_src, diff_weights or diff_bias

private:
    struct Matrix { // a row for each index of the first dimension
        int64_t rows = 0, columns = 0;
        std::vector<double> values;
        double get(int64_t i, int64_t k) const { return values[size_t(i * columns + k)]; }
    };
    static Matrix matrix_of(int id, const Problem& problem, const Buffers& buffers);
    SideArgs args_;
    std::vector<int64_t> inner_; // extents of channels and pixels
    Matrix src_, weights_, dst_; // only the inputs are filled
};

Result<Plan> lower_inner_product(const Problem& problem);
void ref_inner_product(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
