// SPDX-License-Identifier: Apache-2.0
#include "normalization.hpp"
#include "row.hpp"

namespace differential {
namespace {

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    normalization_operands(p, {p.src.dims[0], p.group}, p.src.dims[1], inputs, outputs);
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    const auto engine = cpu().engine;
    const const_dnnl_memory_desc_t src = o.inputs[0].md(), result = result_of(p, o);
    const unsigned flags = flags_of(p);
    if (!is_backward(p))
        return dnnl_group_normalization_forward_primitive_desc_create(&pd.value, engine, forward_of(p), src, result,
                                                                      p.group, float(p.alpha), flags, attr);
    Descriptor open;
    PrimitiveDescriptor hint;
    const auto status = dnnl_group_normalization_forward_primitive_desc_create(
        &hint.value, engine, dnnl_forward_training, src, any_layout_of(src, open), p.group, float(p.alpha), flags,
        nullptr);
    if (status != dnnl_success) return status;
    return dnnl_group_normalization_backward_primitive_desc_create(
        &pd.value, engine, p.direction == "BWD" ? dnnl_backward : dnnl_backward_data, result, o.inputs.back().md(), src,
        p.group, float(p.alpha), flags, hint.value, attr);
}

} // namespace

constinit const WorkRow group_normalization_work = {.operands = operands, .create = make};

} // namespace differential
