// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

namespace differential {
namespace {

dnnl_status_t make(const Problem& p, const Operands& o, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd,
                   std::string&) {
    const std::vector<const_dnnl_memory_desc_t> sources = o.sources();
    return dnnl_concat_primitive_desc_create(&pd.value, cpu().engine, o.outputs[0].md(), int(sources.size()), p.axis,
                                             sources.data(), attr);
}

} // namespace

constinit const WorkRow concat_work = {.operands = sources_and_dst, .create = make};

} // namespace differential
