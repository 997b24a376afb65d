// SPDX-License-Identifier: Apache-2.0
// Validation of reorder: rows REO-01..26, the attribute rows SCL, ZPT, OSC, PO as far as reorder takes them, OPQ-05.
// Contradictions (invalid_arguments) are reported before missing support (unimplemented), STA-06.
#include "ops/reorder/reorder.hpp"

#include <optional>

namespace tessera::ops {

namespace {

Result<void> check_side(const MemoryDesc& md, const char* side) {
    if (md.is_zero()) return invalid("reorder: {} is an empty descriptor; give dims, a data type and a layout", side);
    switch (md.kind) {
    case FormatKind::blocked:
        return {};
    case FormatKind::any:
        return invalid("reorder: the layout of {} is `any`, but a reorder has no layout to choose from; give a tag or "
                       "strides",
                       side);
    case FormatKind::undef:
        return invalid("reorder: {} has no layout (tag undef); give a tag or strides", side);
    case FormatKind::host_scalar:
        return invalid("reorder: {} is a host scalar; read it with dnnl_memory_get_host_scalar_value", side);
    case FormatKind::sparse:
        return unimplemented(
            "reorder: {} is a sparse matrix, which no reorder reads or writes; its values, indices and "
            "pointers are buffers of the memory (dnnl_memory_get_data_handle_v2)",
            side);
    default:
        return unimplemented("reorder: {} has an opaque layout; only blocked layouts are reordered", side);
    }
}

Result<void> check_shapes(const MemoryDesc& src, const MemoryDesc& dst) {
    if (src.ndims != dst.ndims)
        return invalid("reorder: src has {:dimension} ({}), dst {} ({}); both need as many, a reshape of one adds or "
                       "joins dimensions",
                       counted(src.ndims), to_string(src.dims_span()), dst.ndims, to_string(dst.dims_span()));
    for (size_t d = 0; d < size_t(src.ndims); ++d)
        if (src.dims[d] != dst.dims[d])
            return invalid("reorder: dimension {} of src is {}, of dst {}; shapes must be equal ({} and {}), there is "
                           "no broadcasting",
                           d, to_string({&src.dims[d], 1}), to_string({&dst.dims[d], 1}), to_string(src.dims_span()),
                           to_string(dst.dims_span()));
    return {};
}

Result<void> check_quant(const char* what, const char* side, const Quant& q, const MemoryDesc& md) {
    if (q.mask >> md.ndims)
        return invalid("reorder: the mask {} of {} {} names a dimension beyond the {} of the tensor", q.mask, side,
                       what, md.ndims);
    if (q.groups.empty()) return {};
    if (md.ndims < 2) return invalid("reorder: {} {} have groups, but the tensor has one dimension", side, what);
    for (size_t k = 0; k < 2; ++k) {
        const size_t d = size_t(md.ndims) - 2 + k;
        if (q.groups[k] < 1 || (md.dims[d] != runtime_dim && md.dims[d] % q.groups[k]))
            return invalid("reorder: dimension {} of {} ({}) is no multiple of the group {} of its {}", d, side,
                           md.dims[d], q.groups[k], what);
        if (q.groups[k] > 1 && !(q.mask >> d & 1))
            return invalid("reorder: {} {} have a group of {} along dimension {}, which their mask {} leaves out", side,
                           what, q.groups[k], d, q.mask);
    }
    return {};
}

Result<void> check_scales(const MemoryDesc& src, const MemoryDesc& dst, const Attr& attr) {
    const Quant *of_src = nullptr, *of_dst = nullptr;
    for (const auto& [id, q] : attr.scales) {
        if (id != arg::src && id != arg::dst)
            return unimplemented("reorder: scales of {} mean nothing here; src and dst can have scales", arg_name(id));
        if (auto ok = check_quant("scales", id == arg::src ? "src" : "dst", q, id == arg::src ? src : dst); !ok)
            return ok;
        if (q.mode != QuantizationMode::static_sazp)
            return unimplemented("reorder: dynamic quantization of {} is a feature of matmul; compute the scales first "
                                 "and give them with static quantization",
                                 arg_name(id));
        (id == arg::src ? of_src : of_dst) = &q;
    }
    if (of_src && of_dst && of_src->mask > 0 && of_dst->mask > 0 && of_src->mask != of_dst->mask)
        return unimplemented(
            "reorder: src scales with mask {} beside dst scales with mask {}; equal masks work, and so "
            "does mask 0 on one side",
            of_src->mask, of_dst->mask);
    if (of_dst && of_dst->mask > 0 && (src.has_runtime() || dst.has_runtime()))
        return unimplemented("reorder: dst scales with mask {} beside run-time dims; mask 0 works", of_dst->mask);
    return {};
}

Result<void> check_zero_points(const MemoryDesc& src, const MemoryDesc& dst, const Attr& attr) {
    for (const auto& [id, q] : attr.zero_points) {
        if (id != arg::src && id != arg::dst)
            return unimplemented("reorder: zero points of {} mean nothing here; src and dst can have zero points",
                                 arg_name(id));
        const MemoryDesc& md = id == arg::src ? src : dst;
        const char* side = id == arg::src ? "src" : "dst";
        if (!is_integer(md.type))
            return invalid("reorder: zero points of {} need an integer type there, it is {}", side, name(md.type));
        if (auto ok = check_quant("zero points", side, q, md); !ok) return ok;
    }
    return {};
}

Result<void> check_post_ops(const MemoryDesc& dst, const Attr& attr) {
    const auto& entries = attr.post_ops.entries;
    for (const PostOp& op : entries)
        if (op.kind != PostOpKind::sum)
            return unimplemented(
                "reorder: the only post-op of a reorder is sum; apply others with their own primitive");
    if (entries.size() > 1)
        return unimplemented("reorder: {} sum post-ops; one is possible, with the sum of their scales", entries.size());
    if (entries.empty()) return {};
    if (entries[0].zero_point != 0)
        return unimplemented("reorder: the sum post-op has a zero point of {}; only 0 works, use a dst zero point",
                             entries[0].zero_point);
    const DataType type = entries[0].type;
    if (type != DataType::undef && bits(type) != bits(dst.type))
        return invalid("reorder: the sum post-op reads dst as {}, which is not as wide as its type {}", name(type),
                       name(dst.type));
    return {};
}

Result<void> check_output_scales(const MemoryDesc& dst, const Attr& attr) {
    const OutputScales& o = attr.output_scales;
    if (o.values.empty() || o.at_execution()) return {};
    if (o.mask >> dst.ndims)
        return invalid("reorder: the mask {} of the output scales names a dimension beyond the {} of dst", o.mask,
                       dst.ndims);
    if (dst.has_zero_dim()) return {}; // an empty dst reads none, and its dims may overflow
    int64_t count = 1;
    for (size_t d = 0; d < size_t(dst.ndims); ++d) {
        if (!(o.mask >> d & 1)) continue;
        if (dst.dims[d] == runtime_dim) return {};
        count *= dst.dims[d];
    }
    if (int64_t(o.values.size()) < count)
        return invalid("reorder: {:output scale} for mask {} of dst {}, which needs {}", counted(o.values.size()),
                       o.mask, to_string(dst.dims_span()), count);
    return {};
}

Result<void> check_other_attributes(const Attr& attr) {
    if (!attr.precomputed_reductions.empty())
        return unimplemented("reorder: precomputed reductions belong to matmul; take them out of the attributes");
    if (attr.dropout) return unimplemented("reorder: dropout is not possible in a reorder; use it on the producer");
    for (const auto& [id, mode] : attr.rounding)
        if (mode == RoundingMode::stochastic)
            return unimplemented("reorder: stochastic rounding of {} is not possible; the rounding mode of the "
                                 "environment is used",
                                 arg_name(id));
    return {};
}

// RNN-55, RNN-56.
Result<void> check_rnn(const MemoryDesc& src, const MemoryDesc& dst, const Attr& attr) {
    if (!attr.rnn) return {};
    const bool numbers = !is_integer(src.type) && (bits(src.type) == 32 || bits(src.type) == 16);
    if (!numbers || !is_integer(dst.type) || bits(dst.type) != 8)
        return unimplemented(
            "reorder: RNN quantization parameters from {} to {}; they quantize f32, bf16, f16 to u8, s8",
            name(src.type), name(dst.type));
    if (!attr.scales.empty() || !attr.zero_points.empty() || !attr.post_ops.entries.empty() ||
        !attr.output_scales.values.empty())
        return unimplemented(
            "reorder: RNN quantization parameters beside scales, zero points or post-ops; they are the "
            "only attribute then");
    const RnnFactors f = rnn_factors(*attr.rnn, dst);
    if (f.weights && (dst.has_runtime() || src.has_runtime()))
        return unimplemented(
            "reorder: weights of recurrent cells with run-time dims; create one reorder for each shape");
    const int per_channel = dst.ndims == 5 ? 1 << 3 | 1 << 4 : 1 << 3;
    if (f.mask != 0 && f.mask != per_channel)
        return unimplemented("reorder: the RNN scales of weights {} have mask {}; possible are 0 and {}",
                             to_string(dst.dims_span()), f.mask, per_channel);
    int64_t count = 1;
    for (int d = 0; d < dst.ndims && !dst.has_zero_dim(); ++d)
        if (f.mask >> d & 1) count *= dst.dims[size_t(d)];
    if (!dst.has_zero_dim() && int64_t(f.scales.size()) != count)
        return invalid("reorder: {:RNN scale} for mask {} of weights {}, which needs {}", counted(f.scales.size()),
                       f.mask, to_string(dst.dims_span()), count);
    return {};
}

Result<void> check_compensation(const MemoryDesc& src, const MemoryDesc& dst, const Attr& attr) {
    if (src.extra.flags != Extra::none && src.type != DataType::s8)
        return unimplemented("reorder: compensation belongs to s8 weights, src is {}", name(src.type));
    const Extra& e = dst.extra;
    if (e.flags == Extra::none) return {};
    if (dst.type != DataType::s8)
        return unimplemented("reorder: compensation belongs to s8 weights, dst is {}", name(dst.type));
    if (!attr.post_ops.entries.empty())
        return unimplemented("reorder: a sum post-op into weights with compensation is not possible; add to the "
                             "original weights, and reorder the sum");
    for (const auto& [id, q] : attr.scales)
        for (auto [flag, mask] : {std::pair{Extra::s8s8, e.compensation_mask},
                                  std::pair{Extra::asymmetric_src, e.asymmetric_compensation_mask}})
            if (e.flags & flag && q.mask != 0 && q.mask != mask)
                return unimplemented("reorder: scales with mask {} into weights whose compensation has mask {}; use "
                                     "that mask or 0",
                                     q.mask, mask);
    return {};
}

Result<void> check_overlap(const MemoryDesc& dst) {
    for (size_t d = 0; d < size_t(dst.ndims); ++d)
        if (dst.strides[d] == 0 && dst.dims[d] > 1)
            return unimplemented("reorder: dst has stride 0 along dimension {} of extent {}, so that elements would "
                                 "overwrite each other; a broadcast layout works for src only",
                                 d, to_string({&dst.dims[d], 1}));
    return {};
}

} // namespace

const PostOp* sum_of(const Problem& p) {
    const auto& entries = p.attr.post_ops.entries;
    return entries.empty() || entries[0].scale == 0.f ? nullptr : &entries[0];
}

RnnFactors rnn_factors(const RnnQparams& q, const MemoryDesc& dst) {
    const bool cells = (dst.extra.flags & Extra::rnn_u8s8) != 0;
    if (dst.ndims == 5 && dst.type == DataType::s8) return {true, 0, q.weights_mask, q.weights_scales};
    if (cells) return {true, 0, q.projection_mask, q.projection_scales};
    return {false, q.shift, 0, {q.scale}};
}

Result<Problem> make_reorder(const MemoryDesc& src, const MemoryDesc& dst, const Attr& attr) {
    // Contradictions return at once; the first unsupported feature is reported only if there is none.
    std::optional<Error> unsupported;
    auto contradicts = [&](const Result<void>& check) {
        if (check) return false;
        if (check.error().status == Status::invalid_arguments) return true;
        if (!unsupported) unsupported = check.error();
        return false;
    };
    for (const Result<void>& check :
         {check_side(src, "src"), check_side(dst, "dst"), check_shapes(src, dst), check_zero_points(src, dst, attr),
          check_scales(src, dst, attr), check_post_ops(dst, attr), check_output_scales(dst, attr),
          check_other_attributes(attr), check_rnn(src, dst, attr), check_compensation(src, dst, attr),
          check_overlap(dst)})
        if (contradicts(check)) return Refusal(check.error());
    if (unsupported) return Refusal(*unsupported);

    Problem p;
    p.kind = PrimitiveKind::reorder;
    p.tensors = {{arg::src, src, false, false}, {arg::dst, dst, true, false}};
    p.attr = attr;
    return p;
}

} // namespace tessera::ops
