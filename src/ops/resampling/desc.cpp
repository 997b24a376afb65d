// SPDX-License-Identifier: Apache-2.0
// Validation of resampling: rows RES-03..12.
#include <algorithm>
#include <cmath>

#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/resampling/resampling.hpp"

namespace tessera::ops {

namespace {

constexpr const char* primitive = "resampling";
// Limit of a spatial dimension: its tables, some 20 bytes per index, are made at creation and would take 20 MiB.
constexpr int64_t longest_extent = 1 << 20;

Result<void> check_kind(PropKind prop, int alg) {
    if (prop != PropKind::forward_training && prop != PropKind::forward_inference && prop != PropKind::backward_data)
        return invalid("resampling: propagation kind {} is none of forward_training, forward_inference and "
                       "backward_data",
                       named(prop));
    if (alg != resampling_nearest && alg != resampling_linear)
        return invalid("resampling: algorithm {} is neither resampling_nearest nor resampling_linear", alg_name(alg));
    return {};
}

Result<void> check_rank(const char* side, const MemoryDesc& md) {
    if (md.is_zero() || (md.ndims >= 3 && md.ndims <= 5)) return {};
    return invalid("resampling: {} has {:dimension}, {}; N x C x [[D x] H x] W needs 3 to 5", side, counted(md.ndims),
                   to_string(md.dims_span()));
}

// RES-06: dst's spatial extents from src's. The product is rounded to f32 before it is rounded down: 10 * 0.7f is 7.
Result<MemoryDesc> dst_by_factors(const MemoryDesc& src, std::span<const float> factors) {
    std::vector<int64_t> dims(src.dims_span().begin(), src.dims_span().end());
    for (size_t d = 2; d < dims.size(); ++d) {
        const float factor = factors[d - 2], extent = std::floor(float(dims[d]) * factor);
        if (dims[d] == 0 && factor > 0 && std::isfinite(factor)) continue; // 0 times a factor is 0
        if (!(extent >= 1.f) || extent > float(longest_extent))
            return invalid("resampling: factor {} makes {} of the {:element} of dimension {}; dst needs 1 to {}",
                           factor, extent, counted(dims[d]), d, longest_extent);
        dims[d] = int64_t(extent);
    }
    return make_desc_any(dims, src.type);
}

Result<void> check_shapes(const char* src_name, const MemoryDesc& src, const char* dst_name, const MemoryDesc& dst) {
    if (src.ndims != dst.ndims)
        return invalid("resampling: {} is {}, {} is {}; both need as many dimensions", src_name,
                       to_string(src.dims_span()), dst_name, to_string(dst.dims_span()));
    for (size_t d = 0; d < 2; ++d)
        if (src.dims[d] != dst.dims[d])
            return invalid("resampling: dimension {} of {} is {}, of {} {}; batch and channels are not resampled and "
                           "must be equal",
                           d, src_name, src.dims[d], dst_name, dst.dims[d]);
    for (size_t d = 2; d < size_t(src.ndims); ++d)
        if ((src.dims[d] == 0) != (dst.dims[d] == 0))
            return invalid(
                "resampling: spatial dimension {} of {} is {}, of {} {}; nothing can be resampled from or to "
                "no elements, both need at least 1",
                d, src_name, src.dims[d], dst_name, dst.dims[d]);
    for (size_t d = 2; d < size_t(src.ndims); ++d)
        if (std::max(src.dims[d], dst.dims[d]) > longest_extent)
            return unimplemented("resampling: spatial dimension {} of {} is {}, of {} {}; up to {} are possible, cut "
                                 "longer ones into pieces",
                                 d, src_name, src.dims[d], dst_name, dst.dims[d], longest_extent);
    return {};
}

} // namespace

Result<Problem> make_resampling(PropKind prop, int alg, std::span<const float> factors, const MemoryDesc& src_given,
                                const MemoryDesc& dst_given, const Attr& attr, const Problem* hint) {
    const bool backward = prop == PropKind::backward_data;
    const char* src_name = backward ? "diff_src" : "src";
    const char* dst_name = backward ? "diff_dst" : "dst";
    MemoryDesc src = src_given, dst = dst_given;
    Findings findings;
    findings.add(check_kind(prop, alg));
    findings.add(check_layout(primitive, src_name, src, backward));
    findings.add(check_rank(src_name, src));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    if (dst.is_zero() && !backward && !factors.empty()) {
        auto made = dst_by_factors(src, factors);
        if (!made) return Refusal(made.error());
        dst = *made;
    }
    findings.add(check_layout(primitive, dst_name, dst, true));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_shapes(src_name, src, dst_name, dst));
    findings.add(check_computed_type(primitive, src_name, src));
    findings.add(check_computed_type(primitive, dst_name, dst));
    findings.add(check_written(primitive, backward ? src_name : dst_name, backward ? src : dst));
    AllowedAttributes allowed;
    allowed.sum = allowed.eltwise = allowed.binary = allowed.dropout = !backward;
    if (backward) allowed.stochastic = {arg::diff_src};
    findings.add(check_attributes(primitive, attr, backward ? src : dst, allowed));
    if (backward) findings.add(check_rounding(primitive, attr, arg::diff_src, src));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());

    const bool any_src = src.kind == FormatKind::any, any_dst = dst.kind == FormatKind::any;
    if (auto ok = choose_gradient(dst, src, hint); !ok) return Refusal(ok.error());
    if (auto ok = choose_layout(src, dst); !ok) return Refusal(ok.error());
    Problem p;
    p.kind = PrimitiveKind::resampling;
    p.prop = prop;
    p.attr = attr;
    p.params = {{query::alg_kind, alg}};
    if (backward)
        p.tensors = {{arg::diff_dst, dst, false, any_dst}, {arg::diff_src, src, true, any_src}};
    else
        p.tensors = {{arg::src, src, false, any_src}, {arg::dst, dst, true, any_dst}};
    if (auto ok = add_attribute_tensors(p, p.tensors.back().md); !ok) return Refusal(ok.error());
    return p;
}

} // namespace tessera::ops
