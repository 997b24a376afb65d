// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include "../formula/pointwise.hpp"
#include "row.hpp"

namespace differential {
namespace {

void operands(const Problem& p, std::vector<Operand>& inputs, std::vector<Operand>& outputs) {
    inputs.push_back({DNNL_ARG_SRC_0, p.src, {}});
    inputs.push_back({DNNL_ARG_SRC_1, p.other, {}});
    if (p.algorithm == "select") inputs.push_back({DNNL_ARG_SRC_2, of_type(p.src, "s8"), {}});
    outputs.push_back({DNNL_ARG_DST, p.dst, {}});
}

using SelectCreator = dnnl_status_t (*)(dnnl_primitive_desc_t*, dnnl_engine_t, dnnl_alg_kind_t,
                                        const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,
                                        const_dnnl_memory_desc_t, const_dnnl_primitive_attr_t);

dnnl_status_t create_select(const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                            std::string& skip) {
    // Older libraries of the same ABI lack the call: find it at run time.
    const auto creator = reinterpret_cast<SelectCreator>(dlsym(RTLD_DEFAULT, "dnnl_binary_primitive_desc_create_v2"));
    if (!creator) skip = "select";
    return creator ? creator(&pd.value, cpu().engine, dnnl_binary_select, o.inputs[0].md(), o.inputs[1].md(),
                             o.inputs[2].md(), o.outputs[0].md(), attr)
                   : dnnl_success;
}

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string& skip) {
    if (p.algorithm == "select") return create_select(o, attr, pd, skip);
    return dnnl_binary_primitive_desc_create(&pd.value, cpu().engine, algorithm_of(binary_algorithms(), p),
                                             o.inputs[0].md(), o.inputs[1].md(), o.outputs[0].md(), attr);
}

} // namespace

constinit const WorkRow binary_work = {.operands = operands, .create = make};

} // namespace differential
