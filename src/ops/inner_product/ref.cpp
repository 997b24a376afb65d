// SPDX-License-Identifier: Apache-2.0
// The reference of inner products: INP-01, INP-02, CNV-60 element by element; padding zero (FMT-06).
//
// Sums are kept in double: exact for integers, and accurate enough to judge any order of additions in f32.
#include <cmath>

#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"
#include "ops/inner_product/inner_product.hpp"

namespace tessera::ops {

InnerProducts::Matrix InnerProducts::matrix_of(int id, const Problem& p, const Buffers& buffers) {
    const Tensor* t = p.find(id);
    if (!t || t->output) return {};
    Matrix m{t->md.dims[0], 1, {}};
    for (size_t d = 1; d < size_t(t->md.ndims); ++d) m.columns *= t->md.dims[d];
    for_each_coordinate(t->md.dims_span(), [&](auto at) { m.values.push_back(ref_unscaled(p, buffers, id, at)); });
    return m;
}

InnerProducts::InnerProducts(const Problem& p, const Buffers& buffers)
    : args_(side_args(p.prop)), src_(matrix_of(args_.src, p, buffers)), weights_(matrix_of(args_.weights, p, buffers)),
      dst_(matrix_of(args_.dst, p, buffers)) {
    const auto dims = p.md(args_.weights).dims_span();
    inner_.assign(dims.begin() + 1, dims.end());
}

InnerProducts::Sum InnerProducts::at(int output, std::span<const int64_t> at) const {
    Sum sum;
    const auto add = [&](double term) {
        sum.value += term;
        sum.magnitude += std::abs(term);
        ++sum.terms;
    };
    int64_t inner = 0; // number of the channel and pixel
    for (size_t d = 1; output != args_.dst && d < at.size(); ++d) inner = inner * inner_[d - 1] + at[d];
    if (output == args_.dst)
        for (int64_t k = 0; k < src_.columns; ++k) add(src_.get(at[0], k) * weights_.get(at[1], k));
    if (output == args_.src)
        for (int64_t o = 0; o < dst_.columns; ++o) add(dst_.get(at[0], o) * weights_.get(o, inner));
    if (output == args_.weights)
        for (int64_t n = 0; n < dst_.rows; ++n) add(dst_.get(n, at[0]) * src_.get(n, inner));
    if (output == args_.bias)
        for (int64_t n = 0; n < dst_.rows; ++n) add(dst_.get(n, at[0]));
    return sum;
}

void ref_inner_product(const Problem& p, const Buffers& buffers) {
    const InnerProducts products(p, buffers);
    for (const Tensor& t : p.tensors) {
        if (!t.output || t.md.has_zero_dim()) continue;
        zero_padding(t.md, buffers.at(t.arg));
        const Layout layout = layout_of(t.md);
        for_each_coordinate(t.md.dims_span(), [&](auto at) {
            const double exact = products.at(t.arg, at).value;
            if (t.arg == arg::dst && ref_store_sum(p, buffers, exact, at)) return;
            auto value = float(exact);
            if (t.arg != arg::dst)
                return write<float>(t.md.type, buffers.at(t.arg), layout.at(at),
                                    ref_round(p, buffers, value, t.arg, at));
            const std::vector<int64_t> channel{at[1]};
            std::vector<int64_t> row(size_t(p.md(arg::weights).ndims), 0);
            row[0] = at[1];
            value = value * ref_scale(p, buffers, arg::src, row) * ref_scale(p, buffers, arg::weights, row);
            if (p.find(arg::bias)) value += ref_load(p, buffers, arg::bias, channel);
            ref_finish(p, buffers, value, arg::dst, at);
        });
    }
}

} // namespace tessera::ops
