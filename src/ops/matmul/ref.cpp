// The oracle of matmul: MAT-01, MAT-40, MAT-41 element by element; padding zero (FMT-06).
//
//   f32( sum of (src - z_s) * (W - z_w) ) * s_s * s_w + bias, then the attributes
//
// A scale that varies along k stands inside the sum. Sums are kept in double: exact for integers, and exact enough to
// stand for any order of additions in f32.
#include <cmath>

#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"
#include "ops/matmul/matmul.hpp"

namespace tessera::ops {

Products::Factors Products::factors_of(int id, const Problem& p, const Buffers& buffers) {
    const MemoryDesc& md = p.md(id);
    const bool scaled = varies_along_k(p.attr.scales, id, md);
    Factors factors;
    for_each_coordinate(md.dims_span(), [&](auto at) {
        factors.values.push_back(ref_unscaled(p, buffers, id, at) * (scaled ? ref_scale(p, buffers, id, at) : 1.f));
    });
    factors.strides.resize(size_t(md.ndims));
    int64_t stride = 1;
    for (size_t d = size_t(md.ndims); d-- > 0; stride *= md.dims[d]) factors.strides[d] = md.dims[d] == 1 ? 0 : stride;
    return factors;
}

Products::Products(const Problem& p, const Buffers& buffers)
    : src_(factors_of(arg::src, p, buffers)), weights_(factors_of(arg::weights, p, buffers)),
      terms_(p.md(arg::src).dims[size_t(p.md(arg::src).ndims) - 1]) {}

Products::Sum Products::at(std::span<const int64_t> at) const {
    const size_t n = at.size() - 1, m = n - 1;
    int64_t s = 0, w = at[n] * weights_.strides[n];
    for (size_t d = 0; d < n; ++d) s += at[d] * src_.strides[d];
    for (size_t d = 0; d < m; ++d) w += at[d] * weights_.strides[d];
    Sum sum;
    for (int64_t k = 0; k < terms_; ++k, s += src_.strides[n], w += weights_.strides[m]) {
        const double term = src_.values[size_t(s)] * weights_.values[size_t(w)];
        sum.value += term;
        sum.magnitude += std::abs(term);
    }
    return sum;
}

void ref_matmul(const Problem& p, const Buffers& buffers) {
    const MemoryDesc &src = p.md(arg::src), &weights = p.md(arg::weights), &dst = p.md(arg::dst);
    if (dst.has_zero_dim()) return;
    for (const Tensor& t : p.tensors)
        if (t.output) zero_padding(t.md, buffers.at(t.arg));
    const Products products(p, buffers);
    const bool src_scale = !varies_along_k(p.attr.scales, arg::src, src);
    const bool weights_scale = !varies_along_k(p.attr.scales, arg::weights, weights);
    const size_t n = size_t(dst.ndims) - 1, m = n - 1;
    for_each_coordinate(dst.dims_span(), [&](auto at) {
        std::vector<int64_t> s(at.begin(), at.end()), w(at.begin(), at.end());
        s[n] = w[m] = 0; // any k
        auto value = float(products.at(at).value);
        if (src_scale) value *= ref_scale(p, buffers, arg::src, s);
        if (weights_scale) value *= ref_scale(p, buffers, arg::weights, w);
        if (p.find(arg::bias)) value += ref_load(p, buffers, arg::bias, at);
        ref_finish(p, buffers, value, arg::dst, at);
    });
}

} // namespace tessera::ops
