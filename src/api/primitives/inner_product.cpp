// SPDX-License-Identifier: Apache-2.0
// The C calls that create inner products. The rules are in ops/inner_product/desc.cpp.
#include "ops/inner_product/inner_product.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

namespace {

MemoryDesc or_none(const_dnnl_memory_desc_t desc) { return desc ? desc->md : MemoryDesc(); }

} // namespace

// A null or zero bias_desc or diff_bias_desc means no bias.
dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_inner_product_forward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "weights_desc",
                           weights_desc, "dst_desc", dst_desc);
            !ok)
            return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_inner_product_forward(PropKind(int(prop_kind)), src_desc->md,
                                                                     weights_desc->md, or_none(bias_desc), dst_desc->md,
                                                                     attr_or_default(attr)));
    });
}

dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_inner_product_backward_data_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "diff_src_desc", diff_src_desc,
                           "weights_desc", weights_desc, "diff_dst_desc", diff_dst_desc);
            !ok)
            return ok;
        if (auto ok = check_hint(PrimitiveKind::inner_product, hint_fwd_pd); !ok) return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_inner_product_backward_data(diff_src_desc->md, weights_desc->md,
                                                                           diff_dst_desc->md, attr_or_default(attr)));
    });
}

dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_inner_product_backward_weights_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc,
                           "diff_weights_desc", diff_weights_desc, "diff_dst_desc", diff_dst_desc);
            !ok)
            return ok;
        if (auto ok = check_hint(PrimitiveKind::inner_product, hint_fwd_pd); !ok) return ok;
        return create_primitive_desc(
            primitive_desc, engine, engine,
            ops::make_inner_product_backward_weights(src_desc->md, diff_weights_desc->md, or_none(diff_bias_desc),
                                                     diff_dst_desc->md, attr_or_default(attr)));
    });
}
