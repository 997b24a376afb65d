// SPDX-License-Identifier: Apache-2.0
#include "convolutions.hpp"

namespace differential {
namespace {

dnnl_status_t make_convolution(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr,
                               PrimitiveDescriptor& pd, std::string&) {
    const auto engine = cpu().engine;
    const auto alg = dnnl_convolution_direct;
    const ConvolutionLists l(p);
    const const_dnnl_memory_desc_t first = o.inputs[0].md(), second = o.inputs[1].md(), written = o.outputs[0].md();
    if (!is_backward(p))
        return dnnl_convolution_forward_primitive_desc_create(&pd.value, engine, forward_of(p), alg, first, second,
                                                              o.inputs.size() > 2 ? o.inputs[2].md() : nullptr, written,
                                                              l.strides, l.dilation, l.before, l.behind, attr);
    const Described src = open_side(p, p.src), weights = open_side(p, p.other), dst = open_side(p, p.dst);
    Described bias;
    if (!p.sources.empty()) bias = describe(p.sources[0].side, 0);
    PrimitiveDescriptor hint;
    if (const auto status = dnnl_convolution_forward_primitive_desc_create(
            &hint.value, engine, dnnl_forward_training, alg, src.md(), weights.md(), bias.md(), dst.md(), l.strides,
            l.dilation, l.before, l.behind, nullptr);
        status != dnnl_success)
        return status;
    if (p.direction == "BWD_D")
        return dnnl_convolution_backward_data_primitive_desc_create(&pd.value, engine, alg, written, second, first,
                                                                    l.strides, l.dilation, l.before, l.behind,
                                                                    hint.value, attr);
    const bool bias_first = p.want == "diff_bias";
    const const_dnnl_memory_desc_t other = o.outputs.size() > 1 ? o.outputs[1].md() : nullptr;
    return dnnl_convolution_backward_weights_primitive_desc_create(
        &pd.value, engine, alg, first, bias_first ? other : written, bias_first ? written : other, second, l.strides,
        l.dilation, l.before, l.behind, hint.value, attr);
}

} // namespace

constinit const WorkRow convolution_work = {.operands = operands_of_convolution, .create = make_convolution};

} // namespace differential
