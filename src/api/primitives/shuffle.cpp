// SPDX-License-Identifier: Apache-2.0
// The C calls that create shuffles. The rules are in ops/shuffle/desc.cpp.
#include "ops/shuffle/shuffle.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"
#include "ops/descriptors.hpp"

using namespace tessera;

dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                         dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
                                                         const_dnnl_memory_desc_t dst_desc, int axis,
                                                         dnnl_dim_t group_size, const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_shuffle_forward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok =
                need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "dst_desc", dst_desc);
            !ok)
            return ok;
        // make_shuffle() also takes backward_data, but this call must not.
        if (auto ok = ops::check_forward(PrimitiveKind::shuffle, PropKind(int(prop_kind))); !ok) return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_shuffle(PropKind(int(prop_kind)), src_desc->md, dst_desc->md, axis,
                                                       group_size, attr_or_default(attr)));
    });
}

dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                          const_dnnl_memory_desc_t diff_src_desc,
                                                          const_dnnl_memory_desc_t diff_dst_desc, int axis,
                                                          dnnl_dim_t group_size,
                                                          const_dnnl_primitive_desc_t hint_fwd_pd,
                                                          const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_shuffle_backward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "diff_src_desc", diff_src_desc,
                           "diff_dst_desc", diff_dst_desc);
            !ok)
            return ok;
        if (auto ok = check_hint(PrimitiveKind::shuffle, hint_fwd_pd); !ok) return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_shuffle(PropKind::backward_data, diff_src_desc->md, diff_dst_desc->md,
                                                       axis, group_size, attr_or_default(attr),
                                                       hint_fwd_pd ? &hint_fwd_pd->impl->problem : nullptr));
    });
}
