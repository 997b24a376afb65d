// SPDX-License-Identifier: Apache-2.0
// The reference of matmul: MAT-01, MAT-40, MAT-41 element by element; padding zero (FMT-06).
//
//   f32( sum of (src - z_s) * (W - z_w) ) * s_s * s_w + bias, then the attributes
//
// A scale that varies along k is applied inside the sum. Sums are kept in double: exact for integers, and accurate
// enough to judge any order of additions in f32.
#include <cmath>

#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"
#include "ops/matmul/matmul.hpp"

namespace tessera::ops {

Products::Factors Products::factors_of(int id, const Problem& p, const Buffers& buffers, size_t k) {
    const MemoryDesc& md = p.md(id);
    const bool scaled = varies_along_k(p.attr.scales, id, md);
    Factors factors;
    factors.strides.resize(size_t(md.ndims));
    factors.strides[k] = 1;
    int64_t stride = md.dims[k];
    for (size_t d = size_t(md.ndims); d-- > 0;) {
        if (d == k) continue;
        factors.strides[d] = md.dims[d] == 1 ? 0 : stride;
        stride *= md.dims[d];
    }
    factors.values.resize(size_t(stride));
    for_each_coordinate(md.dims_span(), [&](auto at) {
        int64_t i = 0;
        for (size_t d = 0; d < at.size(); ++d) i += at[d] * factors.strides[d];
        factors.values[size_t(i)] = ref_unscaled(p, buffers, id, at) * (scaled ? ref_scale(p, buffers, id, at) : 1.f);
    });
    return factors;
}

const double* Products::Factors::from(std::span<const int64_t> at, size_t k) const {
    int64_t i = 0;
    for (size_t d = 0; d < at.size(); ++d)
        if (d != k) i += at[d] * strides[d];
    return values.data() + i;
}

Products::Products(const Problem& p, const Buffers& buffers)
    : src_(factors_of(arg::src, p, buffers, size_t(p.md(arg::src).ndims) - 1)),
      weights_(factors_of(arg::weights, p, buffers, size_t(p.md(arg::weights).ndims) - 2)),
      terms_(p.md(arg::src).dims[size_t(p.md(arg::src).ndims) - 1]) {}

template <typename F> void Products::each_term(std::span<const int64_t> at, F&& f) const {
    const size_t n = at.size() - 1, m = n - 1;
    const double *const s = src_.from(at, n), *const w = weights_.from(at, m);
    for (int64_t k = 0; k < terms_; ++k) f(s[k] * w[k]);
}

Products::Sum Products::at(std::span<const int64_t> at) const {
    Sum sum;
    each_term(at, [&](double term) {
        sum.value += term;
        sum.magnitude += std::abs(term);
    });
    return sum;
}

double Products::value_at(std::span<const int64_t> at) const {
    double sum = 0;
    each_term(at, [&](double term) { sum += term; });
    return sum;
}

namespace {

// MAT-44: e8m0(amax) / e8m0(largest of dst's type), or amax / that largest, 1 where all are 0.
float dynamic_scale(const Quant& q, DataType dst, float amax) {
    const auto highest = float(range(dst).highest);
    if (q.mode == QuantizationMode::dynamic_fp) return amax == 0 ? 1.f : amax / highest;
    const auto power = [](float x) { return x == 0 || !std::isfinite(x) ? x : std::ldexp(1.f, std::ilogb(x)); };
    return power(amax) / power(highest);
}

// `values` in logical order; groups lie along the last dimension.
void quantize_dynamically(const Problem& p, const Buffers& buffers, const std::vector<float>& values) {
    const Quant& q = *dynamic_scales(p.attr);
    const MemoryDesc& dst = p.md(arg::dst);
    void* scales = buffers.at(arg::scales | arg::dst);
    const int64_t group = q.groups[1];
    for (size_t g = 0; g < values.size() / size_t(group); ++g) {
        float amax = 0;
        for (int64_t i = 0; i < group; ++i) {
            const float size = std::abs(values[g * size_t(group) + size_t(i)]);
            amax = std::isnan(size) || size > amax ? size : amax;
        }
        write<float>(q.type, scales, int64_t(g), dynamic_scale(q, dst.type, amax));
    }
    const Layout layout = layout_of(dst);
    size_t i = 0;
    for_each_coordinate(dst.dims_span(), [&](auto at) {
        const auto scale = read<float>(q.type, scales, int64_t(i) / group);
        write<float>(dst.type, buffers.at(arg::dst), layout.at(at), values[i++] / scale);
    });
}

} // namespace

void ref_matmul(const Problem& p, const Buffers& buffers) {
    const MemoryDesc &src = p.md(arg::src), &weights = p.md(arg::weights), &dst = p.md(arg::dst);
    if (dst.has_zero_dim()) return;
    for (const Tensor& t : p.tensors)
        if (t.output) zero_padding(t.md, buffers.at(t.arg));
    const Products products(p, buffers);
    const size_t n = size_t(dst.ndims) - 1, m = n - 1;
    const bool terms = src.dims[n] > 0; // with K = 0 scales that vary along k have no values
    const bool src_scale = terms && !varies_along_k(p.attr.scales, arg::src, src);
    const bool weights_scale = terms && !varies_along_k(p.attr.scales, arg::weights, weights);
    std::vector<float> values; // unquantized results, from which dynamic scales are computed
    const bool dynamic = dynamic_scales(p.attr) != nullptr;
    for_each_coordinate(dst.dims_span(), [&](auto at) {
        std::vector<int64_t> s(at.begin(), at.end()), w(at.begin(), at.end());
        s[n] = w[m] = 0; // any k
        const double exact = products.value_at(at);
        if (!dynamic && ref_store_sum(p, buffers, exact, at)) return;
        auto value = float(exact);
        if (src_scale) value *= ref_scale(p, buffers, arg::src, s);
        if (weights_scale) value *= ref_scale(p, buffers, arg::weights, w);
        if (p.find(arg::bias)) value += ref_load(p, buffers, arg::bias, at);
        if (dynamic)
            values.push_back(ref_finished(p, buffers, value, arg::dst, at));
        else
            ref_finish(p, buffers, value, arg::dst, at);
    });
    if (dynamic) quantize_dynamically(p, buffers, values);
}

} // namespace tessera::ops
