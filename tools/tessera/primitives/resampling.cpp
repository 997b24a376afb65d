// SPDX-License-Identifier: Apache-2.0
#include "ops/resampling/resampling.hpp"

#include "primitives/row.hpp"

namespace tessera::primitives::resampling {
namespace {

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    if (a.line.backward())
        return dnnl_resampling_backward_primitive_desc_create(made, engine, a.alg(), nullptr, a.handle(0),
                                                              a.dst_handle(), nullptr, attr);
    return dnnl_resampling_forward_primitive_desc_create(made, engine, a.prop(), a.alg(), nullptr, a.handle(0),
                                                         a.dst_handle(), attr);
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::resampling,
    .help = "  resampling --alg=nearest|linear [--dir=...] [--sdt=TYPE] [--ddt=TYPE] [--stag=TAG] [--dtag=TAG|any] "
            "SRC:DST\n",
    .options = "--alg --dir",
    .second_shape_is_dst = true,
    .dims_of_dst = [](const ProblemLine& line) { return line.dst_dims; },
    .create = create,
    .make = [](const Asked& a,
               const Attr& attr) { return ops::make_resampling(a.line.prop, a.line.alg, {}, a.src(), a.dst, attr); },
    .driver = "--resampling",
    .letters = " mb ic id ih iw od oh ow ",
    .example = "mb2ic16_ih5oh10_iw5ow10",
};

} // namespace tessera::primitives::resampling
