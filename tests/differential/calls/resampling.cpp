// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

namespace differential {
namespace {

dnnl_alg_kind_t algorithm_of(const Problem& p) {
    return p.algorithm == "linear" ? dnnl_resampling_linear : dnnl_resampling_nearest;
}

// The layout of `side`, where it is open the plain one.
Side concrete(Side side) {
    if (side.tag != "any" && side.tag != "none") return side;
    side.tag.clear();
    for (size_t d = 0; d < side.dims.size(); ++d) side.tag += char('a' + d);
    return side;
}

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    const bool backward = is_backward(p);
    inputs.push_back({backward ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC, backward ? p.dst : p.src, {}});
    outputs.push_back({backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, backward ? p.src : p.dst, {}});
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    const auto engine = cpu().engine;
    const std::vector<float> factors(p.factors.begin(), p.factors.end());
    const float* given = factors.empty() ? nullptr : factors.data();
    if (!is_backward(p))
        return dnnl_resampling_forward_primitive_desc_create(&pd.value, engine, forward_of(p), algorithm_of(p), given,
                                                             o.inputs[0].md(), o.outputs[0].md(), attr);
    PrimitiveDescriptor hint;
    const Described src = describe(concrete(p.src), 0);
    const auto status = dnnl_resampling_forward_primitive_desc_create(
        &hint.value, engine, dnnl_forward_training, algorithm_of(p), given, src.md(), o.inputs[0].md(), nullptr);
    if (status != dnnl_success) return status;
    return dnnl_resampling_backward_primitive_desc_create(&pd.value, engine, algorithm_of(p), given, o.outputs[0].md(),
                                                          o.inputs[0].md(), hint.value, attr);
}

} // namespace

constinit const WorkRow resampling_work = {.operands = operands, .create = make};

} // namespace differential
