// SPDX-License-Identifier: Apache-2.0
// The reference of resampling, from RES-01..04 in the arithmetic that resampling.hpp defines, element by element.
#include <algorithm>
#include <cmath>

#include "core/program/reduction.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"
#include "ops/resampling/resampling.hpp"

namespace tessera::ops {

namespace {

// Interpolates src along dimension d and, recursively, the later ones; `from` holds the coordinates before d.
float interpolated(const MemoryDesc& src, const Layout& layout, const void* buffer, const std::vector<Taps>& taps,
                   std::span<const int64_t> at, std::vector<int64_t>& from, size_t d) {
    if (d == from.size()) return read<float>(src.type, buffer, layout.at(from));
    const Taps& t = taps[d - 2];
    const auto o = size_t(at[d]);
    from[d] = t.left[o];
    const float left = interpolated(src, layout, buffer, taps, at, from, d + 1);
    if (t.single) return left;
    from[d] = t.right[o];
    const float right = interpolated(src, layout, buffer, taps, at, from, d + 1);
    const float w = t.weight[o];
    return std::fma(w, right, (1.f - w) * left);
}

// Nearest without attributes copies elements as a reorder does: equal types bit by bit, integers as integers.
void convert(const MemoryDesc& src, const void* s, int64_t i, const MemoryDesc& dst, void* d, int64_t j) {
    switch (conversion_type(src.type, dst.type)) {
    case ValueType::bits:
        return write_bits(dst.type, d, j, read_bits(src.type, s, i));
    case ValueType::s32:
        return write<int32_t>(dst.type, d, j, read<int32_t>(src.type, s, i));
    default:
        return write<float>(dst.type, d, j, read<float>(src.type, s, i));
    }
}

void forward(const Problem& p, const Buffers& buffers) {
    const MemoryDesc &src = p.md(arg::src), &dst = p.md(arg::dst);
    const Layout from_layout = layout_of(src), to = layout_of(dst);
    const void* s = buffers.at(arg::src);
    void* d = buffers.at(arg::dst);
    const std::vector<Taps> taps = taps_of(p);
    const bool moves = p.attr.post_ops.entries.empty() && !p.attr.dropout &&
                       std::ranges::all_of(taps, [](const Taps& t) { return t.single; });
    for (const Tensor& t : p.tensors)
        if (t.output) zero_padding(t.md, buffers.at(t.arg));
    for_each_coordinate(dst.dims_span(), [&](auto at) {
        std::vector<int64_t> from(at.begin(), at.end());
        if (!moves) return ref_finish(p, buffers, interpolated(src, from_layout, s, taps, at, from, 2), arg::dst, at);
        for (size_t k = 2; k < from.size(); ++k) from[k] = taps[k - 2].left[size_t(at[k])];
        convert(src, s, from_layout.at(from), dst, d, to.at(at));
    });
}

// The gradient of input i of a dimension: outputs that read it and their weights, by ascending output.
struct Given {
    int64_t output;
    float weight;
};
std::vector<std::vector<Given>> given_to_inputs(const Taps& t) {
    std::vector<std::vector<Given>> given(size_t(t.inputs));
    for (size_t o = 0; o < size_t(t.outputs); ++o) {
        given[size_t(t.left[o])].push_back({int64_t(o), t.left_weight(o)});
        if (t.right[o] != t.left[o]) given[size_t(t.right[o])].push_back({int64_t(o), t.weight[o]});
    }
    return given;
}

float summed(const std::vector<float>& terms) {
    if (terms.size() == 1) return terms[0];
    float total = 0;
    for (size_t first = 0; first < terms.size(); first += size_t(reduction_block)) {
        float sums[reduction_sums] = {};
        const size_t last = std::min(terms.size(), first + size_t(reduction_block));
        for (size_t i = first; i < last; ++i) sums[i % size_t(reduction_sums)] += terms[i];
        const float block = joined(sums);
        total = first ? total + block : block;
    }
    return total;
}

void backward(const Problem& p, const Buffers& buffers) {
    const MemoryDesc &dst = p.md(arg::diff_dst), &src = p.md(arg::diff_src);
    const Layout from = layout_of(dst), to = layout_of(src);
    void* s = buffers.at(arg::diff_src);
    const void* d = buffers.at(arg::diff_dst);
    std::vector<std::vector<std::vector<Given>>> given;
    for (const Taps& t : taps_of(p)) given.push_back(given_to_inputs(t));
    zero_padding(src, s);
    for_each_coordinate(src.dims_span(), [&](auto at) {
        std::vector<int64_t> extents{1, 1}, place(at.begin(), at.end());
        for (size_t k = 2; k < at.size(); ++k) extents.push_back(int64_t(given[k - 2][size_t(at[k])].size()));
        std::vector<float> terms;
        for_each_coordinate(extents, [&](auto tap) {
            float weight = 1;
            for (size_t k = 2; k < at.size(); ++k) {
                const Given& g = given[k - 2][size_t(at[k])][size_t(tap[k])];
                place[k] = g.output;
                weight = weight * g.weight;
            }
            terms.push_back(weight * read<float>(dst.type, d, from.at(place)));
        });
        write<float>(src.type, s, to.at(at), ref_round(p, buffers, summed(terms), arg::diff_src, at));
    });
}

} // namespace

void ref_resampling(const Problem& p, const Buffers& buffers) {
    for (const Tensor& t : p.tensors)
        if (t.md.has_zero_dim()) return;
    p.prop == PropKind::backward_data ? backward(p, buffers) : forward(p, buffers);
}

} // namespace tessera::ops
