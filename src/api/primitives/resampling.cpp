// SPDX-License-Identifier: Apache-2.0
// The C calls that create resamplings. The rules are in ops/resampling/desc.cpp.
#include "ops/resampling/resampling.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"
#include "ops/descriptors.hpp"

using namespace tessera;

namespace {

// One factor per spatial dimension of `md`; none if md has no valid number of dimensions.
std::span<const float> factors_of(const float* factors, const MemoryDesc& md) {
    if (!factors || md.ndims < 3 || md.ndims > 5) return {};
    return {factors, size_t(md.ndims - 2)};
}

// The answer to dnnl_query_factors: the ratio of the extents, whatever factors the caller gave (RES-06).
void keep_factors(dnnl_primitive_desc& pd) {
    const Problem& p = pd.impl->problem;
    const bool backward = p.prop == PropKind::backward_data;
    const MemoryDesc& src = p.md(backward ? arg::diff_src : arg::src);
    const MemoryDesc& dst = p.md(backward ? arg::diff_dst : arg::dst);
    for (size_t d = 2; d < size_t(src.ndims); ++d)
        pd.factors[d - 2] = src.dims[d] ? float(dst.dims[d]) / float(src.dims[d]) : 1.f;
}

} // namespace

dnnl_status_t dnnl_resampling_forward_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                            dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
                                                            const float* factors, const_dnnl_memory_desc_t src_desc,
                                                            const_dnnl_memory_desc_t dst_desc,
                                                            const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_resampling_forward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc); !ok) return ok;
        if (auto ok = ops::check_forward(PrimitiveKind::resampling, PropKind(int(prop_kind))); !ok) return ok;
        if (!dst_desc && !factors)
            return invalid("resampling: neither dst_desc nor factors are given; one of them must tell dst's extents");
        if (auto ok = create_primitive_desc(
                primitive_desc, engine, engine,
                ops::make_resampling(PropKind(int(prop_kind)), int(alg_kind), factors_of(factors, src_desc->md),
                                     src_desc->md, dst_desc ? dst_desc->md : MemoryDesc{}, attr_or_default(attr)));
            !ok)
            return ok;
        keep_factors(**primitive_desc);
        return {};
    });
}

dnnl_status_t dnnl_resampling_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const float* factors,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_resampling_backward_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "diff_src_desc", diff_src_desc,
                           "diff_dst_desc", diff_dst_desc);
            !ok)
            return ok;
        if (auto ok = check_hint(PrimitiveKind::resampling, hint_fwd_pd); !ok) return ok;
        if (auto ok = create_primitive_desc(
                primitive_desc, engine, engine,
                ops::make_resampling(PropKind::backward_data, int(alg_kind), factors_of(factors, diff_src_desc->md),
                                     diff_src_desc->md, diff_dst_desc->md, attr_or_default(attr),
                                     hint_fwd_pd ? &hint_fwd_pd->impl->problem : nullptr));
            !ok)
            return ok;
        keep_factors(**primitive_desc);
        return {};
    });
}
