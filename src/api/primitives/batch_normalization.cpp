// SPDX-License-Identifier: Apache-2.0
// The C calls that create batch normalizations. The rules are in ops/normalization/desc.cpp.
#include "ops/batch_normalization/batch_normalization.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                     dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                     const_dnnl_memory_desc_t src_desc,
                                                                     const_dnnl_memory_desc_t dst_desc, float epsilon,
                                                                     unsigned flags, const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_batch_normalization_forward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok =
                need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "dst_desc", dst_desc);
            !ok)
            return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_batch_normalization_forward(PropKind(int(prop_kind)), src_desc->md,
                                                                           dst_desc->md, epsilon, flags,
                                                                           attr_or_default(attr)));
    });
}

dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_batch_normalization_backward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "diff_src_desc", diff_src_desc,
                           "diff_dst_desc", diff_dst_desc, "src_desc", src_desc);
            !ok)
            return ok;
        if (auto ok = check_hint(PrimitiveKind::batch_normalization, hint_fwd_pd); !ok) return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_batch_normalization_backward(
                                         PropKind(int(prop_kind)), diff_src_desc->md, diff_dst_desc->md, src_desc->md,
                                         epsilon, flags, hint_fwd_pd ? &hint_fwd_pd->impl->problem : nullptr,
                                         attr_or_default(attr)));
    });
}
