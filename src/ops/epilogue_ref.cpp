// SPDX-License-Identifier: Apache-2.0
// The reference of attributes: one element, from the formulas of NUM-01 and PO-02..06, without programs.
#include <cmath>

#include "core/program/binary.hpp"
#include "core/program/lib/eltwise.hpp"
#include "core/program/lib/random.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

namespace {

// Coordinates of dst mapped to a tensor that is broadcast to it.
int64_t element_of(const MemoryDesc& md, std::span<const int64_t> at) {
    if (md.kind == FormatKind::host_scalar) return 0;
    Dims position{};
    for (size_t d = 0; d < size_t(md.ndims); ++d) position[d] = md.dims[d] == 1 ? 0 : at[d];
    int64_t element = md.offset0, stride = 1;
    for (size_t i = size_t(md.inner_nblks); i-- > 0;) {
        const auto d = size_t(md.inner_idxs[i]);
        element += position[d] % md.inner_blks[i] * stride;
        position[d] /= md.inner_blks[i];
        stride *= md.inner_blks[i];
    }
    for (size_t d = 0; d < size_t(md.ndims); ++d) element += position[d] * md.strides[d];
    return element;
}

float value_at(const Problem& p, const Buffers& buffers, int id, std::span<const int64_t> at) {
    const MemoryDesc& md = p.md(id);
    return read<float>(md.type, buffers.at(id), element_of(md, at));
}

// Row-major over the masked dims; groups divide the last two (SCL-03, SCL-04).
int64_t index_of(int mask, const std::vector<int64_t>& groups, const MemoryDesc& md, std::span<const int64_t> at) {
    int64_t index = 0;
    for (size_t d = 0; d < size_t(md.ndims); ++d) {
        if (!(mask >> d & 1) || md.dims[d] == 1) continue;
        const size_t first_grouped = size_t(md.ndims) - groups.size();
        const int64_t group = d >= first_grouped ? groups[d - first_grouped] : 1;
        index = index * (md.dims[d] / group) + at[d] / group;
    }
    return index;
}

bool has(const std::map<int, Quant>& quants, int id) { return quants.count(id) != 0; }

float quant_at(const std::map<int, Quant>& quants, int base, int id, const Problem& p, const Buffers& buffers,
               std::span<const int64_t> at) {
    const Quant& q = quants.at(id);
    return read<float>(q.type, buffers.at(base | id), index_of(q.mask, q.groups, p.md(id), at));
}

float post_op(const PostOp& op, int base, float x, const Problem& p, const Buffers& buffers, int dst_id,
              std::span<const int64_t> at) {
    switch (op.kind) {
    case PostOpKind::sum: {
        if (op.scale == 0.f) return x;
        const MemoryDesc& dst = p.md(dst_id);
        const DataType type = op.type == DataType::undef ? dst.type : op.type;
        const float old = read<float>(type, buffers.at(dst_id), element_of(dst, at));
        return x + op.scale * (old - float(op.zero_point));
    }
    case PostOpKind::eltwise:
        return float(eltwise_of(op.alg, x, op.alpha, op.beta)) * op.scale;
    case PostOpKind::binary: {
        const float other = value_at(p, buffers, base | arg::src_1, at);
        if (op.alg != binary::select) return binary_of(op.alg, x, other);
        return select_of(value_at(p, buffers, base | arg::src_2, at), x, other);
    }
    default:
        return x > 0 ? x : x * value_at(p, buffers, base | arg::weights, at);
    }
}

} // namespace

double ref_unscaled(const Problem& p, const Buffers& buffers, int id, std::span<const int64_t> at) {
    const double x = value_at(p, buffers, id, at);
    return has(p.attr.zero_points, id) ? x - quant_at(p.attr.zero_points, arg::zero_points, id, p, buffers, at) : x;
}

float ref_scale(const Problem& p, const Buffers& buffers, int id, std::span<const int64_t> at) {
    return has(p.attr.scales, id) ? quant_at(p.attr.scales, arg::scales, id, p, buffers, at) : 1.f;
}

float ref_load(const Problem& p, const Buffers& buffers, int id, std::span<const int64_t> at) {
    float x = value_at(p, buffers, id, at);
    if (has(p.attr.zero_points, id)) x = x - quant_at(p.attr.zero_points, arg::zero_points, id, p, buffers, at);
    if (has(p.attr.scales, id)) x = x * quant_at(p.attr.scales, arg::scales, id, p, buffers, at);
    return x;
}

float ref_output_scaled(const Problem& p, const Buffers& buffers, float x, std::span<const int64_t> at) {
    const OutputScales& o = p.attr.output_scales;
    if (o.values.empty()) return x;
    const int64_t k = index_of(o.mask, {}, p.md(arg::dst), at);
    return x * (o.at_execution() ? read<float>(DataType::f32, buffers.at(arg::output_scales), k) : o.values[size_t(k)]);
}

float ref_quantized(const Problem& p, const Buffers& buffers, float x, int dst_id, std::span<const int64_t> at) {
    if (has(p.attr.scales, dst_id)) x = x / quant_at(p.attr.scales, arg::scales, dst_id, p, buffers, at);
    if (has(p.attr.zero_points, dst_id)) x = x + quant_at(p.attr.zero_points, arg::zero_points, dst_id, p, buffers, at);
    return x;
}

float ref_finished(const Problem& p, const Buffers& buffers, float x, int dst_id, std::span<const int64_t> at) {
    const Attr& a = p.attr;
    x = ref_output_scaled(p, buffers, x, at);
    if (a.dropout) x = ref_drop_out(p, buffers, x, dst_id, at);
    if (const Tensor* mask = p.find(arg::dropout_mask))
        write<float>(mask->md.type, buffers.at(mask->arg), element_of(mask->md, at),
                     ref_is_kept(p, buffers, dst_id, at) ? 1.f : 0.f);
    for (size_t i = 0; i < a.post_ops.entries.size(); ++i)
        x = post_op(a.post_ops.entries[i], arg::post_op(int(i)), x, p, buffers, dst_id, at);
    return x;
}

bool ref_store_sum(const Problem& p, const Buffers& buffers, double sum, std::span<const int64_t> at) {
    const MemoryDesc& dst = p.md(arg::dst);
    const Attr& a = p.attr;
    const bool alone = is_integer(p.md(arg::src).type) && is_integer(p.md(arg::weights).type) && is_integer(dst.type) &&
                       !p.find(arg::bias) && a.scales.empty() && a.output_scales.values.empty() && !a.dropout &&
                       a.post_ops.entries.empty() && !has(a.zero_points, arg::dst);
    if (alone) write<double>(dst.type, buffers.at(arg::dst), element_of(dst, at), sum);
    return alone;
}

void ref_finish(const Problem& p, const Buffers& buffers, float x, int dst_id, std::span<const int64_t> at) {
    const MemoryDesc& dst = p.md(dst_id);
    x = ref_quantized(p, buffers, ref_finished(p, buffers, x, dst_id, at), dst_id, at);
    write<float>(dst.type, buffers.at(dst_id), element_of(dst, at), ref_round(p, buffers, x, dst_id, at));
}

bool ref_is_kept(const Problem& p, const Buffers& buffers, int dst_id, std::span<const int64_t> at) {
    const Dropout& d = *p.attr.dropout;
    const auto index = uint64_t(index_of(-1, {}, p.md(dst_id), at));
    const auto seed = read<int64_t>(d.seed_type, buffers.at(arg::dropout_seed), 0);
    const int64_t offset = d.use_offset ? read<int64_t>(DataType::s64, buffers.at(arg::dropout_offset), 0) : 0;
    const auto probability = read<float>(DataType::f32, buffers.at(arg::dropout_probability), 0);
    return is_kept_of(dropout_bits_of(index, seed, offset), probability);
}

float ref_drop_out(const Problem& p, const Buffers& buffers, float x, int dst_id, std::span<const int64_t> at) {
    const auto probability = read<float>(DataType::f32, buffers.at(arg::dropout_probability), 0);
    return ref_is_kept(p, buffers, dst_id, at) ? x * (1.f / (1.f - probability)) : 0.f;
}

float ref_round(const Problem& p, const Buffers& buffers, float x, int id, std::span<const int64_t> at) {
    const MemoryDesc& md = p.md(id);
    if (!rounds_stochastically(p.attr, id) || md.type == DataType::f32) return x;
    const auto index = uint64_t(index_of(-1, {}, md, at));
    const auto seed = read<int32_t>(DataType::s32, buffers.at(arg::rounding_seed), 0);
    return rounded_stochastically_of(x, rounding_bits_of(index, seed), md.type);
}

} // namespace tessera::ops
