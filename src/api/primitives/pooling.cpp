// SPDX-License-Identifier: Apache-2.0
// The C calls that create poolings. The rules are in ops/pooling/desc.cpp.
#include "ops/pooling/pooling.hpp"

#include <algorithm>

#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

namespace {

// An entry for each spatial dimension of `md`; those of descriptors without as many are not read.
ops::PoolingWindows windows_of(const MemoryDesc& md, const int64_t* strides, const int64_t* kernel,
                               const int64_t* dilation, const int64_t* padding_l, const int64_t* padding_r) {
    ops::PoolingWindows w;
    if (md.ndims < 3 || md.ndims > 5) return w;
    const auto copy = [&](const int64_t* from, Dims& to) { std::copy_n(from, md.ndims - 2, to.begin()); };
    copy(strides, w.strides), copy(kernel, w.kernel), copy(dilation, w.dilation);
    copy(padding_l, w.padding_l), copy(padding_r ? padding_r : padding_l, w.padding_r);
    return w;
}

} // namespace

dnnl_status_t dnnl_pooling_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                         dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
                                                         const_dnnl_memory_desc_t src_desc,
                                                         const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides,
                                                         const dnnl_dims_t kernel, const dnnl_dims_t dilation,
                                                         const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
                                                         const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_pooling_forward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok =
                need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "dst_desc", dst_desc,
                     "strides", strides, "kernel", kernel, "dilation", dilation, "padding_l", padding_l);
            !ok)
            return ok;
        return create_primitive_desc(
            primitive_desc, engine, engine,
            ops::make_pooling_forward(PropKind(int(prop_kind)), int(alg_kind), src_desc->md, dst_desc->md,
                                      windows_of(src_desc->md, strides, kernel, dilation, padding_l, padding_r),
                                      attr_or_default(attr)));
    });
}

dnnl_status_t dnnl_pooling_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_pooling_backward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "diff_src_desc", diff_src_desc,
                           "diff_dst_desc", diff_dst_desc, "strides", strides, "kernel", kernel, "dilation", dilation,
                           "padding_l", padding_l);
            !ok)
            return ok;
        if (auto ok = check_hint(PrimitiveKind::pooling, hint_fwd_pd); !ok) return ok;
        return create_primitive_desc(
            primitive_desc, engine, engine,
            ops::make_pooling_backward(int(alg_kind), diff_src_desc->md, diff_dst_desc->md,
                                       windows_of(diff_src_desc->md, strides, kernel, dilation, padding_l, padding_r),
                                       hint_fwd_pd ? &hint_fwd_pd->impl->problem : nullptr, attr_or_default(attr)));
    });
}
