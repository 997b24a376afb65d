// SPDX-License-Identifier: Apache-2.0
#include "ops/group_normalization/group_normalization.hpp"

#include "primitives/normalization.hpp"

namespace tessera::primitives::group_normalization {
namespace {

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    if (a.line.backward())
        return dnnl_group_normalization_backward_primitive_desc_create(made, engine, a.prop(), a.dst_handle(),
                                                                       a.dst_handle(), a.handle(0), a.line.group,
                                                                       a.line.eps, a.line.flags, nullptr, attr);
    return dnnl_group_normalization_forward_primitive_desc_create(made, engine, a.prop(), a.handle(0), a.dst_handle(),
                                                                  a.line.group, a.line.eps, a.line.flags, attr);
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    if (a.line.backward())
        return ops::make_group_normalization_backward(a.line.prop, a.dst, a.dst, a.src(), a.line.group, a.line.eps,
                                                      a.line.flags, attr);
    return ops::make_group_normalization_forward(a.line.prop, a.src(), a.dst, a.line.group, a.line.eps, a.line.flags,
                                                 attr);
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::group_normalization,
    .help = "  group_normalization [--dir=FWD_D|FWD_I|BWD_DW|BWD_D] --group=G [--flags=GCH] [--eps=X] [--sdt=TYPE]\n"
            "            [--ddt=TYPE] [--stag=TAG] [--dtag=TAG|any] [--attr-scales=src:0+dst:0] DIMS\n",
    .options = "--dir --eps --flags --inplace --group",
    .dst_layout = Open::always,
    .create = create,
    .make = make,
    .adds = true,
    .values = values_of_normalization,
    .positive = arg::variance,
    .bounds = bounds_of_sets<ops::Sets::groups>,
    .driver = "--gnorm",
    .letters = " g mb ic id ih iw ",
    .example = "g4mb2ic16ih5iw5",
    .complete = complete_normalization,
};

} // namespace tessera::primitives::group_normalization
