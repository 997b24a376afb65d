// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

namespace differential {
namespace {

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    const std::vector<const_dnnl_memory_desc_t> sources = o.sources();
    std::vector<float> scales;
    for (const Source& source : p.sources) scales.push_back(float(source.scale));
    return dnnl_sum_primitive_desc_create(&pd.value, cpu().engine, o.outputs[0].md(), int(sources.size()),
                                          scales.data(), sources.data(), attr);
}

} // namespace

constinit const WorkRow sum_work = {.operands = sources_and_dst, .create = make};

} // namespace differential
