// SPDX-License-Identifier: Apache-2.0
#include "../primitives/softmax.hpp"
#include "row.hpp"

namespace differential {
namespace {

// Backward `src` is dst of the forward computation, and both gradients are like `dst`.
void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    const bool backward = is_backward(p);
    inputs.push_back({backward ? DNNL_ARG_DST : DNNL_ARG_SRC, p.src, {}});
    if (backward) inputs.push_back({DNNL_ARG_DIFF_DST, p.dst, {}});
    outputs.push_back({backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, p.dst, {}});
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    const dnnl_engine_t engine = cpu().engine;
    const const_dnnl_memory_desc_t src = o.inputs[0].md(), dst = o.outputs[0].md();
    const dnnl_alg_kind_t algorithm = algorithm_of(softmax_algorithms(), p);
    if (is_backward(p))
        return dnnl_softmax_backward_primitive_desc_create(&pd.value, engine, algorithm, dst, dst, src, p.axis, nullptr,
                                                           attr);
    return dnnl_softmax_forward_primitive_desc_create(&pd.value, engine, forward_of(p), algorithm, src, dst, p.axis,
                                                      attr);
}

} // namespace

constinit const WorkRow softmax_work = {.operands = operands, .create = make};

} // namespace differential
