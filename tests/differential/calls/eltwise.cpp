// SPDX-License-Identifier: Apache-2.0
#include "../formula/pointwise.hpp"
#include "row.hpp"

namespace differential {
namespace {

bool differentiates_from_dst(const std::string& a) { return a.size() > 4 && a.rfind("_dst") == a.size() - 4; }

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    const bool backward = is_backward(p), from_dst = backward && differentiates_from_dst(p.algorithm);
    inputs.push_back({from_dst ? DNNL_ARG_DST : DNNL_ARG_SRC, p.src, {}});
    if (backward) inputs.push_back({DNNL_ARG_DIFF_DST, p.src, {}});
    outputs.push_back({backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, p.dst, {}});
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    const dnnl_engine_t engine = cpu().engine;
    const const_dnnl_memory_desc_t src = o.inputs[0].md(), dst = o.outputs[0].md();
    const dnnl_alg_kind_t algorithm = algorithm_of(eltwise_algorithms(), p);
    const auto alpha = float(p.alpha), beta = float(p.beta);
    if (is_backward(p))
        return dnnl_eltwise_backward_primitive_desc_create(&pd.value, engine, algorithm, dst, src, src, alpha, beta,
                                                           nullptr, attr);
    return dnnl_eltwise_forward_primitive_desc_create(&pd.value, engine, forward_of(p), algorithm, src, dst, alpha,
                                                      beta, attr);
}

} // namespace

constinit const WorkRow eltwise_work = {.operands = operands, .create = make};

} // namespace differential
