// SPDX-License-Identifier: Apache-2.0
// Validation of shuffle: rows SHU-01..15.
#include "ops/descriptors.hpp"
#include "ops/shuffle/shuffle.hpp"

namespace tessera::ops {

namespace {

constexpr int axis_param = 23, group_size_param = 32; // dnnl_query_axis_s32, dnnl_query_group_size_s64

Result<void> check_attr(const Attr& attr) {
    if (!attr.post_ops.entries.empty())
        return unimplemented("shuffle: post-ops are not possible; apply them with their own primitive");
    if (!attr.scales.empty() || !attr.zero_points.empty() || !attr.output_scales.values.empty())
        return unimplemented("shuffle: scales and zero points are not possible; a reorder before or after takes them");
    if (attr.dropout || attr.rnn || !attr.precomputed_reductions.empty())
        return unimplemented("shuffle: dropout, RNN quantization and precomputed reductions are not possible; take "
                             "them out of the attributes");
    for (const auto& [id, mode] : attr.rounding)
        if (mode == RoundingMode::stochastic)
            return unimplemented("shuffle: stochastic rounding of {} is not possible, nothing is rounded; take it out "
                                 "of the attributes",
                                 arg_name(id));
    return {};
}

} // namespace

Result<Problem> make_shuffle(PropKind prop, const MemoryDesc& src, const MemoryDesc& dst_given, int axis, int64_t group,
                             const Attr& attr, const Problem* hint) {
    const bool backward = prop == PropKind::backward_data;
    if (!backward)
        if (auto ok = check_forward(PrimitiveKind::shuffle, prop); !ok) return Refusal(ok.error());
    // The input, and the output, whose layout may be `any`.
    const char* read_name = backward ? "diff_dst" : "src";
    const char* written_name = backward ? "diff_src" : "dst";
    MemoryDesc read = backward ? dst_given : src;
    MemoryDesc written = backward ? src : dst_given;
    // Both gradients may be `any` (FMT-02).
    const bool read_any = backward && read.kind == FormatKind::any;
    if (read_any)
        if (auto ok = choose_gradient(read, written, hint); !ok) return Refusal(ok.error());

    if (read.is_zero() || written.is_zero())
        return invalid("shuffle: {} is an empty descriptor; give dims, a data type and a layout",
                       read.is_zero() ? read_name : written_name);
    if (!read.is_blocked())
        return invalid("shuffle: {} is {}, which has no layout to read; give a tag or strides", read_name,
                       to_token(read));
    const bool was_any = written.kind == FormatKind::any;
    if (!was_any && !written.is_blocked())
        return invalid("shuffle: {} is {}; give a tag, strides or `any`", written_name, to_token(written));
    if (read.ndims != written.ndims || !std::equal(read.dims.begin(), read.dims.end(), written.dims.begin()))
        return invalid("shuffle: {} is {}, {} is {}; shapes must be equal", read_name, to_string(read.dims_span()),
                       written_name, to_string(written.dims_span()));
    if (axis < 0 || axis >= read.ndims) return invalid("shuffle: axis {} is outside of 0..{}", axis, read.ndims - 1);
    const int64_t channels = read.dims[size_t(axis)];
    if (group < 1 || (channels != runtime_dim && (channels == 0 || channels % group)))
        return invalid(
            "shuffle: group size {} does not divide the {:element} of axis {}; a divisor of at least 1 is needed",
            group, counted(channels), axis);
    if (read.has_runtime() || written.has_runtime())
        return unimplemented("shuffle: run-time dims are not possible; create one primitive for each shape");
    if (read.type != written.type)
        return unimplemented("shuffle: {} is {}, {} is {}; shuffle does not convert, a reorder does", read_name,
                             name(read.type), written_name, name(written.type));
    if (auto ok = check_attr(attr); !ok) return Refusal(ok.error());
    if (was_any) {
        // The layout of the input without its offset in a larger tensor.
        written = read;
        written.offset0 = 0;
    }
    if (read.extra.flags || written.extra.flags)
        return unimplemented("shuffle: {} carries the compensation of quantized weights; shuffle the original weights",
                             read.extra.flags ? read_name : written_name);
    for (size_t d = 0; d < size_t(written.ndims); ++d)
        if (written.strides[d] == 0 && written.dims[d] > 1)
            return unimplemented("shuffle: {} has stride 0 along dimension {} of extent {}, so that elements would "
                                 "overwrite each other; a broadcast layout works for what is read only",
                                 written_name, d, written.dims[d]);

    Problem p;
    p.kind = PrimitiveKind::shuffle;
    p.prop = prop;
    p.attr = attr;
    p.params = {{axis_param, axis}, {group_size_param, group}};
    p.tensors = {{backward ? arg::diff_dst : arg::src, read, false, read_any},
                 {backward ? arg::diff_src : arg::dst, written, true, was_any}};
    return p;
}

ShuffleView view_of_shuffle(const Problem& p) {
    ShuffleView v;
    v.from = p.tensors[0].arg;
    v.to = p.tensors[1].arg;
    v.axis = size_t(p.params.at(axis_param));
    v.channels = p.tensors[0].md.dims[v.axis];
    v.group = p.params.at(group_size_param);
    if (p.prop == PropKind::backward_data) v.group = v.channels / v.group;
    return v;
}

} // namespace tessera::ops
