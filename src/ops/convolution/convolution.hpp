// SPDX-License-Identifier: Apache-2.0
// convolution and deconvolution: sums over windows, and their gradients (CNV-01..69, DCV-01..08).
//
//   forward           dst[n, g, q, o] = bias[g, q] + sum of src[n, g, p, i] * weights[g, q, p, k] over p and k
//   backward data     diff_src[n, g, p, i] = sum of diff_dst[n, g, q, o] * weights[g, q, p, k] over q, k and o
//   backward weights  diff_weights[g, q, p, k] = sum of src[n, g, p, i] * diff_dst[n, g, q, o] over n and o
//                     diff_bias[g, q] = sum of diff_dst[n, g, q, o] over n and o
//   with              i = o * stride + k * (dilation + 1) - padding_l in each spatial dimension, inside of src
//
// Both primitives are the same three sums of two tensors of pixels: the one over which windows move (`inputs`; src of a
// convolution, dst of a deconvolution) and the one with an element for each window (`outputs`). A deconvolution
// computes forward what a convolution computes as the gradient of its data, and the other way round.
//
// Integers are summed in s32, all others in f32. Forward continues in f32: sum * s_src * s_weights + bias, post-ops,
// / s_dst + z_dst. Elements outside of src count as 0, with zero points, too.
//
// Rules in desc.cpp, layouts left open in formats.cpp, oracle in ref.cpp, plans in lower.cpp; windows in
// ops/windows.
#pragma once

#include "ops/sides.hpp"
#include "ops/windows/ranges.hpp"

namespace tessera::ops {

// The lists of the calls, an entry for each spatial dimension; dilation 0 is a dense kernel.
struct ConvolutionWindows {
    Dims strides{}, dilation{}, padding_l{}, padding_r{};
};

// ---- desc.cpp: checks everything, answers a complete problem. `sides` has the primitive, the direction and the
// descriptors; an empty bias stands for none, every layout may be `any`.
Result<Problem> make_convolution(Sides sides, int alg, const ConvolutionWindows& windows, const Attr& attr);

// ---- formats.cpp
Result<void> choose_convolution_layouts(Sides& sides);

// What a problem sums.
struct Convolution {
    explicit Convolution(const Problem& problem);
    // The spatial dimensions of `inputs` and `outputs`, in their order.
    size_t spatial() const { return windows.size(); }
    int64_t input_channels() const { return weights->dims[input_dim]; }
    int64_t output_channels() const { return weights->dims[output_dim]; }

    PropKind prop;
    SideArgs args;
    bool transposed;     // a deconvolution
    int inputs, outputs; // arguments
    const MemoryDesc* weights;
    int64_t groups = 1;
    size_t output_dim = 0, input_dim = 1, first_tap = 2; // dims of weights; one more with groups
    std::vector<Window> windows;
};

// ---- ref.cpp: the sums of the reference, and of its error bounds
class ConvolutionSums {
public:
    ConvolutionSums(const Problem& problem, const Buffers& buffers);
    struct Sum {
        double value = 0, magnitude = 0; // sum of the terms; sum of their absolute values
        int64_t terms = 0;
    };
    Sum at(int output, std::span<const int64_t> at) const; // of dst, diff_src, diff_weights or diff_bias

private:
    std::vector<double> values_of(int id, const Problem& problem, const Buffers& buffers) const;
    // Terms of the element `at` of the tensor `output`: visit(element of inputs, of outputs, of weights).
    template <typename F> void each_term(int output, std::span<const int64_t> at, F&& visit) const;

    Convolution c_;
    std::vector<int64_t> input_dims_, output_dims_, weights_dims_;
    std::vector<double> inputs_, outputs_, weights_; // only what is read is filled
};

Result<Plan> lower_convolution(const Problem& problem);
void ref_convolution(const Problem& problem, const Buffers& buffers);
std::string shape_of_convolution(const Problem& problem);

} // namespace tessera::ops
