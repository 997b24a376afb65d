// SPDX-License-Identifier: Apache-2.0
// Validation of reduction: rows RED-01..11. Contradictions (invalid_arguments) are reported before missing support.
#include <algorithm>
#include <cmath>

#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/reduction/reduction.hpp"

namespace tessera::ops {

namespace {

constexpr const char* primitive = "reduction";

bool is_norm(int alg) { return alg >= alg::reduction_norm_lp_max && alg <= alg::reduction_norm_lp_power_p_sum; }

Result<void> check_alg(int alg, float p, const MemoryDesc& src) {
    if (alg < alg::reduction_max || alg > alg::reduction_norm_lp_power_p_sum)
        return invalid("reduction: algorithm {} is none of reduction_max to reduction_norm_lp_power_p_sum",
                       alg_name(alg));
    if (!is_norm(alg)) return {};
    if (!(p >= 1) || std::isinf(p))
        return invalid("reduction: the order p of a norm is {}; it must be finite and at least 1. What large ones "
                       "come near to, the largest magnitude, is a reduction_max of absolute values",
                       p);
    if (is_integer(src.type))
        return invalid("reduction: a norm of src as {}; norms are of floating-point types, convert src by a reorder",
                       name(src.type));
    return {};
}

Result<void> check_shapes(const MemoryDesc& src, const MemoryDesc& dst) {
    if (src.ndims != dst.ndims)
        return invalid("reduction: src is {}, dst {}; both need as many dimensions, those of extent 1 in dst are "
                       "reduced",
                       to_string(src.dims_span()), to_string(dst.dims_span()));
    for (size_t d = 0; d < size_t(src.ndims); ++d)
        if (dst.dims[d] != 1 && dst.dims[d] != src.dims[d])
            return invalid("reduction: dimension {} of dst is {}; it must be 1 or that of src, {}", d, dst.dims[d],
                           src.dims[d]);
    if (std::ranges::equal(src.dims_span(), dst.dims_span()))
        return invalid("reduction: src and dst are both {}, so that nothing is reduced; give dst an extent of 1 where "
                       "src has another one",
                       to_string(src.dims_span()));
    return {};
}

} // namespace

Result<Problem> make_reduction(int alg, const MemoryDesc& src, const MemoryDesc& dst_given, float p, float eps,
                               const Attr& attr) {
    MemoryDesc dst = dst_given;
    Findings findings;
    findings.add(check_layout(primitive, "src", src, false));
    findings.add(check_layout(primitive, "dst", dst, true));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_alg(alg, p, src));
    findings.add(check_shapes(src, dst));
    findings.add(check_computed_type(primitive, "src", src));
    findings.add(check_computed_type(primitive, "dst", dst));
    findings.add(check_written(primitive, "dst", dst));
    AllowedAttributes allowed;
    allowed.sum = allowed.eltwise = allowed.binary = true;
    findings.add(check_attributes(primitive, attr, dst, allowed));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    const bool was_any = dst.kind == FormatKind::any;
    if (was_any) { // RED-10
        auto chosen = layout_after(src, dst.dims_span(), dst.type);
        if (!chosen) return Refusal(chosen.error());
        dst = *chosen;
    }

    Problem made;
    made.kind = PrimitiveKind::reduction;
    made.attr = attr;
    made.params = {{query::alg_kind, alg}};
    made.float_params = {{query::p, p}, {query::epsilon, eps}};
    made.tensors = {{arg::src, src, false, false}, {arg::dst, dst, true, was_any}};
    if (auto ok = add_attribute_tensors(made, dst); !ok) return Refusal(ok.error());
    return made;
}

} // namespace tessera::ops
