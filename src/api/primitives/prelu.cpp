// SPDX-License-Identifier: Apache-2.0
// The C calls that create prelu primitives. The rules are in ops/prelu/desc.cpp.
#include "ops/prelu/prelu.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

dnnl_status_t dnnl_prelu_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                       dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
                                                       const_dnnl_memory_desc_t weights_desc,
                                                       const_dnnl_memory_desc_t dst_desc,
                                                       const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_prelu_forward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "weights_desc",
                           weights_desc, "dst_desc", dst_desc);
            !ok)
            return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_prelu_forward(PropKind(int(prop_kind)), src_desc->md, weights_desc->md,
                                                             dst_desc->md, attr_or_default(attr)));
    });
}

dnnl_status_t dnnl_prelu_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_prelu_backward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "weights_desc",
                           weights_desc, "diff_src_desc", diff_src_desc, "diff_weights_desc", diff_weights_desc,
                           "diff_dst_desc", diff_dst_desc);
            !ok)
            return ok;
        if (auto ok = check_hint(PrimitiveKind::prelu, hint_fwd_pd); !ok) return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_prelu_backward(src_desc->md, weights_desc->md, diff_src_desc->md,
                                                              diff_weights_desc->md, diff_dst_desc->md,
                                                              attr_or_default(attr)));
    });
}
