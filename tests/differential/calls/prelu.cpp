// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

namespace differential {
namespace {

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    inputs.push_back({DNNL_ARG_SRC, p.src, {}});
    inputs.push_back({DNNL_ARG_WEIGHTS, p.other, {}});
    if (!is_backward(p)) {
        outputs.push_back({DNNL_ARG_DST, p.dst, {}});
        return;
    }
    inputs.push_back({DNNL_ARG_DIFF_DST, of_type(p.src, p.dst.type), {}});
    outputs.push_back({DNNL_ARG_DIFF_SRC, p.dst, {}});
    outputs.push_back({DNNL_ARG_DIFF_WEIGHTS, p.other, {}});
    if (p.want == "diff_weights") std::swap(outputs[0], outputs[1]);
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    const auto engine = cpu().engine;
    const_dnnl_memory_desc_t src = o.inputs[0].md(), weights = o.inputs[1].md();
    if (!is_backward(p))
        return dnnl_prelu_forward_primitive_desc_create(&pd.value, engine, forward_of(p), src, weights,
                                                        o.outputs[0].md(), attr);
    PrimitiveDescriptor hint;
    const auto status = dnnl_prelu_forward_primitive_desc_create(&hint.value, engine, dnnl_forward_training, src,
                                                                 weights, src, nullptr);
    if (status != dnnl_success) return status;
    const size_t by_weights = p.want == "diff_weights" ? 0 : 1;
    return dnnl_prelu_backward_primitive_desc_create(&pd.value, engine, src, weights, o.outputs[1 - by_weights].md(),
                                                     o.outputs[by_weights].md(), o.inputs[2].md(), hint.value, attr);
}

} // namespace

constinit const WorkRow prelu_work = {.operands = operands, .create = make};

} // namespace differential
