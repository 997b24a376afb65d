// SPDX-License-Identifier: Apache-2.0
#include "normalization.hpp"
#include "row.hpp"

namespace differential {
namespace {

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    normalization_operands(p, {p.src.dims.begin(), p.src.dims.end() - 1}, p.src.dims.back(), inputs, outputs);
}

// Older libraries of the same ABI lack the calls with a type of scale and shift, which f32 needs none of.
dnnl_status_t make_forward(dnnl_primitive_desc_t* pd, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
                           const_dnnl_memory_desc_t dst, dnnl_data_type_t scale_type, float epsilon, unsigned flags,
                           const_dnnl_primitive_attr_t attr) {
    if (scale_type == dnnl_f32)
        return dnnl_layer_normalization_forward_primitive_desc_create(pd, cpu().engine, prop, src, dst, nullptr,
                                                                      epsilon, flags, attr);
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(pd, cpu().engine, prop, src, dst, nullptr,
                                                                     scale_type, epsilon, flags, attr);
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    const auto engine = cpu().engine;
    const const_dnnl_memory_desc_t src = o.inputs[0].md(), result = result_of(p, o);
    const unsigned flags = flags_of(p);
    const bool statistics = p.want == "mean" || p.want == "variance";
    const auto scale_type = dnnl_data_type_t(statistics ? int(dnnl_f32) : type(p.other.type)->id);
    if (!is_backward(p))
        return make_forward(&pd.value, forward_of(p), src, result, scale_type, float(p.alpha), flags, attr);
    Descriptor open;
    PrimitiveDescriptor hint;
    const auto status = make_forward(&hint.value, dnnl_forward_training, src, any_layout_of(src, open), scale_type,
                                     float(p.alpha), flags, nullptr);
    if (status != dnnl_success) return status;
    const auto prop = p.direction == "BWD" ? dnnl_backward : dnnl_backward_data;
    if (scale_type == dnnl_f32)
        return dnnl_layer_normalization_backward_primitive_desc_create(&pd.value, engine, prop, result,
                                                                       o.inputs.back().md(), src, nullptr,
                                                                       float(p.alpha), flags, hint.value, attr);
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(
        &pd.value, engine, prop, result, o.inputs.back().md(), src, nullptr, scale_type, scale_type, float(p.alpha),
        flags, hint.value, attr);
}

} // namespace

constinit const WorkRow layer_normalization_work = {.operands = operands, .create = make};

} // namespace differential
