// SPDX-License-Identifier: Apache-2.0
// The C calls that create convolutions. The rules are in ops/convolution/desc.cpp.
#include "api/primitives/convolutions.hpp"
#include "ops/descriptors.hpp"

using namespace tessera;

// A null or zero bias_desc or diff_bias_desc means no bias.
dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_convolution_forward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "weights_desc",
                           weights_desc, "dst_desc", dst_desc, "strides", strides, "padding_l", padding_l);
            !ok)
            return ok;
        if (auto ok = ops::check_forward(PrimitiveKind::convolution, PropKind(int(prop_kind))); !ok) return ok;
        return create_primitive_desc(
            primitive_desc, engine, engine,
            ops::make_convolution({PrimitiveKind::convolution, PropKind(int(prop_kind)), src_desc->md, weights_desc->md,
                                   desc_or_none(bias_desc), dst_desc->md},
                                  int(alg_kind), windows_of_lists(src_desc->md, strides, dilates, padding_l, padding_r),
                                  attr_or_default(attr)));
    });
}

dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_convolution_backward_data_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok =
                need("primitive_desc", primitive_desc, "engine", engine, "diff_src_desc", diff_src_desc, "weights_desc",
                     weights_desc, "diff_dst_desc", diff_dst_desc, "strides", strides, "padding_l", padding_l);
            !ok)
            return ok;
        if (auto ok = check_hint(PrimitiveKind::convolution, hint_fwd_pd); !ok) return ok;
        return create_primitive_desc(
            primitive_desc, engine, engine,
            ops::make_convolution({PrimitiveKind::convolution,
                                   PropKind::backward_data,
                                   diff_src_desc->md,
                                   weights_desc->md,
                                   {},
                                   diff_dst_desc->md},
                                  int(alg_kind),
                                  windows_of_lists(diff_src_desc->md, strides, dilates, padding_l, padding_r),
                                  attr_or_default(attr)));
    });
}

dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
    const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_convolution_backward_weights_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok =
                need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "diff_weights_desc",
                     diff_weights_desc, "diff_dst_desc", diff_dst_desc, "strides", strides, "padding_l", padding_l);
            !ok)
            return ok;
        if (auto ok = check_hint(PrimitiveKind::convolution, hint_fwd_pd); !ok) return ok;
        return create_primitive_desc(
            primitive_desc, engine, engine,
            ops::make_convolution({PrimitiveKind::convolution, PropKind::backward_weights, src_desc->md,
                                   diff_weights_desc->md, desc_or_none(diff_bias_desc), diff_dst_desc->md},
                                  int(alg_kind), windows_of_lists(src_desc->md, strides, dilates, padding_l, padding_r),
                                  attr_or_default(attr)));
    });
}
