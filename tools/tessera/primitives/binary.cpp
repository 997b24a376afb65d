// SPDX-License-Identifier: Apache-2.0
#include "ops/binary/binary.hpp"

#include "primitives/row.hpp"

namespace tessera::primitives::binary {
namespace {

std::vector<int64_t> dims_of_dst(const ProblemLine& line) {
    std::vector<int64_t> dims = line.dims;
    for (const LineSource& source : line.sources)
        for (size_t d = 0; d < dims.size() && source.dims.size() == dims.size(); ++d) // else it is refused
            dims[d] = dims[d] == 1 ? source.dims[d] : dims[d];
    return dims;
}

bool selects(const ProblemLine& line) { return line.alg == int(dnnl_binary_select); }
// The condition of a select: s8, shape of src, layout open.
Result<MemoryDesc> make_condition(const ProblemLine& line) { return make_desc_any(line.dims, DataType::s8); }

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    if (!selects(a.line))
        return dnnl_binary_primitive_desc_create(made, engine, a.alg(), a.handle(0), a.handle(1), a.dst_handle(), attr);
    const auto condition = make_condition(a.line);
    if (!condition) return dnnl_status_t(int(condition.error().status));
    return dnnl_binary_primitive_desc_create_v2(made, engine, a.alg(), a.handle(0), a.handle(1), as_handle(*condition),
                                                a.dst_handle(), attr);
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    MemoryDesc condition;
    if (selects(a.line)) {
        const auto made = make_condition(a.line);
        if (!made) return Refusal(made.error());
        condition = *made;
    }
    return ops::make_binary(a.line.alg, a.src(), a.srcs[1], condition, a.dst, attr);
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::binary,
    .help = "  binary --alg=add|...|select [--sdt=T0:T1] [--ddt=TYPE] [--stag=TAG0:TAG1] [--dtag=TAG|any] [--inplace] "
            "DIMS0:DIMS1\n",
    .options = "--alg --inplace",
    .sources = Sources::two,
    .dims_of_dst = dims_of_dst,
    .create = create,
    .make = make,
    .driver = "--binary",
    .keys = "--strides",
    .third_shape_follows = true,
};

} // namespace tessera::primitives::binary
