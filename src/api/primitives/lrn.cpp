// SPDX-License-Identifier: Apache-2.0
// The C calls that create local response normalizations. The rules are in ops/lrn/desc.cpp.
#include "ops/lrn/lrn.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

dnnl_status_t dnnl_lrn_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                     dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
                                                     const_dnnl_memory_desc_t src_desc,
                                                     const_dnnl_memory_desc_t dst_desc, dnnl_dim_t local_size,
                                                     float alpha, float beta, float k,
                                                     const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_lrn_forward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok =
                need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "dst_desc", dst_desc);
            !ok)
            return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_lrn_forward(PropKind(int(prop_kind)), int(alg_kind), src_desc->md,
                                                           dst_desc->md, {local_size, alpha, beta, k},
                                                           attr_or_default(attr)));
    });
}

dnnl_status_t dnnl_lrn_backward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                      dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
                                                      const_dnnl_memory_desc_t diff_dst_desc,
                                                      const_dnnl_memory_desc_t src_desc, dnnl_dim_t local_size,
                                                      float alpha, float beta, float k,
                                                      const_dnnl_primitive_desc_t hint_fwd_pd,
                                                      const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_lrn_backward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "diff_src_desc", diff_src_desc,
                           "diff_dst_desc", diff_dst_desc, "src_desc", src_desc);
            !ok)
            return ok;
        if (auto ok = check_hint(PrimitiveKind::lrn, hint_fwd_pd); !ok) return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_lrn_backward(int(alg_kind), diff_src_desc->md, diff_dst_desc->md,
                                                            src_desc->md, {local_size, alpha, beta, k},
                                                            attr_or_default(attr)));
    });
}
