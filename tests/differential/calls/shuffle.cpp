// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

namespace differential {
namespace {

// `src` is what is read: of a gradient diff_dst.
void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    const bool backward = is_backward(p);
    inputs.push_back({backward ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC, p.src, {}});
    outputs.push_back({backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, p.dst, {}});
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    const dnnl_engine_t engine = cpu().engine;
    const const_dnnl_memory_desc_t from = o.inputs[0].md(), to = o.outputs[0].md();
    if (!is_backward(p))
        return dnnl_shuffle_forward_primitive_desc_create(&pd.value, engine, forward_of(p), from, to, p.axis, p.group,
                                                          attr);
    PrimitiveDescriptor hint;
    const auto status = dnnl_shuffle_forward_primitive_desc_create(&hint.value, engine, dnnl_forward_training, from,
                                                                   from, p.axis, p.group, nullptr);
    if (status != dnnl_success) return status;
    return dnnl_shuffle_backward_primitive_desc_create(&pd.value, engine, to, from, p.axis, p.group, hint.value, attr);
}

} // namespace

constinit const WorkRow shuffle_work = {.operands = operands, .create = make};

} // namespace differential
