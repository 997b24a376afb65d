// SPDX-License-Identifier: Apache-2.0
// Validation of softmax: rows SOF-03..07 and SOF-10..12. Contradictions (invalid_arguments) are reported before missing
// support.
#include <algorithm>

#include "core/program/lib/eltwise.hpp"
#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/softmax/softmax.hpp"

namespace tessera::ops {

namespace {

constexpr const char* primitive = "softmax";

Result<void> check_alg(int alg) {
    if (alg == alg::softmax_accurate || alg == alg::softmax_log) return {};
    return invalid("softmax: algorithm {} is neither softmax_accurate nor softmax_log", alg_name(alg));
}

Result<void> check_axis(int axis, const MemoryDesc& md) {
    if (axis >= 0 && axis < md.ndims) return {};
    return invalid("softmax: axis {} is outside of 0..{}, the dimensions of {}", axis, md.ndims - 1,
                   to_string(md.dims_span()));
}

Result<void> check_shapes(const char* a_name, const MemoryDesc& a, const char* b_name, const MemoryDesc& b) {
    if (std::ranges::equal(a.dims_span(), b.dims_span())) return {};
    return invalid("softmax: {} is {}, {} is {}; shapes must be equal", a_name, to_string(a.dims_span()), b_name,
                   to_string(b.dims_span()));
}

// SOF-06: probabilities and their logarithms need no scale, unless they or what they are made of are integers, or they
// become f8.
Result<void> check_scales(const Attr& attr, const MemoryDesc& src, const MemoryDesc& dst) {
    const bool to_f8 = dst.type == DataType::f8_e5m2 || dst.type == DataType::f8_e4m3;
    if (attr.scales.empty() || is_integer(src.type) || is_integer(dst.type) || to_f8) return {};
    return unimplemented(
        "softmax: scales of {} where src is {} and dst {}; scales belong to integers and to a dst of f8, a linear "
        "post-op multiplies others",
        arg_name(attr.scales.begin()->first), name(src.type), name(dst.type));
}

Result<void> check_gradient(const char* side, const MemoryDesc& md) {
    if (is_integer(md.type))
        return unimplemented("softmax: {} is {}; the floating-point types have gradients", side, name(md.type));
    return check_computed_type(primitive, side, md);
}

Problem problem_of(PropKind prop, int alg, int axis, const Attr& attr) {
    Problem p;
    p.kind = PrimitiveKind::softmax;
    p.prop = prop;
    p.attr = attr;
    p.params = {{query::alg_kind, alg}, {query::axis, axis}};
    return p;
}

} // namespace

Result<Problem> make_softmax_forward(PropKind prop, int alg, const MemoryDesc& src, const MemoryDesc& dst_given,
                                     int axis, const Attr& attr) {
    Findings findings;
    findings.add(check_forward(PrimitiveKind::softmax, prop));
    findings.add(check_alg(alg));
    findings.add(check_layout(primitive, "src", src, false));
    findings.add(check_layout(primitive, "dst", dst_given, true));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_axis(axis, src));
    findings.add(check_shapes("src", src, "dst", dst_given));
    findings.add(check_computed_type(primitive, "src", src));
    findings.add(check_computed_type(primitive, "dst", dst_given));
    findings.add(check_written(primitive, "dst", dst_given));
    AllowedAttributes allowed;
    allowed.scales = {arg::src, arg::dst};
    allowed.eltwise = allowed.binary = allowed.dropout = true;
    findings.add(check_attributes(primitive, attr, dst_given, allowed));
    findings.add(check_scales(attr, src, dst_given));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());

    MemoryDesc dst = dst_given;
    if (auto ok = choose_layout(dst, src); !ok) return Refusal(ok.error());
    Problem p = problem_of(prop, alg, axis, attr);
    p.tensors = {{arg::src, src, false, false}, {arg::dst, dst, true, dst_given.kind == FormatKind::any}};
    if (auto ok = add_attribute_tensors(p, dst); !ok) return Refusal(ok.error());
    return p;
}

Result<Problem> make_softmax_backward(int alg, const MemoryDesc& diff_src_given, const MemoryDesc& diff_dst_given,
                                      const MemoryDesc& dst, int axis, const Attr& attr) {
    Findings findings;
    findings.add(check_alg(alg));
    findings.add(check_layout(primitive, "dst", dst, false));
    findings.add(check_layout(primitive, "diff_src", diff_src_given, true));
    findings.add(check_layout(primitive, "diff_dst", diff_dst_given, true));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_axis(axis, dst));
    findings.add(check_shapes("dst", dst, "diff_src", diff_src_given));
    findings.add(check_shapes("dst", dst, "diff_dst", diff_dst_given));
    findings.add(check_gradient("dst", dst));
    findings.add(check_gradient("diff_src", diff_src_given));
    findings.add(check_gradient("diff_dst", diff_dst_given));
    findings.add(check_written(primitive, "diff_src", diff_src_given));
    AllowedAttributes allowed;
    allowed.stochastic = {arg::diff_src};
    findings.add(check_attributes(primitive, attr, diff_src_given, allowed));
    findings.add(check_rounding(primitive, attr, arg::diff_src, diff_src_given));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());

    MemoryDesc diff_src = diff_src_given, diff_dst = diff_dst_given;
    if (auto ok = choose_layout(diff_dst, dst); !ok) return Refusal(ok.error());
    if (auto ok = choose_layout(diff_src, diff_dst); !ok) return Refusal(ok.error());
    Problem p = problem_of(PropKind::backward_data, alg, axis, attr);
    p.tensors = {{arg::dst, dst, false, false},
                 {arg::diff_dst, diff_dst, false, diff_dst_given.kind == FormatKind::any},
                 {arg::diff_src, diff_src, true, diff_src_given.kind == FormatKind::any}};
    return p;
}

} // namespace tessera::ops
