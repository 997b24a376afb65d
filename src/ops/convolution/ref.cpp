// SPDX-License-Identifier: Apache-2.0
// The reference of convolutions and deconvolutions: CNV-02..05, CNV-60, DCV-01, DCV-04 element by element; padding zero
// (FMT-06).
//
// Sums are kept in double: exact for integers, and accurate enough to judge any order of additions in f32.
#include <cmath>

#include "ops/convolution/fused.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

namespace {

std::vector<int64_t> dims_of(const MemoryDesc& md) { return {md.dims.begin(), md.dims.begin() + md.ndims}; }

// Number of an element in row-major order.
size_t number(std::span<const int64_t> at, std::span<const int64_t> dims) {
    int64_t n = 0;
    for (size_t d = 0; d < dims.size(); ++d) n = n * dims[d] + at[d];
    return size_t(n);
}

} // namespace

std::vector<double> ConvolutionSums::values_of(int id, const Problem& p, const Buffers& buffers) const {
    std::vector<double> values;
    const Tensor* t = p.find(id);
    if (!t || t->output) return values;
    for_each_coordinate(t->md.dims_span(), [&](auto at) { values.push_back(ref_unscaled(p, buffers, id, at)); });
    return values;
}

ConvolutionSums::ConvolutionSums(const Problem& p, const Buffers& buffers)
    : c_(p), input_dims_(dims_of(p.md(c_.inputs))), output_dims_(dims_of(p.md(c_.outputs))),
      weights_dims_(dims_of(*c_.weights)), inputs_(values_of(c_.inputs, p, buffers)),
      outputs_(values_of(c_.outputs, p, buffers)), weights_(values_of(c_.args.weights, p, buffers)) {}

template <typename F> void ConvolutionSums::each_term(int output, std::span<const int64_t> at, F&& visit) const {
    const int64_t ins = c_.input_channels(), outs = c_.output_channels();
    const bool of_weights = output == c_.args.weights;
    std::vector<int64_t> in = input_dims_, out = output_dims_, w = weights_dims_;
    // The sum runs over batch, channels and the pixels of outputs, or over the taps of the kernel where one of the two
    // tensors of pixels is written.
    std::vector<int64_t> free;
    if (of_weights) {
        free.push_back(out[0]);
        for (size_t k = 0; k < c_.spatial(); ++k) free.push_back(out[k + 2]);
        std::copy(at.begin(), at.end(), w.begin());
    } else {
        free.push_back(output == c_.inputs ? outs : ins);
        for (const Window& window : c_.windows) free.push_back(window.kernel);
        std::copy(at.begin(), at.end(), (output == c_.inputs ? in : out).begin());
    }
    const int64_t group = of_weights            ? (c_.first_tap == 3 ? w[0] : 0)
                          : output == c_.inputs ? at[1] / ins
                                                : at[1] / outs;
    if (c_.first_tap == 3) w[0] = group;
    for_each_coordinate(free, [&](auto term) {
        if (of_weights) {
            in[0] = out[0] = term[0];
            in[1] = group * ins + w[c_.input_dim], out[1] = group * outs + w[c_.output_dim];
        } else if (output == c_.inputs) {
            out[0] = in[0], out[1] = group * outs + term[0];
            w[c_.input_dim] = in[1] % ins, w[c_.output_dim] = term[0];
        } else {
            in[0] = out[0], in[1] = group * ins + term[0];
            w[c_.output_dim] = out[1] % outs, w[c_.input_dim] = term[0];
        }
        for (size_t k = 0; k < c_.spatial(); ++k) {
            const Window& window = c_.windows[k];
            int64_t& tap = w[c_.first_tap + k];
            if (of_weights)
                out[k + 2] = term[k + 1];
            else
                tap = term[k + 1];
            if (output == c_.inputs) {
                const int64_t place = in[k + 2] + window.left - tap * window.step;
                out[k + 2] = place / window.stride;
                if (place < 0 || place % window.stride || out[k + 2] >= window.outputs) return;
            } else {
                in[k + 2] = out[k + 2] * window.stride + tap * window.step - window.left;
                if (in[k + 2] < 0 || in[k + 2] >= window.inputs) return;
            }
        }
        visit(number(in, input_dims_), number(out, output_dims_), number(w, weights_dims_));
    });
}

ConvolutionSums::Sum ConvolutionSums::at(int output, std::span<const int64_t> at) const {
    Sum sum;
    const auto add = [&](double term) {
        sum.value += term;
        sum.magnitude += std::abs(term);
        ++sum.terms;
    };
    if (output == c_.args.bias) { // of diff_dst
        const auto& values = c_.transposed ? inputs_ : outputs_;
        std::vector<int64_t> dims = c_.transposed ? input_dims_ : output_dims_;
        std::vector<int64_t> pixels = dims, from = dims;
        pixels.erase(pixels.begin() + 1);
        from[1] = at[0];
        for_each_coordinate(pixels, [&](auto pixel) {
            from[0] = pixel[0];
            std::copy(pixel.begin() + 1, pixel.end(), from.begin() + 2);
            add(values[number(from, dims)]);
        });
        return sum;
    }
    each_term(output, at, [&](size_t in, size_t out, size_t w) {
        if (output == c_.args.weights)
            add(inputs_[in] * outputs_[out]);
        else
            add(output == c_.inputs ? outputs_[out] * weights_[w] : inputs_[in] * weights_[w]);
    });
    return sum;
}

void ref_convolution(const Problem& p, const Buffers& buffers) {
    if (has_depthwise(p.attr)) return ref_fused_convolution(p, buffers);
    const Convolution c(p);
    const ConvolutionSums sums(p, buffers);
    for (const Tensor& t : p.tensors) {
        if (!t.output || t.md.has_zero_dim()) continue;
        zero_padding(t.md, buffers.at(t.arg));
        const Layout layout = layout_of(t.md);
        for_each_coordinate(t.md.dims_span(), [&](auto at) {
            const double exact = sums.at(t.arg, at).value;
            auto value = float(exact);
            if (t.arg != arg::dst)
                return write<float>(t.md.type, buffers.at(t.arg), layout.at(at),
                                    ref_round(p, buffers, value, t.arg, at));
            if (ref_store_sum(p, buffers, exact, at)) return;
            std::vector<int64_t> row(size_t(c.weights->ndims), 0);
            const int64_t channels = c.weights->dims[c.first_tap - 2];
            row[c.first_tap - 2] = at[1] % channels;
            if (c.first_tap == 3) row[0] = at[1] / channels;
            value = value * ref_scale(p, buffers, arg::src, row) * ref_scale(p, buffers, arg::weights, row);
            if (p.find(arg::bias)) value += ref_load(p, buffers, arg::bias, {&at[1], 1});
            ref_finish(p, buffers, value, arg::dst, at);
        });
    }
}

} // namespace tessera::ops
