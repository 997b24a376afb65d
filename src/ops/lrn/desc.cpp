// SPDX-License-Identifier: Apache-2.0
// Validation of lrn: rows LRN-05..09. Contradictions (invalid_arguments) are reported before missing support.
#include <algorithm>

#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/lrn/lrn.hpp"

namespace tessera::ops {

namespace {

constexpr const char* primitive = "lrn";
constexpr int64_t largest_size = int64_t(1) << 40;

Result<void> check_alg(int alg) {
    if (alg == alg::lrn_across_channels || alg == alg::lrn_within_channel) return {};
    return invalid("lrn: algorithm {} is neither lrn_across_channels nor lrn_within_channel", alg_name(alg));
}

Result<void> check_size(int64_t size) {
    if (size < 0) return invalid("lrn: the local size is {}; it must not be negative", size);
    if (size > largest_size)
        return unimplemented("lrn: the local size is {}; up to {} is possible", size, largest_size);
    return {};
}

Result<void> check_tensor(const char* side, const MemoryDesc& md, const MemoryDesc& src) {
    if (!std::ranges::equal(md.dims_span(), src.dims_span()))
        return invalid("lrn: {} is {}, src {}; both have one shape", side, to_string(md.dims_span()),
                       to_string(src.dims_span()));
    if (md.type != src.type)
        return unimplemented("lrn: {} is {}, src {}; one type for both is possible", side, name(md.type),
                             name(src.type));
    return {};
}

Result<void> check_src(const MemoryDesc& src) {
    if (src.ndims < 2)
        return invalid("lrn: src has {} dimension, {}; N x C x [[D x] H x] W needs at least 2", src.ndims,
                       to_string(src.dims_span()));
    if (src.type != DataType::f32 && src.type != DataType::bf16 && src.type != DataType::f16)
        return unimplemented("lrn: src is {}; f32, bf16, f16 are possible", name(src.type));
    return {};
}

Problem problem_of(PropKind prop, int alg, const LrnParameters& p, const Attr& attr) {
    Problem made;
    made.kind = PrimitiveKind::lrn;
    made.prop = prop;
    made.attr = attr;
    made.params = {{query::alg_kind, alg}, {query::local_size, p.size}};
    made.float_params = {{query::alpha, p.alpha}, {query::beta, p.beta}, {query::k, p.k}};
    return made;
}

} // namespace

Result<Problem> make_lrn_forward(PropKind prop, int alg, const MemoryDesc& src, const MemoryDesc& dst_given,
                                 const LrnParameters& parameters, const Attr& attr) {
    MemoryDesc dst = dst_given;
    Findings findings;
    findings.add(check_forward(PrimitiveKind::lrn, prop));
    findings.add(check_alg(alg));
    findings.add(check_size(parameters.size));
    findings.add(check_layout(primitive, "src", src, false));
    findings.add(check_layout(primitive, "dst", dst, true));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_src(src));
    findings.add(check_tensor("dst", dst, src));
    findings.add(check_written(primitive, "dst", dst));
    findings.add(check_attributes(primitive, attr, dst, {}));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    const auto any = choose_layout(dst, src);
    if (!any) return Refusal(any.error());
    Problem p = problem_of(prop, alg, parameters, attr);
    p.tensors = {{arg::src, src, false, false}, {arg::dst, dst, true, *any}};
    return p;
}

Result<Problem> make_lrn_backward(int alg, const MemoryDesc& diff_src_given, const MemoryDesc& diff_dst_given,
                                  const MemoryDesc& src, const LrnParameters& parameters, const Attr& attr) {
    MemoryDesc diff_src = diff_src_given, diff_dst = diff_dst_given;
    Findings findings;
    findings.add(check_alg(alg));
    findings.add(check_size(parameters.size));
    findings.add(check_layout(primitive, "src", src, false));
    findings.add(check_layout(primitive, "diff_dst", diff_dst, true));
    findings.add(check_layout(primitive, "diff_src", diff_src, true));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_src(src));
    findings.add(check_tensor("diff_dst", diff_dst, src));
    findings.add(check_tensor("diff_src", diff_src, src));
    findings.add(check_written(primitive, "diff_src", diff_src));
    findings.add(check_attributes(primitive, attr, diff_src, {}));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    const auto any_dst = choose_layout(diff_dst, src), any_src = choose_layout(diff_src, src);
    if (!any_dst) return Refusal(any_dst.error());
    if (!any_src) return Refusal(any_src.error());
    Problem p = problem_of(PropKind::backward_data, alg, parameters, attr);
    p.tensors = {{arg::src, src, false, false},
                 {arg::diff_dst, diff_dst, false, *any_dst},
                 {arg::diff_src, diff_src, true, *any_src}};
    return p;
}

} // namespace tessera::ops
