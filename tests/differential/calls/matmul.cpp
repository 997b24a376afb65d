// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

namespace differential {
namespace {

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    inputs.push_back({DNNL_ARG_SRC, p.src, {}});
    inputs.push_back({DNNL_ARG_WEIGHTS, p.other, {}});
    if (!p.sources.empty()) inputs.push_back({DNNL_ARG_BIAS, p.sources[0].side, {}});
    outputs.push_back({DNNL_ARG_DST, p.dst, {}});
}

dnnl_status_t make(const Problem&, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    return dnnl_matmul_primitive_desc_create(&pd.value, cpu().engine, o.inputs[0].md(), o.inputs[1].md(),
                                             o.inputs.size() > 2 ? o.inputs[2].md() : nullptr, o.outputs[0].md(), attr);
}

} // namespace

constinit const WorkRow matmul_work = {.operands = operands, .create = make};

} // namespace differential
