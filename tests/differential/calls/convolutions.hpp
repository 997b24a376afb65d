// SPDX-License-Identifier: Apache-2.0
// What the calls of convolutions and deconvolutions share.
#pragma once
#include <algorithm>

#include "row.hpp"

namespace differential {

// Tensors in the order of the calls.
inline void operands_of_convolution(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    const bool with_bias = !p.sources.empty();
    if (p.direction == "BWD_D") {
        inputs.push_back({DNNL_ARG_DIFF_DST, p.dst, {}});
        inputs.push_back({DNNL_ARG_WEIGHTS, p.other, {}});
        outputs.push_back({DNNL_ARG_DIFF_SRC, p.src, {}});
    } else if (p.direction == "BWD_W") {
        inputs.push_back({DNNL_ARG_SRC, p.src, {}});
        inputs.push_back({DNNL_ARG_DIFF_DST, p.dst, {}});
        outputs.push_back({DNNL_ARG_DIFF_WEIGHTS, p.other, {}});
        if (with_bias) outputs.push_back({DNNL_ARG_DIFF_BIAS, p.sources[0].side, {}});
        if (p.want == "diff_bias") std::swap(outputs[0], outputs[1]);
    } else {
        inputs.push_back({DNNL_ARG_SRC, p.src, {}});
        inputs.push_back({DNNL_ARG_WEIGHTS, p.other, {}});
        if (with_bias) inputs.push_back({DNNL_ARG_BIAS, p.sources[0].side, {}});
        outputs.push_back({DNNL_ARG_DST, p.dst, {}});
    }
}

struct ConvolutionLists { // strides, dilation, padding before and behind
    dnnl_dims_t strides{}, dilation{}, before{}, behind{};
    explicit ConvolutionLists(const Problem& p) {
        for (size_t k = 0; k < p.windows.size() && k < DNNL_MAX_NDIMS; ++k) {
            const Dims& w = p.windows[k];
            strides[k] = w[1], dilation[k] = w[2], before[k] = w[3], behind[k] = w[4];
        }
    }
};

// A tensor of the forward problem of a gradient: the type that is multiplied, the layout open.
inline Described open_side(const Problem& p, Side side) {
    side.type = p.dst.type, side.tag = "any";
    side.strides.clear(), side.offsets.clear(), side.parent.clear();
    return describe(side, 0);
}

} // namespace differential
