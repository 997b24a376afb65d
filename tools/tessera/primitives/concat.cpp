// SPDX-License-Identifier: Apache-2.0
#include "ops/concat/concat.hpp"

#include "primitives/row.hpp"

namespace tessera::primitives::concat {
namespace {

std::vector<int64_t> dims_of_dst(const ProblemLine& line) {
    std::vector<int64_t> dims = line.dims;
    const auto axis = size_t(line.axis);
    for (const LineSource& source : line.sources)
        if (source.dims.size() == dims.size() && line.axis >= 0 && axis < dims.size()) // else it is refused
            dims[axis] += source.dims[axis];
    return dims;
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::concat,
    .help = "  concat [--sdt=TYPE] [--ddt=TYPE] [--stag=TAG0:TAG1...] [--dtag=TAG|any|omit] --axis=N DIMS0:DIMS1...\n",
    .options = "--axis",
    .sources = Sources::by_shapes,
    .dims_of_dst = dims_of_dst,
    .create =
        [](dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine, const_dnnl_primitive_attr_t attr) {
            std::vector<const_dnnl_memory_desc_t> srcs;
            for (const MemoryDesc& src : a.srcs) srcs.push_back(as_handle(src));
            return dnnl_concat_primitive_desc_create(made, engine, a.dst_handle(), int(srcs.size()), a.line.axis,
                                                     srcs.data(), attr);
        },
    .make = [](const Asked& a,
               const Attr& attr) { return ops::make_concat(a.dst_or_null(), a.line.axis, a.srcs, attr); },
    .moves = true,
    .driver = "--concat",
};

} // namespace tessera::primitives::concat
