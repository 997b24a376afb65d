// SPDX-License-Identifier: Apache-2.0
// Validation of binary: rows BIN-01..13. Contradictions (invalid_arguments) are reported before missing support.
#include "ops/binary/binary.hpp"

#include <algorithm>

#include "core/program/binary.hpp"
#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

namespace {

constexpr const char* primitive = "binary";
constexpr int alg_param = 20; // dnnl_query_alg_kind

Result<void> check_alg(int alg, const MemoryDesc& src2) {
    if (!is_binary(alg)) return invalid("binary: algorithm {} is none of binary_add to binary_select", alg_name(alg));
    if (alg == binary::select && src2.is_zero())
        return invalid("binary: binary_select needs a condition as third source, which "
                       "dnnl_binary_primitive_desc_create_v2 takes");
    if (alg != binary::select && !src2.is_zero())
        return invalid("binary: a third source is given, which {} does not read; binary_select alone has one",
                       alg_name(alg));
    return {};
}

// The broadcast of two extents: 1 adapts to every other, 0 included.
int64_t joined(int64_t a, int64_t b) { return a == 1 ? b : a; }

Result<void> check_shapes(const MemoryDesc& src0, const MemoryDesc& src1, const MemoryDesc& dst) {
    if (src0.ndims != src1.ndims || src0.ndims != dst.ndims)
        return invalid("binary: src is {}, src_1 {}, dst {}; all need as many dimensions, extents of 1 broadcast",
                       to_string(src0.dims_span()), to_string(src1.dims_span()), to_string(dst.dims_span()));
    for (size_t d = 0; d < size_t(dst.ndims); ++d) {
        const int64_t a = src0.dims[d], b = src1.dims[d];
        if (a != b && a != 1 && b != 1)
            return invalid("binary: dimension {} of src is {}, of src_1 {}; they must be equal or one of them 1", d, a,
                           b);
        if (dst.dims[d] != joined(a, b))
            return invalid("binary: dimension {} of dst is {}; of src {} and src_1 {} comes {}", d, dst.dims[d], a, b,
                           joined(a, b));
    }
    return {};
}

Result<void> check_condition(const MemoryDesc& src0, const MemoryDesc& src2) {
    if (src2.is_zero()) return {};
    if (src2.type != DataType::s8)
        return invalid("binary: the condition (src_2) of select is {}; it must be s8", name(src2.type));
    if (src2.ndims != src0.ndims || !std::ranges::equal(src2.dims_span(), src0.dims_span()))
        return invalid("binary: the condition (src_2) of select is {}, src {}; their shapes must be equal",
                       to_string(src2.dims_span()), to_string(src0.dims_span()));
    return {};
}

bool has_one_element(const MemoryDesc& md) {
    return std::ranges::all_of(md.dims_span(), [](int64_t extent) { return extent == 1; });
}

// BIN-06: `any` takes the layout of src0; if src0 has a single element, dst takes that of src1.
Result<void> choose_layouts(const MemoryDesc& src0, MemoryDesc& src1, MemoryDesc& src2, MemoryDesc& dst) {
    for (MemoryDesc* open : {&src1, &src2, &dst}) {
        if (open->kind != FormatKind::any) continue;
        auto chosen = layout_after(open == &dst && has_one_element(src0) ? src1 : src0, open->dims_span(), open->type);
        if (!chosen) return Refusal(chosen.error());
        *open = *chosen;
    }
    return {};
}

} // namespace

int alg_of_binary(const Problem& p) { return int(p.params.at(alg_param)); }

Result<Problem> make_binary(int alg, const MemoryDesc& src0, const MemoryDesc& src1_given, const MemoryDesc& src2_given,
                            const MemoryDesc& dst_given, const Attr& attr) {
    MemoryDesc src1 = src1_given, src2 = src2_given, dst = dst_given;
    Findings findings;
    findings.add(check_alg(alg, src2));
    findings.add(check_layout(primitive, "src", src0, false));
    findings.add(check_layout(primitive, "src_1", src1, true));
    if (!src2.is_zero()) findings.add(check_layout(primitive, "src_2", src2, true));
    findings.add(check_layout(primitive, "dst", dst, true));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_shapes(src0, src1, dst));
    findings.add(check_condition(src0, src2));
    findings.add(check_computed_type(primitive, "src", src0));
    findings.add(check_computed_type(primitive, "src_1", src1));
    findings.add(check_computed_type(primitive, "dst", dst));
    findings.add(check_written(primitive, "dst", dst));
    AllowedAttributes allowed;
    allowed.sum = allowed.eltwise = allowed.binary = allowed.dropout = true;
    allowed.scales = {arg::src, arg::src_1};
    findings.add(check_attributes(primitive, attr, dst, allowed));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    const bool any1 = src1.kind == FormatKind::any, any2 = src2.kind == FormatKind::any;
    const bool any_dst = dst.kind == FormatKind::any;
    if (auto ok = choose_layouts(src0, src1, src2, dst); !ok) return Refusal(ok.error());

    Problem p;
    p.kind = PrimitiveKind::binary;
    p.attr = attr;
    p.params = {{alg_param, alg}};
    p.tensors = {{arg::src, src0, false, false}, {arg::src_1, src1, false, any1}};
    if (!src2.is_zero()) p.tensors.push_back({arg::src_2, src2, false, any2});
    p.tensors.push_back({arg::dst, dst, true, any_dst});
    if (auto ok = add_attribute_tensors(p, dst); !ok) return Refusal(ok.error());
    return p;
}

} // namespace tessera::ops
