// SPDX-License-Identifier: Apache-2.0
// Checks attributes against what a primitive supports, and adds the tensors that they read or write.
//
//   check_attributes("eltwise", attr, dst, {.sum = true, .binary = true})
//       "eltwise: post-op 1 is a prelu; post-ops of kind sum, binary are possible here"
//
// Contradictions (invalid_arguments) are found before missing support (unimplemented), STA-06.
#include <algorithm>

#include "core/program/binary.hpp"
#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

namespace {

bool contains(const std::vector<int>& ids, int id) { return std::ranges::find(ids, id) != ids.end(); }

std::string names_of(const std::vector<int>& ids) {
    std::string text;
    for (const int id : ids) text += (text.empty() ? "" : ", ") + arg_name(id);
    return text.empty() ? "no argument" : text;
}

// ---- scales and zero points

Result<void> check_quant(const char* primitive, const char* what, int id, const Quant& q, const MemoryDesc& dst,
                         bool masks) {
    if (q.mask >> dst.ndims)
        return invalid("{}: the mask {} of the {} of {} names a dimension beyond the {} of the tensor", primitive,
                       q.mask, what, arg_name(id), dst.ndims);
    if (!q.groups.empty())
        return unimplemented("{}: the {} of {} have groups; one value for the tensor works", primitive, what,
                             arg_name(id));
    if (q.mode != QuantizationMode::static_sazp)
        return unimplemented("{}: dynamic quantization of {} is a feature of matmul; compute the {} first and give "
                             "them with static quantization",
                             primitive, arg_name(id), what);
    if (q.mask != 0 && !masks)
        return unimplemented("{}: the {} of {} have mask {}; one value for the tensor (mask 0) works", primitive, what,
                             arg_name(id), q.mask);
    return {};
}

void check_quants(const char* primitive, const char* what, const std::map<int, Quant>& quants,
                  const std::vector<int>& possible, const MemoryDesc& dst, bool masks, Findings& findings) {
    for (const auto& [id, q] : quants) {
        if (!contains(possible, id))
            findings.add(possible.empty()
                             ? unimplemented("{}: {} of {} are not possible; a reorder before or after it takes them",
                                             primitive, what, arg_name(id))
                             : unimplemented("{}: {} of {} are not possible; {} can have them", primitive, what,
                                             arg_name(id), names_of(possible)));
        else
            findings.add(check_quant(primitive, what, id, q, dst, masks));
    }
}

Result<void> check_output_scales(const char* primitive, const OutputScales& o, const MemoryDesc& dst, bool possible) {
    if (o.values.empty()) return {};
    if (!possible) return unimplemented("{}: output scales are not possible; scale the data before", primitive);
    if (o.mask >> dst.ndims)
        return invalid("{}: the mask {} of the output scales names a dimension beyond the {} of dst", primitive, o.mask,
                       dst.ndims);
    if (o.at_execution() || dst.has_zero_dim()) return {}; // an empty dst reads none, and its dims may overflow
    int64_t count = 1;
    for (size_t d = 0; d < size_t(dst.ndims); ++d) {
        if (!(o.mask >> d & 1)) continue;
        if (dst.dims[d] == runtime_dim) return {};
        count *= dst.dims[d];
    }
    if (int64_t(o.values.size()) < count)
        return invalid("{}: {:output scale} for mask {} of dst {}, which needs {}", primitive, counted(o.values.size()),
                       o.mask, to_string(dst.dims_span()), count);
    return {};
}

// ---- post-ops

Result<void> check_sum(const std::string& where, const PostOp& p, const MemoryDesc& dst) {
    const DataType type = p.type == DataType::undef ? dst.type : p.type;
    if (bits(type) != bits(dst.type))
        return invalid("{} reads dst as {}, which is not as wide as its type {}", where, name(type), name(dst.type));
    if (p.zero_point != 0 && !is_integer(type))
        return invalid("{} has a zero point of {}, but reads dst as {}; zero points belong to integers", where,
                       p.zero_point, name(type));
    return {};
}

// A tensor of a post-op: each dim 1 or that of dst.
Result<void> check_operand(const std::string& where, const char* what, const MemoryDesc& md, const MemoryDesc& dst) {
    if (md.kind == FormatKind::host_scalar || md.ndims == 0) return {};
    if (md.ndims != dst.ndims)
        return invalid("{}: {} has {:dimension} ({}), dst {} ({}); both need as many, those of extent 1 broadcast",
                       where, what, counted(md.ndims), to_string(md.dims_span()), dst.ndims,
                       to_string(dst.dims_span()));
    for (size_t d = 0; d < size_t(dst.ndims); ++d)
        if (md.dims[d] != 1 && md.dims[d] != dst.dims[d] && dst.dims[d] != runtime_dim)
            return invalid("{}: dimension {} of {} is {}; it must be 1 or that of dst, {}", where, d, what,
                           to_string({&md.dims[d], 1}), to_string({&dst.dims[d], 1}));
    if (md.has_runtime() && !dst.has_runtime())
        return unimplemented("{}: run-time dims of {} are not possible; give its dims and strides", where, what);
    if (md.extra.flags)
        return unimplemented("{}: {} carries the compensation of quantized weights; use the original weights", where,
                             what);
    return {};
}

Result<void> check_binary(const std::string& where, const PostOp& p, const MemoryDesc& dst) {
    if (auto ok = check_operand(where, "src1", p.src1, dst); !ok) return ok;
    if (auto ok = check_computed_type(where.c_str(), "src1", p.src1); !ok) return ok;
    if (p.alg != binary::select) return {};
    if (auto ok = check_operand(where, "src2", p.src2, dst); !ok) return ok;
    if (p.src2.type != DataType::s8)
        return unimplemented("{}: the condition src2 is {}; s8 is possible", where, name(p.src2.type));
    return {};
}

std::string kinds_of(const AllowedAttributes& a) {
    std::string text;
    for (const auto& [word, possible] :
         {std::pair{"sum", a.sum}, {"eltwise", a.eltwise}, {"binary", a.binary}, {"prelu", a.prelu}})
        if (possible) text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

const char* word_of(PostOpKind kind) {
    switch (kind) {
    case PostOpKind::sum:
        return "sum";
    case PostOpKind::eltwise:
        return "eltwise";
    case PostOpKind::binary:
        return "binary";
    case PostOpKind::prelu:
        return "prelu";
    default:
        return "depthwise convolution";
    }
}

Result<void> check_post_op(const char* primitive, size_t i, const PostOp& p, const MemoryDesc& dst,
                           const AllowedAttributes& allowed) {
    const bool possible =
        (p.kind == PostOpKind::sum && allowed.sum) || (p.kind == PostOpKind::eltwise && allowed.eltwise) ||
        (p.kind == PostOpKind::binary && allowed.binary) || (p.kind == PostOpKind::prelu && allowed.prelu);
    if (!possible) {
        const std::string kinds = kinds_of(allowed);
        if (kinds.empty())
            return unimplemented("{}: post-ops are not possible; apply them with their own primitive", primitive);
        return unimplemented("{}: post-op {} is a {}; post-ops of kind {} are possible here", primitive, i,
                             word_of(p.kind), kinds);
    }
    const std::string where = fmt::format("{}: post-op {} ({})", primitive, i, word_of(p.kind));
    switch (p.kind) {
    case PostOpKind::sum:
        return check_sum(where, p, dst);
    case PostOpKind::binary:
        return check_binary(where, p, dst);
    case PostOpKind::prelu:
        if (p.mask >> dst.ndims)
            return invalid("{}: the mask {} names a dimension beyond the {} of dst", where, p.mask, dst.ndims);
        return {};
    default:
        return {}; // eltwise: its parameters were checked when it was appended
    }
}

// ---- the rest

// Random bits are generated from element numbers of 32 bits.
Result<void> check_count(const char* primitive, const char* what, const MemoryDesc& md) {
    constexpr int64_t most = int64_t(1) << 32;
    if (md.nelems() <= most) return {};
    return unimplemented("{}: {} of {} elements ({}); up to {} are possible, in parts", primitive, what, md.nelems(),
                         to_string(md.dims_span()), most);
}

Result<void> check_dropout(const char* primitive, const Attr& attr, const MemoryDesc& dst, bool possible) {
    if (!attr.dropout) return {};
    if (!possible)
        return unimplemented("{}: dropout is not possible; an eltwise of what it writes can have it (linear, alpha 1, "
                             "changes nothing else)",
                             primitive);
    const MemoryDesc& mask = attr.dropout->mask;
    if (!mask.is_zero() && !std::ranges::equal(mask.dims_span(), dst.dims_span()))
        return invalid("{}: dropout's mask is {}, dst {}; shapes must be equal", primitive, to_string(mask.dims_span()),
                       to_string(dst.dims_span()));
    if (!mask.is_zero() && !mask.is_blocked() && mask.kind != FormatKind::any)
        return invalid("{}: dropout's mask {} has no layout; it needs that of dst, or any", primitive, to_token(mask));
    return check_count(primitive, "dropout", dst);
}

Result<void> check_others(const char* primitive, const Attr& attr, const AllowedAttributes& allowed) {
    if (!attr.precomputed_reductions.empty() && !allowed.precomputed_reductions)
        return unimplemented("{}: precomputed reductions belong to matmul; take them out of the attributes", primitive);
    if (attr.rnn && !allowed.rnn_qparams)
        return unimplemented("{}: RNN quantization parameters belong to recurrent primitives; take them out of the "
                             "attributes",
                             primitive);
    for (const auto& [id, mode] : attr.rounding)
        if (mode == RoundingMode::stochastic && !contains(allowed.stochastic, id))
            return unimplemented("{}: stochastic rounding of {} is not possible{}; the default follows the rounding "
                                 "mode of the environment",
                                 primitive, arg_name(id),
                                 allowed.stochastic.empty() ? " here"
                                                            : ", of " + names_of(allowed.stochastic) + " it is");
    return {};
}

} // namespace

Result<void> check_attributes(const char* primitive, const Attr& attr, const MemoryDesc& dst,
                              const AllowedAttributes& allowed) {
    if (attr.has_default_values()) return {};
    Findings findings;
    if (!allowed.own_quants) {
        check_quants(primitive, "scales", attr.scales, allowed.scales, dst, allowed.scale_masks, findings);
        check_quants(primitive, "zero points", attr.zero_points, {}, dst, false, findings);
    }
    findings.add(check_output_scales(primitive, attr.output_scales, dst, allowed.output_scales));
    for (size_t i = 0; i < attr.post_ops.entries.size(); ++i)
        findings.add(check_post_op(primitive, i, attr.post_ops.entries[i], dst, allowed));
    findings.add(check_dropout(primitive, attr, dst, allowed.dropout));
    findings.add(check_others(primitive, attr, allowed));
    return findings.result();
}

Result<void> check_rounding(const char* primitive, const Attr& attr, int id, const MemoryDesc& md) {
    if (!rounds_stochastically(attr, id)) return {};
    if (is_integer(md.type))
        return unimplemented("{}: stochastic rounding of {}, which is {}; floating-point types are possible", primitive,
                             arg_name(id), name(md.type));
    return check_count(primitive, "stochastic rounding", md);
}

Result<void> check_accumulation(const Problem& p) {
    const AccumulationMode mode = p.attr.accumulation;
    if (mode <= AccumulationMode::any) return {}; // strict, relaxed
    const Tensor *src = p.find(arg::src), *weights = p.find(arg::weights);
    const bool multiplies = src && weights && p.kind != PrimitiveKind::prelu;
    const bool exact = multiplies && is_integer(src->md.type) && is_integer(weights->md.type);
    if (exact == (mode == AccumulationMode::s32)) return {};
    const std::string_view asked = mode == AccumulationMode::s32   ? "s32"
                                   : mode == AccumulationMode::f32 ? "f32"
                                                                   : "f16";
    return unimplemented("{}: accumulation mode {}: {} summed in s32; strict, relaxed, any{} are possible",
                         name(p.kind), asked, exact ? "integers by integers are" : "only integers by integers are",
                         exact ? ", s32" : ", f32, f16");
}

// ---- tensors

namespace {

std::string plain_tag(int ndims) {
    std::string tag;
    for (int d = 0; d < ndims; ++d) tag += char('a' + d);
    return tag;
}

// A post-op tensor of layout `any` takes that of dst (PO-05).
Result<MemoryDesc> resolved(const MemoryDesc& open, const MemoryDesc& dst) {
    return open.kind == FormatKind::any ? layout_after(dst, open.dims_span(), open.type) : open;
}

// PO-06: the masked dims of dst, the others 1, in f32 with the channels (dimension 1) last.
Result<MemoryDesc> prelu_weights(int mask, const MemoryDesc& dst) {
    std::vector<int64_t> dims(size_t(dst.ndims), 1);
    for (size_t d = 0; d < dims.size(); ++d)
        if (mask >> d & 1) dims[d] = dst.dims[d];
    std::string tag = plain_tag(dst.ndims);
    if (dst.ndims > 2 && dst.ndims <= 5) tag = tag.substr(0, 1) + tag.substr(2) + "b";
    return make_desc_with_tag(dims, DataType::f32, tag);
}

// DRP-01: the mask of dropout has the layout of dst.
Result<MemoryDesc> mask_like(const char* primitive, const MemoryDesc& given, const MemoryDesc& dst) {
    auto mask = resolved(given, dst);
    if (!mask) return mask;
    MemoryDesc like = dst;
    like.type = mask->type, like.offset0 = mask->offset0;
    if (*mask == like) return mask;
    return unimplemented("{}: dropout's mask lies as {}, dst as {}; give it the layout of dst, or any", primitive,
                         to_token(*mask), to_token(dst));
}

} // namespace

Result<void> add_attribute_tensors(Problem& problem, const MemoryDesc& given_dst) {
    const MemoryDesc dst = given_dst; // a copy: it may be an element of problem.tensors, which grows
    auto& entries = problem.attr.post_ops.entries;
    const auto add = [&](int id, Result<MemoryDesc> md, bool was_any) -> Result<void> {
        if (!md) return Refusal(std::move(md.error()));
        problem.tensors.push_back({id, *md, false, was_any, true});
        return {};
    };
    for (size_t i = 0; i < entries.size(); ++i) {
        PostOp& p = entries[i];
        const int base = arg::post_op(int(i));
        if (p.kind == PostOpKind::prelu)
            if (auto ok = add(base | arg::weights, prelu_weights(p.mask, dst), false); !ok) return ok;
        if (p.kind != PostOpKind::binary) continue;
        for (auto [id, md] : {std::pair{arg::src_1, &p.src1}, {arg::src_2, &p.src2}}) {
            if (md->is_zero()) continue;
            const bool was_any = md->kind == FormatKind::any;
            auto layout = resolved(*md, dst);
            if (layout) *md = *layout; // ATR-03: a query of the attributes shows the choice
            if (auto ok = add(base | id, std::move(layout), was_any); !ok) return ok;
        }
    }
    if (!problem.attr.dropout || problem.attr.dropout->mask.is_zero()) return {};
    Dropout dropout = *problem.attr.dropout;
    auto mask = mask_like(std::string(name(problem.kind)).c_str(), dropout.mask, dst);
    if (!mask) return Refusal(std::move(mask.error()));
    problem.tensors.push_back({arg::dropout_mask, *mask, true, dropout.mask.kind == FormatKind::any, true});
    dropout.mask = *mask;
    problem.attr.dropout = dropout;
    return {};
}

Attr attr_of_tensors(const Problem& problem) {
    Attr attr = problem.attr;
    for (size_t i = 0; i < attr.post_ops.entries.size(); ++i) {
        PostOp& p = attr.post_ops.entries[i];
        if (const Tensor* t = problem.find(arg::post_op(int(i)) | arg::src_1)) p.src1 = t->md;
        if (const Tensor* t = problem.find(arg::post_op(int(i)) | arg::src_2)) p.src2 = t->md;
    }
    if (const Tensor* t = problem.find(arg::dropout_mask)) {
        Dropout dropout = *attr.dropout;
        dropout.mask = t->md;
        attr.dropout = dropout;
    }
    return attr;
}

} // namespace tessera::ops
