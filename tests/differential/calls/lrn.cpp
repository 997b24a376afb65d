// SPDX-License-Identifier: Apache-2.0
#include "../primitives/lrn.hpp"
#include "row.hpp"

namespace differential {
namespace {

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    inputs.push_back({DNNL_ARG_SRC, p.src, {}});
    if (is_backward(p)) inputs.push_back({DNNL_ARG_DIFF_DST, p.dst, {}});
    outputs.push_back({is_backward(p) ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, is_backward(p) ? p.src : p.dst, {}});
}

dnnl_status_t make_forward(const Problem& p, const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
                           const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd) {
    const auto prop = is_backward(p) ? dnnl_forward_training : forward_of(p);
    return dnnl_lrn_forward_primitive_desc_create(&pd.value, cpu().engine, prop, algorithm_of(lrn_algorithms(), p), src,
                                                  dst, p.group, float(p.alpha), float(p.beta), 1, attr);
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    if (!is_backward(p)) return make_forward(p, o.inputs[0].md(), o.outputs[0].md(), attr, pd);
    PrimitiveDescriptor hint;
    const auto status = make_forward(p, o.inputs[0].md(), o.inputs[1].md(), nullptr, hint);
    if (status != dnnl_success) return status;
    return dnnl_lrn_backward_primitive_desc_create(&pd.value, cpu().engine, algorithm_of(lrn_algorithms(), p),
                                                   o.outputs[0].md(), o.inputs[1].md(), o.inputs[0].md(), p.group,
                                                   float(p.alpha), float(p.beta), 1, hint.value, attr);
}

dnnl_status_t prepare_lrn(const Problem& p, const Operands& o, const_dnnl_primitive_desc_t pd, Arguments& arguments) {
    const auto hint = [&](PrimitiveDescriptor& made) {
        return make_forward(p, o.inputs[0].md(), o.inputs[1].md(), nullptr, made);
    };
    return add_workspace(p, pd, hint, arguments);
}

} // namespace

constinit const WorkRow lrn_work = {.operands = operands, .create = make, .prepare = prepare_lrn};

} // namespace differential
