// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

namespace differential {
namespace {

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
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

// The forward problem of a gradient, in the type that is multiplied, all layouts open.
dnnl_status_t create_hint(const Problem& p, PrimitiveDescriptor& hint) {
    const auto open = [&](Side side) {
        side.type = p.dst.type, side.tag = "any";
        side.strides.clear(), side.offsets.clear(), side.parent.clear();
        return describe(side, 0);
    };
    const Described src = open(p.src), weights = open(p.other), dst = open(p.dst);
    Described bias;
    if (!p.sources.empty()) bias = describe(p.sources[0].side, 0);
    return dnnl_inner_product_forward_primitive_desc_create(&hint.value, cpu().engine, dnnl_forward_training, src.md(),
                                                            weights.md(), bias.md(), dst.md(), nullptr);
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    const auto engine = cpu().engine;
    const const_dnnl_memory_desc_t first = o.inputs[0].md(), second = o.inputs[1].md(), written = o.outputs[0].md();
    if (!is_backward(p))
        return dnnl_inner_product_forward_primitive_desc_create(&pd.value, engine, forward_of(p), first, second,
                                                                o.inputs.size() > 2 ? o.inputs[2].md() : nullptr,
                                                                written, attr);
    PrimitiveDescriptor hint;
    if (const auto status = create_hint(p, hint); status != dnnl_success) return status;
    if (p.direction == "BWD_D")
        return dnnl_inner_product_backward_data_primitive_desc_create(&pd.value, engine, written, second, first,
                                                                      hint.value, attr);
    const bool bias_first = p.want == "diff_bias";
    const const_dnnl_memory_desc_t other = o.outputs.size() > 1 ? o.outputs[1].md() : nullptr;
    return dnnl_inner_product_backward_weights_primitive_desc_create(
        &pd.value, engine, first, bias_first ? other : written, bias_first ? written : other, second, hint.value, attr);
}

} // namespace

constinit const WorkRow inner_product_work = {.operands = operands, .create = make};

} // namespace differential
