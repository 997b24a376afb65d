// SPDX-License-Identifier: Apache-2.0
// Validation of normalizations: BNO-03..12, LNO-05..12, GNO-03..06. Contradictions (invalid_arguments) are reported
// before missing support.
#include <algorithm>
#include <numeric>

#include "core/program/lib/eltwise.hpp"
#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/normalization/normalization.hpp"

namespace tessera::ops {

namespace {

constexpr int least_rank = 2;

using Rules = NormalizationRules;

bool is_forward(PropKind prop) { return prop == PropKind::forward_training || prop == PropKind::forward_inference; }

Result<void> check_prop(const Rules& r, PropKind prop, bool forward) {
    if (forward) return check_forward(r.kind, prop);
    if (prop == PropKind::backward || prop == PropKind::backward_data) return {};
    return invalid("{}: propagation kind {} is neither backward (all gradients) nor backward_data (diff_src alone)",
                   r.primitive(), named(prop));
}

Result<void> check_flags(const Rules& r, unsigned flags) {
    if (const unsigned unknown = flags & ~r.flags)
        return invalid("{}: flags {} have {}, which is none of its flags: {}", r.primitive(), flags, unknown,
                       r.flags & norm::rms         ? "use_global_stats (1), use_scale (2), use_shift (4), rms_norm (32)"
                       : r.flags & norm::fuse_relu ? "use_global_stats (1), use_scale (2), use_shift (4), "
                                                     "fuse_norm_relu (8), fuse_norm_add_relu (16)"
                                                   : "use_global_stats (1), use_scale (2), use_shift (4)");
    if (flags & norm::fuse_add_relu)
        return unimplemented(
            "{}: flags {} have fuse_norm_add_relu (16), which is not possible; a binary addition and a "
            "relu after it compute the same",
            r.primitive(), flags);
    return {};
}

Result<void> check_rank(const Rules& r, const char* side, const MemoryDesc& md) {
    if (md.ndims >= least_rank && md.ndims <= r.most_rank) return {};
    return invalid("{}: {} is {}, of {:dimension}; {} to {} are possible", r.primitive(), side,
                   to_string(md.dims_span()), counted(md.ndims), least_rank, r.most_rank);
}

Result<void> check_shape(const Rules& r, const char* side, const MemoryDesc& md, const MemoryDesc& src) {
    if (std::ranges::equal(md.dims_span(), src.dims_span())) return {};
    return invalid("{}: {} is {}, src {}; shapes must be equal", r.primitive(), side, to_string(md.dims_span()),
                   to_string(src.dims_span()));
}

bool is_int8(DataType type) { return type == DataType::s8 || type == DataType::u8; }
bool is_float(DataType type) { return type == DataType::f32 || type == DataType::bf16 || type == DataType::f16; }

Result<void> check_type(const Rules& r, const char* side, DataType type, bool int8) {
    if (is_float(type) || (int8 && is_int8(type))) return {};
    return unimplemented("{}: {} is {}; f32, bf16, f16{} are possible", r.primitive(), side, name(type),
                         int8 ? ", s8, u8" : "");
}

// Of batch normalization: s8 forward by given statistics, and one type throughout.
Result<void> check_types_of_batches(const Rules& r, const NormalizationCall& call, bool forward) {
    const DataType type = call.src.type;
    const bool s8 = type == DataType::s8 && forward && (call.flags & norm::use_global_stats);
    if (!is_float(type) && !s8)
        return unimplemented("{}: src is {}{}; f32, bf16, f16 are possible, and s8 forward with use_global_stats (1)",
                             r.primitive(), name(type),
                             type == DataType::s8 ? forward ? " without use_global_stats" : " backward" : "");
    const std::pair<const char*, const MemoryDesc*> others[] = {
        {forward ? "dst" : "diff_dst", forward ? &call.dst : &call.diff_dst},
        {forward ? "dst" : "diff_src", forward ? &call.dst : &call.diff_src}};
    for (const auto& [side, md] : others)
        if (md->type != type)
            return unimplemented("{}: src is {}, {} {}; one type throughout is possible, a reorder converts",
                                 r.primitive(), name(type), side, name(md->type));
    return {};
}

// a and b in one layout, whatever their types are; `any` is still to be chosen.
Result<void> check_one_layout(const Rules& r, const char* a_name, const MemoryDesc& a, const char* b_name,
                              MemoryDesc b) {
    b.type = a.type;
    if (!r.one_type || a.kind == FormatKind::any || b.kind == FormatKind::any || a == b) return {};
    return unimplemented("{}: {} lies as {}, {} as {}; one layout for both is possible, a reorder makes it",
                         r.primitive(), a_name, to_token(a), b_name, to_token(b));
}

// A post-op of batch normalization is a relu; with a slope below zero its gradient would need more than a mask.
Result<void> check_relu(const Rules& r, const Attr& attr, PropKind prop) {
    const auto& entries = attr.post_ops.entries;
    if (entries.empty()) return {};
    const PostOp& p = entries[0];
    const bool relu = entries.size() == 1 && p.kind == PostOpKind::eltwise && p.alg == alg::eltwise_relu &&
                      p.scale == 1.f && is_forward(prop);
    if (relu && (p.alpha == 0.f || prop == PropKind::forward_inference)) return {};
    if (relu)
        return unimplemented("{}: a relu post-op with alpha {} in training; alpha 0 is possible, or "
                             "forward_inference",
                             r.primitive(), p.alpha);
    return unimplemented("{}: the post-ops are not possible; a single relu with scale 1 is, forward", r.primitive());
}

// LNO-09: factors belong to integers.
Result<void> check_scales(const Rules& r, const Attr& attr, const MemoryDesc& src, const MemoryDesc& dst) {
    if (attr.scales.empty() || is_int8(src.type) || is_int8(dst.type)) return {};
    return unimplemented("{}: scales of {} with src as {} and dst as {}; they are possible where src or dst is s8 or "
                         "u8",
                         r.primitive(), arg_name(attr.scales.begin()->first), name(src.type), name(dst.type));
}

// Mean and variance of layer normalization: those of dims of src, in its order, densely.
Result<MemoryDesc> row_statistics(const MemoryDesc& src) {
    const auto rows = size_t(src.ndims - 1);
    std::vector<size_t> order(rows);
    std::iota(order.begin(), order.end(), size_t(0));
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return src.strides[a] < src.strides[b]; });
    // Of equal strides, which extents of 1 have, the later dim is the inner one.
    std::vector<int64_t> strides(rows);
    int64_t stride = 1;
    for (size_t first = 0; first < rows;) {
        size_t end = first;
        while (end < rows && src.strides[order[end]] == src.strides[order[first]]) ++end;
        for (size_t i = end; i-- > first;) {
            strides[order[i]] = stride;
            stride *= std::max<int64_t>(src.dims[order[i]], 1);
        }
        first = end;
    }
    return make_desc_with_strides(src.dims_span().first(rows), DataType::f32, strides);
}

Result<void> check_statistics(const Rules& r, const MemoryDesc& given, const MemoryDesc& src, bool written) {
    if (given.is_zero()) return {};
    if (auto ok = check_layout(r.primitive().c_str(), "stat_desc", given, true); !ok) return ok;
    const auto rows = src.dims_span().first(size_t(src.ndims - 1));
    if (!std::ranges::equal(given.dims_span(), rows))
        return invalid("{}: mean and variance (stat_desc) are {}, src {}; they have the dims of src without the last, "
                       "{}",
                       r.primitive(), to_string(given.dims_span()), to_string(src.dims_span()), to_string(rows));
    if (given.type != DataType::f32)
        return unimplemented("{}: mean and variance (stat_desc) are {}; f32 is possible", r.primitive(),
                             name(given.type));
    return written ? check_written(r.primitive().c_str(), "stat_desc", given) : Result<void>{};
}

Result<MemoryDesc> statistics_of(Sets sets, const NormalizationCall& call) {
    const MemoryDesc& src = call.src;
    if (sets == Sets::channels) return make_desc_with_tag(std::vector{src.dims[1]}, DataType::f32, "a");
    if (sets == Sets::groups) return make_desc_with_tag(std::vector{src.dims[0], call.groups}, DataType::f32, "ab");
    return call.statistics.is_blocked() ? Result<MemoryDesc>(call.statistics) : row_statistics(src);
}

Result<void> check_groups(const Rules& r, const NormalizationCall& call) {
    if (r.sets != Sets::groups) return {};
    const int64_t channels = call.src.dims[1];
    if (call.groups >= 1 && call.groups <= std::max<int64_t>(channels, 1) && channels % call.groups == 0) return {};
    return invalid("{}: {:group} of the {:channel} of src {}; a divisor of the channels is possible", r.primitive(),
                   counted(call.groups), counted(channels), to_string(call.src.dims_span()));
}

Result<void> check_scale_types(const Rules& r, const NormalizationCall& call, bool gradients) {
    if (!(call.flags & (norm::use_scale | norm::use_shift))) return {};
    for (const auto& [side, type] : {std::pair{"scale and shift are", call.scale_type},
                                     {"their gradients are", gradients ? call.diff_scale_type : DataType::f32}})
        if (!is_float(type))
            return unimplemented("{}: {} {}; f32, bf16, f16 are possible", r.primitive(), side, named(type));
    return {};
}

// Checks before and after `any` has got a layout.
Result<void> check_all(const Rules& r, const NormalizationCall& call, const Attr& attr, bool forward) {
    const MemoryDesc& src = call.src;
    Findings findings;
    findings.add(check_prop(r, call.prop, forward));
    findings.add(check_flags(r, call.flags));
    struct Side {
        const char* name;
        const MemoryDesc& md;
        bool written;
    };
    const std::vector<Side> sides =
        forward ? std::vector<Side>{{"dst", call.dst, true}}
                : std::vector<Side>{{"diff_src", call.diff_src, true}, {"diff_dst", call.diff_dst, false}};
    findings.add(check_layout(r.primitive().c_str(), "src", src, false));
    for (const Side& side : sides) findings.add(check_layout(r.primitive().c_str(), side.name, side.md, true));
    if (auto ok = findings.result(); !ok) return ok;
    findings.add(check_rank(r, "src", src));
    if (auto ok = findings.result(); !ok) return ok;
    findings.add(check_groups(r, call));
    for (const Side& side : sides) {
        findings.add(check_shape(r, side.name, side.md, src));
        if (side.written) findings.add(check_written(r.primitive().c_str(), side.name, side.md));
    }
    if (r.one_type) {
        findings.add(check_types_of_batches(r, call, forward));
    } else {
        findings.add(check_type(r, "src", src.type, forward));
        for (const Side& side : sides) findings.add(check_type(r, side.name, side.md.type, forward));
    }
    findings.add(forward ? check_one_layout(r, "src", src, "dst", call.dst)
                         : check_one_layout(r, "diff_src", call.diff_src, "diff_dst", call.diff_dst));
    findings.add(check_statistics(r, call.statistics, src, call.prop == PropKind::forward_training));
    findings.add(check_scale_types(r, call, call.prop == PropKind::backward));
    AllowedAttributes allowed;
    if (r.only_a_relu) {
        allowed.eltwise = true;
        findings.add(check_relu(r, attr, call.prop));
    } else if (forward) {
        allowed.eltwise = allowed.binary = true;
        allowed.scales = {arg::src, arg::dst};
        findings.add(check_scales(r, attr, src, call.dst));
    }
    findings.add(check_attributes(r.primitive().c_str(), attr, forward ? call.dst : call.diff_src, allowed));
    if (!forward && (call.flags & norm::fuse_relu) && call.workspace.is_zero())
        findings.add(unimplemented("{}: a backward with fuse_norm_relu (8) reads the workspace of a forward; its "
                                   "descriptor, of forward_training with the same flag, must be the hint",
                                   r.primitive()));
    return findings.result();
}

} // namespace

Result<Problem> make_normalization(const Rules& rules, NormalizationCall call, const Attr& attr) {
    const bool forward = call.forward;
    if (auto ok = check_all(rules, call, attr, forward); !ok) return Refusal(ok.error());
    const auto has = [&](norm::Flag flag) { return (call.flags & flag) != 0; };

    Problem p;
    p.kind = rules.kind;
    p.prop = call.prop;
    p.attr = attr;
    p.params = {{query::flags, call.flags}};
    if (rules.sets == Sets::groups) p.params[query::group_size] = call.groups;
    p.float_params = {{query::epsilon, call.epsilon}};
    const auto add = [&](int id, const MemoryDesc& md, bool output, bool was_any = false) {
        p.tensors.push_back({id, md, output, was_any});
    };
    // What is open follows src; where both gradients have one layout, it follows the other, if that is given.
    bool were_any[2] = {};
    const auto choose = [&](MemoryDesc& open, const MemoryDesc& leader, bool& was_any) -> Result<void> {
        const auto chosen = choose_layout(open, leader);
        if (!chosen) return Refusal(chosen.error());
        was_any = *chosen;
        return {};
    };
    MemoryDesc& first = forward ? call.dst : call.diff_dst;
    const bool by_other = rules.one_type && !forward && call.diff_src.is_blocked();
    if (auto ok = choose(first, by_other ? call.diff_src : call.src, were_any[0]); !ok) return Refusal(ok.error());
    if (!forward)
        if (auto ok = choose(call.diff_src, rules.one_type ? first : call.src, were_any[1]); !ok)
            return Refusal(ok.error());

    auto statistics = statistics_of(rules.sets, call);
    if (!statistics) return Refusal(statistics.error());
    const auto add_statistics = [&](bool output) {
        const bool chosen = rules.sets == Sets::rows && !call.statistics.is_blocked();
        // RMS has no mean; queries answer as if it had one.
        if (has(norm::rms))
            p.described.push_back({arg::mean, *statistics, output, chosen});
        else
            add(arg::mean, *statistics, output, chosen);
        add(arg::variance, *statistics, output, chosen);
    };
    const int64_t channels = call.src.dims[rules.sets == Sets::rows ? size_t(call.src.ndims - 1) : 1];
    const auto per_channel = [&](DataType type) { return make_desc_with_tag(std::vector{channels}, type, "a"); };
    const bool any_affine = has(norm::use_scale) || has(norm::use_shift);
    const auto affine = per_channel(any_affine ? call.scale_type : DataType::f32);
    const auto diff_affine = per_channel(any_affine ? call.diff_scale_type : DataType::f32);
    if (!affine) return Refusal(affine.error());
    if (!diff_affine) return Refusal(diff_affine.error());
    // One byte an element, as dst lies; the backward has what its forward wrote.
    const bool masks = has(norm::fuse_relu) && call.prop != PropKind::forward_inference;
    auto workspace =
        forward ? layout_after(call.dst, call.dst.dims_span(), DataType::u8) : Result<MemoryDesc>(call.workspace);
    if (!workspace) return Refusal(workspace.error());

    add(arg::src, call.src, false);
    if (forward) add(arg::dst, call.dst, true, were_any[0]);
    const bool given = !forward || has(norm::use_global_stats);
    if (given || call.prop == PropKind::forward_training) add_statistics(!given);
    if (has(norm::use_scale))
        add(arg::scale, *affine, false);
    else if (has(norm::use_shift) && !forward) // no gradient depends on shift
        p.described.push_back({arg::scale, *affine, false});
    if (has(norm::use_shift) && forward) add(arg::shift, *affine, false);
    if (masks) add(arg::workspace, *workspace, forward);
    if (!forward) {
        add(arg::diff_dst, call.diff_dst, false, were_any[0]);
        add(arg::diff_src, call.diff_src, true, were_any[1]);
        if (call.prop == PropKind::backward && has(norm::use_scale)) add(arg::diff_scale, *diff_affine, true);
        if (call.prop == PropKind::backward && has(norm::use_shift)) add(arg::diff_shift, *diff_affine, true);
    }
    if (forward)
        if (auto ok = add_attribute_tensors(p, call.dst); !ok) return Refusal(ok.error());
    return p;
}

} // namespace tessera::ops
