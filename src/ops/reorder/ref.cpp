// SPDX-License-Identifier: Apache-2.0
// The reference of reorder, from the formulas of REO-08..12, OSC-01 and OPQ-02, OPQ-03, one element at a time in f32.
#include "ops/reorder/reorder.hpp"

#include "core/layout/quant.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"

namespace tessera::ops {

namespace {

void* buffer(const Buffers& buffers, int id) { return buffers.at(id); }

// A value of scales or zero points at a coordinate; `otherwise` where the attribute is not set.
float value_at(const std::map<int, Quant>& quants, int id, int base, const MemoryDesc& md, const Buffers& buffers,
               std::span<const int64_t> at, float otherwise) {
    auto it = quants.find(id);
    if (it == quants.end()) return otherwise;
    return read<float>(it->second.type, buffer(buffers, base | id), layout_of(it->second, md).at(at));
}

void convert_element(const Problem& p, const Buffers& buffers, std::span<const int64_t> at, const Layout& from,
                     const Layout& to) {
    const MemoryDesc &src = p.md(arg::src), &dst = p.md(arg::dst);
    const void* s = buffer(buffers, arg::src);
    void* d = buffer(buffers, arg::dst);
    const int64_t i = from.at(at), j = to.at(at);
    const Attr& a = p.attr;
    const bool computes = !a.scales.empty() || !a.zero_points.empty() || !a.post_ops.entries.empty() ||
                          !a.output_scales.values.empty() || a.rnn ||
                          (src.extra.flags | dst.extra.flags) & Extra::scale_adjust;
    if (!computes) { // no arithmetic: converted directly from type to type
        switch (conversion_type(src.type, dst.type)) {
        case ValueType::bits:
            return write_bits(dst.type, d, j, read_bits(src.type, s, i));
        case ValueType::f32:
            return write<float>(dst.type, d, j, read<float>(src.type, s, i));
        case ValueType::f64:
            return write<double>(dst.type, d, j, read<double>(src.type, s, i));
        case ValueType::s32:
            return write<int32_t>(dst.type, d, j, read<int32_t>(src.type, s, i));
        case ValueType::s64:
            return write<int64_t>(dst.type, d, j, read<int64_t>(src.type, s, i));
        }
    }
    float x = read<float>(src.type, s, i);
    x = x - value_at(a.zero_points, arg::src, arg::zero_points, src, buffers, at, 0.f);
    x = x * value_at(a.scales, arg::src, arg::scales, src, buffers, at, 1.f);
    if (src.extra.flags & Extra::scale_adjust) x = x / src.extra.scale_adjust_factor;
    if (!a.output_scales.values.empty()) {
        const int64_t k = layout_of_mask(a.output_scales.mask, dst.dims_span()).at(at);
        x = x * (a.output_scales.at_execution() ? read<float>(DataType::f32, buffer(buffers, arg::output_scales), k)
                                                : a.output_scales.values[size_t(k)]);
    }
    if (a.rnn) {
        const RnnFactors f = rnn_factors(*a.rnn, dst);
        x = x * f.scales[size_t(layout_of_mask(f.mask, dst.dims_span()).at(at))] + f.shift;
    }
    if (dst.extra.flags & Extra::scale_adjust) x = x * dst.extra.scale_adjust_factor;
    if (const PostOp* entry = sum_of(p)) {
        const PostOp& sum = *entry;
        x = x + sum.scale * read<float>(sum.type == DataType::undef ? dst.type : sum.type, d, j);
    }
    if (a.scales.count(arg::dst)) x = x / value_at(a.scales, arg::dst, arg::scales, dst, buffers, at, 1.f);
    if (a.zero_points.count(arg::dst))
        x = x + value_at(a.zero_points, arg::dst, arg::zero_points, dst, buffers, at, 0.f);
    write<float>(dst.type, d, j, x);
}

void compensate(const MemoryDesc& dst, Extra::Flag flag, int mask, int32_t factor, void* d) {
    auto* comp = reinterpret_cast<int32_t*>(static_cast<char*>(d) + compensation_offset(dst, flag));
    std::fill_n(comp, compensation_count(dst, flag), 0);
    const Layout weights = layout_of(dst);
    const Layout sums = layout_of_mask(mask, {dst.padded_dims.data(), size_t(dst.ndims)});
    for_each_coordinate(dst.dims_span(),
                        [&](auto at) { comp[sums.at(at)] += factor * read<int32_t>(dst.type, d, weights.at(at)); });
}

} // namespace

void ref_reorder(const Problem& p, const Buffers& buffers) {
    const MemoryDesc &src = p.md(arg::src), &dst = p.md(arg::dst);
    if (dst.has_zero_dim()) return;
    const Layout from = layout_of(src), to = layout_of(dst);
    zero_padding(dst, buffer(buffers, arg::dst));
    for_each_coordinate(dst.dims_span(), [&](auto at) { convert_element(p, buffers, at, from, to); });
    void* d = buffer(buffers, arg::dst);
    if (dst.extra.flags & Extra::s8s8) compensate(dst, Extra::s8s8, dst.extra.compensation_mask, -128, d);
    if (dst.extra.flags & Extra::rnn_u8s8) compensate(dst, Extra::rnn_u8s8, dst.extra.compensation_mask, 1, d);
    if (dst.extra.flags & Extra::asymmetric_src)
        compensate(dst, Extra::asymmetric_src, dst.extra.asymmetric_compensation_mask, -1, d);
}

} // namespace tessera::ops
