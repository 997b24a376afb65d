// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

namespace differential {
namespace {

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    inputs.push_back({DNNL_ARG_FROM, p.src, {}});
    outputs.push_back({DNNL_ARG_TO, p.dst, {}});
}

dnnl_status_t make(const Problem&, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    return dnnl_reorder_primitive_desc_create(&pd.value, o.inputs[0].md(), cpu().engine, o.outputs[0].md(),
                                              cpu().engine, attr);
}

} // namespace

constinit const WorkRow reorder_work = {.operands = operands, .create = make};

} // namespace differential
