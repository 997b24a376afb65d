// SPDX-License-Identifier: Apache-2.0
// Validation of eltwise: rows ELT-01..43. Contradictions (invalid_arguments) are reported before missing support.
#include "ops/eltwise/eltwise.hpp"

#include <algorithm>

#include "core/program/lib/eltwise.hpp"
#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

namespace {

constexpr const char* primitive = "eltwise";

// Numbers of dnnl_alg_kind_t that rules speak of.
constexpr int relu = 0x20, linear = 0x26, clip = 0x2e, clip_v2 = 0x2f, round = 0x32;
constexpr int relu_use_dst = 0x100, elu_use_dst = 0x102, clip_v2_use_dst = 0x106;

Result<void> check_alg(int alg, float alpha, float beta) {
    if (!is_eltwise(alg))
        return invalid("eltwise: algorithm {} is none of eltwise; those whose names begin with eltwise_ are",
                       alg_name(alg));
    if ((alg == clip || alg == clip_v2 || alg == clip_v2_use_dst) && !(alpha <= beta))
        return invalid("eltwise: {} with alpha {} and beta {} has an empty range; alpha must not be above beta",
                       alg_name(alg), alpha, beta);
    if ((alg == relu_use_dst || alg == elu_use_dst) && !(alpha >= 0))
        return invalid("eltwise: {} with alpha {}: the sign of src cannot be told from dst then; alpha must not be "
                       "negative, or take the form that uses src",
                       alg_name(alg), alpha);
    return {};
}

Result<void> check_forward_type(int alg, DataType type) {
    if (is_integer(type) && alg != relu && alg != relu_use_dst && alg != linear && alg != clip)
        return invalid("eltwise: {} of {} elements; relu, linear and clip take integers, a reorder to f32 before makes "
                       "the others possible",
                       alg_name(alg), name(type));
    if (alg == round && type != DataType::f32)
        return invalid("eltwise: {} of {} elements; it takes f32 alone", alg_name(alg), name(type));
    return {};
}

// Of the types that elements can have those that this function, or its gradient, is of.
Result<void> check_element_type(int alg, const char* side, const MemoryDesc& md, bool backward) {
    const auto ok = check_computed_type(primitive, side, md);
    if (ok || ok.error().status == Status::invalid_arguments || (!backward && check_forward_type(alg, DataType::s8)))
        return ok;
    return unimplemented("{}: {} is {}; {} possible", primitive, side, name(md.type),
                         alg == round ? "f32 is" : "f32, bf16, f16, f8_e5m2, f8_e4m3 are");
}

Result<void> check_backward_type(int alg, DataType type) {
    if (is_eltwise(alg) && !has_backward(alg))
        return invalid("eltwise: {} has no backward; its forward is possible", alg_name(alg));
    if (auto ok = check_forward_type(alg, type); !ok) return ok; // types that forward refuses, too (ELT-33)
    if (is_integer(type))
        return unimplemented("eltwise: backward of {} elements; the floating-point types have gradients", name(type));
    return {};
}

Result<void> check_same(const char* a_name, const MemoryDesc& a, const char* b_name, const MemoryDesc& b) {
    if (!std::ranges::equal(a.dims_span(), b.dims_span()))
        return invalid("eltwise: {} is {}, {} is {}; shapes must be equal", a_name, to_string(a.dims_span()), b_name,
                       to_string(b.dims_span()));
    if (a.type != b.type)
        return unimplemented("eltwise: {} is {}, {} is {}; the types must be equal, a reorder converts", a_name,
                             name(a.type), b_name, name(b.type));
    return {};
}

Problem problem_of(PropKind prop, int alg, float alpha, float beta, const Attr& attr) {
    Problem p;
    p.kind = PrimitiveKind::eltwise;
    p.prop = prop;
    p.attr = attr;
    p.params = {{query::alg_kind, alg}};
    p.float_params = {{query::alpha, alpha}, {query::beta, beta}};
    return p;
}

} // namespace

Result<Problem> make_eltwise_forward(PropKind prop, int alg, const MemoryDesc& src, const MemoryDesc& dst_given,
                                     float alpha, float beta, const Attr& attr) {
    Findings findings;
    findings.add(check_forward(PrimitiveKind::eltwise, prop));
    findings.add(check_alg(alg, alpha, beta));
    findings.add(check_layout(primitive, "src", src, false));
    findings.add(check_layout(primitive, "dst", dst_given, true));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_same("src", src, "dst", dst_given));
    findings.add(check_forward_type(alg, src.type));
    findings.add(check_element_type(alg, "src", src, false));
    findings.add(check_written(primitive, "dst", dst_given));
    AllowedAttributes allowed;
    allowed.sum = allowed.eltwise = allowed.binary = allowed.prelu = allowed.dropout = true;
    findings.add(check_attributes(primitive, attr, dst_given, allowed));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());

    MemoryDesc dst = dst_given;
    if (auto ok = choose_layout(dst, src); !ok) return Refusal(ok.error());
    Problem p = problem_of(prop, alg, alpha, beta, attr);
    p.tensors = {{arg::src, src, false, false}, {arg::dst, dst, true, dst_given.kind == FormatKind::any}};
    if (auto ok = add_attribute_tensors(p, dst); !ok) return Refusal(ok.error());
    return p;
}

Result<Problem> make_eltwise_backward(int alg, const MemoryDesc& diff_src_given, const MemoryDesc& diff_dst_given,
                                      const MemoryDesc& data, float alpha, float beta, const Attr& attr) {
    const char* data_name = uses_dst(alg) ? "dst" : "src";
    Findings findings;
    findings.add(check_alg(alg, alpha, beta));
    findings.add(check_layout(primitive, data_name, data, false));
    findings.add(check_layout(primitive, "diff_src", diff_src_given, true));
    findings.add(check_layout(primitive, "diff_dst", diff_dst_given, true));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_same(data_name, data, "diff_src", diff_src_given));
    findings.add(check_same(data_name, data, "diff_dst", diff_dst_given));
    findings.add(check_backward_type(alg, data.type));
    findings.add(check_element_type(alg, data_name, data, true));
    findings.add(check_written(primitive, "diff_src", diff_src_given));
    AllowedAttributes allowed;
    allowed.stochastic = {arg::diff_src};
    findings.add(check_attributes(primitive, attr, diff_src_given, allowed));
    findings.add(check_rounding(primitive, attr, arg::diff_src, diff_src_given));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());

    MemoryDesc diff_src = diff_src_given, diff_dst = diff_dst_given;
    if (auto ok = choose_layout(diff_dst, diff_src.is_blocked() ? diff_src : data); !ok) return Refusal(ok.error());
    if (auto ok = choose_layout(diff_src, diff_dst); !ok) return Refusal(ok.error());
    Problem p = problem_of(PropKind::backward_data, alg, alpha, beta, attr);
    p.tensors = {{uses_dst(alg) ? arg::dst : arg::src, data, false, false},
                 {arg::diff_dst, diff_dst, false, diff_dst_given.kind == FormatKind::any},
                 {arg::diff_src, diff_src, true, diff_src_given.kind == FormatKind::any}};
    return p;
}

EltwiseView view_of_eltwise(const Problem& p) {
    const bool backward = p.prop == PropKind::backward_data;
    return {.alg = int(p.params.at(query::alg_kind)),
            .alpha = p.float_params.at(query::alpha),
            .beta = p.float_params.at(query::beta),
            .backward = backward,
            .data = p.tensors.front().arg,
            .to = backward ? arg::diff_src : arg::dst};
}

} // namespace tessera::ops
