// SPDX-License-Identifier: Apache-2.0
// Validation of matmul: rows MAT-01..50. Contradictions (invalid_arguments) are reported before missing support.
#include <algorithm>

#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/matmul/matmul.hpp"

namespace tessera::ops {

namespace {

std::string text_of(int64_t extent) { return to_string({&extent, 1}); }

// ---- shapes

Result<void> check_ranks(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& bias,
                         const MemoryDesc& dst) {
    if (src.ndims != weights.ndims || src.ndims != dst.ndims)
        return invalid("matmul: src is {}, weights {}, dst {}; all need as many dimensions, batch dimensions of 1 "
                       "broadcast",
                       to_string(src.dims_span()), to_string(weights.dims_span()), to_string(dst.dims_span()));
    if (src.ndims < 2)
        return invalid("matmul: src {} has one dimension; a matrix has two, a vector is 1x{} or {}x1",
                       to_string(src.dims_span()), text_of(src.dims[0]), text_of(src.dims[0]));
    if (!bias.is_zero() && bias.ndims != dst.ndims)
        return invalid("matmul: bias is {}, dst {}; it needs as many dimensions, each 1 or that of dst",
                       to_string(bias.dims_span()), to_string(dst.dims_span()));
    return {};
}

// A run-time dim equals only another run-time dim.
Result<void> check_same(const char* one, const MemoryDesc& a, size_t d, const char* other, const MemoryDesc& b,
                        size_t e) {
    if (a.dims[d] == b.dims[e]) return {};
    return invalid("matmul: dimension {} of {} ({}) is {}, dimension {} of {} ({}) {}; they must be equal", d, one,
                   to_string(a.dims_span()), text_of(a.dims[d]), e, other, to_string(b.dims_span()),
                   text_of(b.dims[e]));
}

Result<void> check_batch(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& dst, size_t d) {
    const int64_t s = src.dims[d], w = weights.dims[d], joined = s == 1 ? w : s;
    if (s != w && s != 1 && w != 1)
        return invalid("matmul: batch dimension {} of src is {}, of weights {}; they must be equal or one of them 1", d,
                       text_of(s), text_of(w));
    if (dst.dims[d] != joined)
        return invalid("matmul: batch dimension {} of dst is {}; of src {} and weights {} comes {}", d,
                       text_of(dst.dims[d]), text_of(s), text_of(w), text_of(joined));
    return {};
}

Result<void> check_shapes(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& bias,
                          const MemoryDesc& dst) {
    if (auto ok = check_ranks(src, weights, bias, dst); !ok) return ok;
    const size_t n = size_t(dst.ndims) - 1, m = n - 1;
    for (size_t d = 0; d < m; ++d)
        if (auto ok = check_batch(src, weights, dst, d); !ok) return ok;
    if (auto ok = check_same("src", src, n, "weights", weights, m); !ok) return ok;
    if (auto ok = check_same("dst", dst, m, "src", src, m); !ok) return ok;
    if (auto ok = check_same("dst", dst, n, "weights", weights, n); !ok) return ok;
    for (size_t d = 0; d < size_t(bias.ndims); ++d)
        if (bias.dims[d] != 1 && bias.dims[d] != dst.dims[d])
            return invalid("matmul: dimension {} of bias is {}; it must be 1 or that of dst, {}", d,
                           text_of(bias.dims[d]), text_of(dst.dims[d]));
    return {};
}

// ---- types

bool is_small_float(DataType t) { return !is_integer(t) && has_sign(t) && bits(t) <= 32; }
bool is_small_integer(DataType t) { return is_integer(t) && bits(t) <= 8 && range(t).highest > 1; }

Result<void> check_types(const MemoryDesc& src, const MemoryDesc& weights, const Attr& attr) {
    const DataType s = src.type, w = weights.type;
    const auto pair = [&] { return fmt::format("{} of src with {} of weights", name(s), name(w)); };
    if (is_small_float(s) && is_small_float(w)) return {};
    if (is_small_float(s) && is_small_integer(w)) {
        if (attr.fpmath_apply_to_int) return {};
        return unimplemented("matmul: {}: integer weights are converted only where the attributes say so; "
                             "dnnl_primitive_attr_set_fpmath_mode_v2 with apply_to_int does",
                             pair());
    }
    if (is_small_integer(s) && bits(s) == 8 && is_small_integer(w)) return {};
    return unimplemented(
        "matmul: {}; possible are f32, bf16, f16, f8, f4 on both sides, u8 and s8 with u8, s8, u4, s4, "
        "and the former with the latter",
        pair());
}

Result<void> check_written_type(const MemoryDesc& dst) {
    if (is_small_float(dst.type)) return {};
    return check_computed_type(matmul_name, "dst", dst);
}

// ---- scales, zero points, reductions

Result<void> check_groups(const char* what, int id, const Quant& q, const MemoryDesc& md) {
    if (q.mask >> md.ndims)
        return invalid("matmul: the mask {} of the {} of {} names a dimension beyond the {} of the tensor", q.mask,
                       what, arg_name(id), md.ndims);
    for (size_t k = 0; k < q.groups.size(); ++k) {
        const size_t d = size_t(md.ndims) - 2 + k;
        if (md.dims[d] != runtime_dim && md.dims[d] % q.groups[k])
            return invalid("matmul: dimension {} of {} ({}) is no multiple of the group {} of its {}", d, arg_name(id),
                           md.dims[d], q.groups[k], what);
        if (q.groups[k] > 1 && !(q.mask >> d & 1))
            return invalid("matmul: {} of {} have a group of {} along dimension {}, which their mask {} leaves out",
                           what, arg_name(id), q.groups[k], d, q.mask);
    }
    if (q.mode != QuantizationMode::static_sazp && id != arg::dst)
        return unimplemented("matmul: {} of {} that the primitive computes itself (dynamic quantization); those of dst "
                             "are possible",
                             what, arg_name(id));
    return {};
}

// Dynamic quantization: scales that the primitive computes, one per group of a row (MAT-44).
Result<void> check_dynamic(const MemoryDesc& dst, const Attr& attr) {
    const Quant* q = dynamic_scales(attr);
    if (!q) return {};
    const bool mx = q->mode == QuantizationMode::dynamic_mx;
    const DataType type = mx ? DataType::e8m0 : DataType::f8_e4m3;
    if (q->mask != (1 << dst.ndims) - 1 || q->groups.size() != 2 || q->groups[0] != 1 || q->groups[1] > most_in_group)
        return unimplemented("matmul: dynamic scales of dst with mask {} and groups {}; mask {} and groups of 1x32, of "
                             "up to {} elements of a row, are possible",
                             q->mask, to_string(q->groups), (1 << dst.ndims) - 1, most_in_group);
    if (q->type != type)
        return unimplemented("matmul: dynamic scales of dst of type {}; this mode has {}", name(q->type), name(type));
    if (is_integer(dst.type) || bits(dst.type) > 8)
        return unimplemented("matmul: dynamic scales of dst, which is {}; f8 and f4 are possible", name(dst.type));
    if (attr.zero_points.count(arg::dst) || rounds_stochastically(attr, arg::dst))
        return unimplemented("matmul: dynamic scales of dst beside zero points or stochastic rounding; scales alone "
                             "are possible");
    return {};
}

Result<void> check_zero_points(int id, const Quant& q, const MemoryDesc& md, bool integer_weights) {
    if (!is_integer(md.type) && !(id == arg::dst && integer_weights))
        return unimplemented("matmul: zero points of {}, which is {}; integers can have them, and every dst where the "
                             "weights are integers",
                             arg_name(id), name(md.type));
    return check_groups("zero points", id, q, md);
}

Result<void> check_reductions(const Quant& q, const MemoryDesc& src, const Attr& attr) {
    const int matrix = 3 << (src.ndims - 2);
    if (auto ok = check_groups("precomputed reductions", arg::src, q, src); !ok) return ok;
    if (!is_integer(src.type))
        return unimplemented("matmul: precomputed reductions of src, which is {}; those of integers are possible",
                             name(src.type));
    if ((q.mask & matrix) != matrix)
        return unimplemented("matmul: precomputed reductions with mask {}; each row has its own, and each group of k: "
                             "mask {}",
                             q.mask, matrix);
    if (attr.zero_points.count(arg::src))
        return unimplemented("matmul: precomputed reductions beside zero points of src; one of them is possible");
    if (attr.output_scales.at_execution()) // both arguments have the same number
        return invalid("matmul: precomputed reductions beside output scales at execution; one of them is possible");
    return {};
}

void check_quants(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& dst, const Attr& attr,
                  Findings& findings) {
    const auto md_of = [&](int id) {
        return id == arg::src ? &src : id == arg::weights ? &weights : id == arg::dst ? &dst : nullptr;
    };
    const bool integer_weights = is_integer(weights.type);
    for (const auto& [id, q] : attr.scales) {
        if (const MemoryDesc* md = md_of(id))
            findings.add(check_groups("scales", id, q, *md));
        else
            findings.add(unimplemented("matmul: scales of {} are not possible; src, weights and dst can have them",
                                       arg_name(id)));
    }
    for (const auto& [id, q] : attr.zero_points) findings.add(check_zero_points(id, q, *md_of(id), integer_weights));
    for (const auto& [id, q] : attr.precomputed_reductions) findings.add(check_reductions(q, src, attr));
}

// ---- layouts left open

Result<void> choose_layouts(MemoryDesc& src, MemoryDesc& weights, MemoryDesc& bias, MemoryDesc& dst, const Attr& attr) {
    const auto choose = [](MemoryDesc& open, Result<MemoryDesc> md) -> Result<void> {
        if (!md) return Refusal(md.error());
        open = *md;
        return {};
    };
    for (MemoryDesc* open : {&src, &bias, &dst})
        if (open->kind == FormatKind::any)
            if (auto ok = choose(*open, plain_layout(*open)); !ok) return ok;
    if (weights.kind != FormatKind::any) return {};
    if (!is_integer(src.type) && bits(weights.type) <= 8 && bits(src.type) > 8)
        return choose(weights, decompressed_weights_format(src, weights, allows(attr.fpmath, FpmathMode::bf16)));
    return choose(weights, weights_format(weights));
}

} // namespace

bool multiplies_integers(const Problem& p) {
    return is_integer(p.md(arg::src).type) && is_integer(p.md(arg::weights).type);
}

const Quant* dynamic_scales(const Attr& attr) {
    const auto at = attr.scales.find(arg::dst);
    return at != attr.scales.end() && at->second.mode != QuantizationMode::static_sazp ? &at->second : nullptr;
}

bool varies_along_k(const std::map<int, Quant>& quants, int id, const MemoryDesc& md) {
    const auto at = quants.find(id);
    if (at == quants.end()) return false;
    const Quant& q = at->second;
    const size_t k = size_t(md.ndims) - (id == arg::src ? 1 : 2);
    const int64_t group = q.groups.empty() ? 1 : q.groups[id == arg::src ? 1 : 0];
    return q.mask >> k & 1 && md.dims[k] > group;
}

Result<Problem> make_matmul(const MemoryDesc& given_src, const MemoryDesc& given_weights, const MemoryDesc& given_bias,
                            const MemoryDesc& given_dst, const Attr& attr) {
    if (given_weights.kind == FormatKind::sparse && given_weights.encoding == SparseEncoding::packed) {
        // The packed encoding asks for a layout of the library's choice (MAT-62): the dense one of the kernels will do.
        const auto open = make_desc_any(given_weights.dims_span(), given_weights.type);
        if (!open) return Refusal(open.error());
        return make_matmul(given_src, *open, given_bias, given_dst, attr);
    }
    if (given_src.kind == FormatKind::sparse || given_weights.kind == FormatKind::sparse)
        return make_sparse_matmul(given_src, given_weights, given_bias, given_dst, attr);
    MemoryDesc src = given_src, weights = given_weights, bias = given_bias, dst = given_dst;
    Findings findings;
    findings.add(check_layout(matmul_name, "src", src, true, true));
    findings.add(check_layout(matmul_name, "weights", weights, true, true));
    if (!bias.is_zero()) findings.add(check_layout(matmul_name, "bias", bias, true, true));
    findings.add(check_layout(matmul_name, "dst", dst, true, true));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    if (auto ok = check_shapes(src, weights, bias, dst); !ok) return Refusal(ok.error());
    findings.add(check_types(src, weights, attr));
    findings.add(check_written_type(dst));
    findings.add(check_written(matmul_name, "dst", dst));
    if (!bias.is_zero()) findings.add(check_computed_type(matmul_name, "bias", bias));
    AllowedAttributes allowed;
    allowed.sum = allowed.eltwise = allowed.binary = allowed.prelu = allowed.dropout = true;
    allowed.own_quants = allowed.output_scales = allowed.precomputed_reductions = true;
    allowed.stochastic = {arg::dst};
    check_quants(src, weights, dst, attr, findings);
    findings.add(check_attributes(matmul_name, attr, dst, allowed));
    findings.add(check_dynamic(dst, attr));
    findings.add(check_rounding(matmul_name, attr, arg::dst, dst));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    if (auto ok = choose_layouts(src, weights, bias, dst, attr); !ok) return Refusal(ok.error());

    const auto was_any = [](const MemoryDesc& md) { return md.kind == FormatKind::any; };
    Problem p;
    p.kind = PrimitiveKind::matmul;
    p.attr = attr;
    p.tensors = {{arg::src, src, false, was_any(given_src)}, {arg::weights, weights, false, was_any(given_weights)}};
    if (!bias.is_zero()) p.tensors.push_back({arg::bias, bias, false, was_any(given_bias)});
    p.tensors.push_back({arg::dst, dst, true, was_any(given_dst)});
    if (auto ok = add_attribute_tensors(p, dst); !ok) return Refusal(ok.error());
    return p;
}

Result<Problem> resolved_matmul(const Problem& p) {
    const Tensor* bias = p.find(arg::bias);
    return make_matmul(p.md(arg::src), p.md(arg::weights), bias ? bias->md : MemoryDesc(), p.md(arg::dst),
                       attr_of_tensors(p));
}

} // namespace tessera::ops
