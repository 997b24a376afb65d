// SPDX-License-Identifier: Apache-2.0
// The C calls that create layer normalizations. The rules are in ops/normalization/desc.cpp.
#include "ops/layer_normalization/layer_normalization.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

namespace {

MemoryDesc md_or_none(const_dnnl_memory_desc_t desc) { return desc ? desc->md : MemoryDesc(); }

dnnl_status_t create_forward(const char* name, dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                             dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
                             const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc, DataType scale_type,
                             float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr) {
    return guarded(name, [&]() -> Result<void> {
        if (auto ok =
                need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "dst_desc", dst_desc);
            !ok)
            return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_layer_normalization_forward(
                                         PropKind(int(prop_kind)), src_desc->md, dst_desc->md, md_or_none(stat_desc),
                                         scale_type, epsilon, flags, attr_or_default(attr)));
    });
}

dnnl_status_t create_backward(const char* name, dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                              dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t diff_src_desc,
                              const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
                              const_dnnl_memory_desc_t stat_desc, DataType diff_scale_type, DataType scale_type,
                              float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
                              const_dnnl_primitive_attr_t attr) {
    return guarded(name, [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "diff_src_desc", diff_src_desc,
                           "diff_dst_desc", diff_dst_desc, "src_desc", src_desc);
            !ok)
            return ok;
        if (auto ok = check_hint(PrimitiveKind::layer_normalization, hint_fwd_pd); !ok) return ok;
        return create_primitive_desc(
            primitive_desc, engine, engine,
            ops::make_layer_normalization_backward(PropKind(int(prop_kind)), diff_src_desc->md, diff_dst_desc->md,
                                                   src_desc->md, md_or_none(stat_desc), diff_scale_type, scale_type,
                                                   epsilon, flags, attr_or_default(attr)));
    });
}

} // namespace

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc,
                                                                     dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
                                                                     const_dnnl_memory_desc_t src_desc,
                                                                     const_dnnl_memory_desc_t dst_desc,
                                                                     const_dnnl_memory_desc_t stat_desc, float epsilon,
                                                                     unsigned flags, const_dnnl_primitive_attr_t attr) {
    return create_forward("dnnl_layer_normalization_forward_primitive_desc_create", primitive_desc, engine, prop_kind,
                          src_desc, dst_desc, stat_desc, DataType::f32, epsilon, flags, attr);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc,
    dnnl_data_type_t scale_shift_data_type, float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr) {
    return create_forward("dnnl_layer_normalization_forward_primitive_desc_create_v2", primitive_desc, engine,
                          prop_kind, src_desc, dst_desc, stat_desc, DataType(int(scale_shift_data_type)), epsilon,
                          flags, attr);
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    return create_backward("dnnl_layer_normalization_backward_primitive_desc_create", primitive_desc, engine, prop_kind,
                           diff_src_desc, diff_dst_desc, src_desc, stat_desc, DataType::f32, DataType::f32, epsilon,
                           flags, hint_fwd_pd, attr);
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t stat_desc, dnnl_data_type_t diff_scale_shift_data_type,
    dnnl_data_type_t scale_shift_data_type, float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    return create_backward("dnnl_layer_normalization_backward_primitive_desc_create_v2", primitive_desc, engine,
                           prop_kind, diff_src_desc, diff_dst_desc, src_desc, stat_desc,
                           DataType(int(diff_scale_shift_data_type)), DataType(int(scale_shift_data_type)), epsilon,
                           flags, hint_fwd_pd, attr);
}
