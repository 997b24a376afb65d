// SPDX-License-Identifier: Apache-2.0
#include "ops/layer_normalization/layer_normalization.hpp"

#include "primitives/normalization.hpp"

namespace tessera::primitives::layer_normalization {
namespace {

// Null where the primitive chooses the layout of mean and variance.
Result<MemoryDesc> statistics(const Asked& a) {
    if (a.line.statistics_tag == "any") return MemoryDesc();
    const std::vector<int64_t> dims(a.line.dims.begin(), a.line.dims.end() - 1);
    return make_desc_with_tag(dims, DataType::f32, a.line.statistics_tag);
}

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    const auto stat = statistics(a);
    if (!stat) return dnnl_status_t(int(stat.error().status));
    const const_dnnl_memory_desc_t statistics = stat->is_zero() ? nullptr : as_handle(*stat);
    const auto type = dnnl_data_type_t(int(a.line.scale_type)),
               diff_type = dnnl_data_type_t(int(a.line.diff_scale_type));
    if (a.line.backward())
        return dnnl_layer_normalization_backward_primitive_desc_create_v2(
            made, engine, a.prop(), a.dst_handle(), a.dst_handle(), a.handle(0), statistics, diff_type, type,
            a.line.eps, a.line.flags, nullptr, attr);
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(
        made, engine, a.prop(), a.handle(0), a.dst_handle(), statistics, type, a.line.eps, a.line.flags, attr);
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    const auto stat = statistics(a);
    if (!stat) return Refusal(stat.error());
    if (a.line.backward())
        return ops::make_layer_normalization_backward(a.line.prop, a.dst, a.dst, a.src(), *stat, a.line.diff_scale_type,
                                                      a.line.scale_type, a.line.eps, a.line.flags, attr);
    return ops::make_layer_normalization_forward(a.line.prop, a.src(), a.dst, *stat, a.line.scale_type, a.line.eps,
                                                 a.line.flags, attr);
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::layer_normalization,
    .help =
        "  layer_normalization [--dir=FWD_D|FWD_I|BWD_DW|BWD_D] [--flags=GCHM] [--eps=X] [--sdt=TYPE] [--ddt=TYPE]\n"
        "            [--stag=TAG] [--dtag=TAG|any] [--stat-tag=TAG] [--ss-dt=TYPE:TYPE] [--attr-scales=src:0+dst:0] "
        "DIMS\n",
    .options = "--dir --eps --flags --inplace --ss-dt --stat-tag",
    .dst_layout = Open::always,
    .create = create,
    .make = make,
    .adds = true,
    .values = values_of_normalization,
    .positive = arg::variance,
    .bounds = bounds_of_sets<ops::Sets::rows>,
    .driver = "--lnorm",
    .complete = complete_normalization,
};

} // namespace tessera::primitives::layer_normalization
