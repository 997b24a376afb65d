// SPDX-License-Identifier: Apache-2.0
#include "../primitives/reduction.hpp"
#include "row.hpp"

namespace differential {
namespace {

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    inputs.push_back({DNNL_ARG_SRC, p.src, {}});
    outputs.push_back({DNNL_ARG_DST, p.dst, {}});
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    return dnnl_reduction_primitive_desc_create(&pd.value, cpu().engine, algorithm_of(reduction_algorithms(), p),
                                                o.inputs[0].md(), o.outputs[0].md(), float(p.alpha), float(p.beta),
                                                attr);
}

} // namespace

constinit const WorkRow reduction_work = {.operands = operands, .create = make};

} // namespace differential
