#include "normalization.hpp"
#include "row.hpp"

namespace differential {
namespace {

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    normalization_operands(p, {p.src.dims.begin(), p.src.dims.end() - 1}, p.src.dims.back(), inputs, outputs);
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    const auto engine = cpu().engine;
    const const_dnnl_memory_desc_t src = o.inputs[0].md(), result = result_of(p, o);
    const unsigned flags = flags_of(p);
    const bool statistics = p.want == "mean" || p.want == "variance";
    const auto scale_type = dnnl_data_type_t(statistics ? int(dnnl_f32) : type(p.other.type)->id);
    if (!is_backward(p))
        return dnnl_layer_normalization_forward_primitive_desc_create_v2(
            &pd.value, engine, forward_of(p), src, result, nullptr, scale_type, float(p.alpha), flags, attr);
    Descriptor open;
    PrimitiveDescriptor hint;
    const auto status = dnnl_layer_normalization_forward_primitive_desc_create_v2(
        &hint.value, engine, dnnl_forward_training, src, any_layout_of(src, open), nullptr, scale_type, float(p.alpha),
        flags, nullptr);
    if (status != dnnl_success) return status;
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(
        &pd.value, engine, p.direction == "BWD" ? dnnl_backward : dnnl_backward_data, result, o.inputs.back().md(), src,
        nullptr, scale_type, scale_type, float(p.alpha), flags, hint.value, attr);
}

} // namespace

constinit const WorkRow layer_normalization_work = {.operands = operands, .create = make};

} // namespace differential
