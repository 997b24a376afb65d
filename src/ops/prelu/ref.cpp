// SPDX-License-Identifier: Apache-2.0
// The reference of prelu: PRE-01, PRE-02, element by element; padding zero (FMT-06).
//
// Sums of diff_weights are kept in double: accurate enough to judge any order of additions in f32.
#include "ops/prelu/prelu.hpp"

#include <algorithm>

#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

namespace {

struct Data {
    const MemoryDesc& md;
    void* buffer;
    Layout layout = layout_of(md);

    // The element at coordinates of src; coordinate 0 where the tensor is broadcast.
    int64_t element(std::span<const int64_t> at) const {
        std::vector<int64_t> own(at.begin(), at.end());
        for (size_t d = 0; d < own.size(); ++d)
            if (md.dims[d] == 1) own[d] = 0;
        return layout.at(own);
    }
    float get(std::span<const int64_t> at) const { return read<float>(md.type, buffer, element(at)); }
    void put(std::span<const int64_t> at, float value) const { write<float>(md.type, buffer, element(at), value); }
    void zero() const {
        if (md.has_zero_dim()) return;
        const std::span<const int64_t> padded(md.padded_dims.data(), size_t(md.ndims));
        for_each_coordinate(padded, [&](auto at) { write_bits(md.type, buffer, layout.at(at), 0); });
    }
    void zero_padding() const { ops::zero_padding(md, buffer); }
};

// min(x, 0), NaN where x is NaN.
float negative_part(float x) { return x > 0 ? 0.f : x; }

} // namespace

void ref_prelu(const Problem& p, const Buffers& buffers) {
    const auto data = [&](int id) { return Data{p.md(id), buffers.at(id)}; };
    const Data src = data(arg::src), weights = data(arg::weights);
    const auto dims = src.md.dims_span();
    if (p.prop != PropKind::backward) {
        const Data dst = data(arg::dst);
        dst.zero_padding();
        for_each_coordinate(dims, [&](auto at) {
            const float s = src.get(at);
            dst.put(at, s > 0 ? s : s * weights.get(at));
        });
        return;
    }
    const Data diff_dst = data(arg::diff_dst), diff_src = data(arg::diff_src), diff_weights = data(arg::diff_weights);
    struct Sum {
        double value;
        std::vector<int64_t> at; // coordinates of its first term; broadcast dimensions do not change the element
    };
    std::map<int64_t, Sum> sums; // by element of diff_weights
    for_each_coordinate(dims, [&](auto at) {
        const float product = negative_part(src.get(at)) * diff_dst.get(at);
        const auto [sum, is_first] = sums.try_emplace(diff_weights.element(at), Sum{product, {at.begin(), at.end()}});
        if (!is_first) sum->second.value += product;
    });
    diff_src.zero_padding();
    for_each_coordinate(dims, [&](auto at) {
        const float dd = diff_dst.get(at);
        const float slope = src.get(at) > 0 ? dd : dd * weights.get(at);
        diff_src.put(at, ref_round(p, buffers, slope, arg::diff_src, at));
    });
    diff_weights.zero(); // including sums over no terms
    // Sums of several terms start at +0 and so are never -0; a single term is taken as it is.
    const bool shares = !std::ranges::equal(weights.md.dims_span(), dims);
    for (const auto& [element, sum] : sums) {
        const float total = shares ? float(sum.value) + 0.f : float(sum.value);
        write<float>(diff_weights.md.type, diff_weights.buffer, element,
                     ref_round(p, buffers, total, arg::diff_weights, sum.at));
    }
}

} // namespace tessera::ops
