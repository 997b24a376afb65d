// SPDX-License-Identifier: Apache-2.0
// The reference of softmax: SOF-01, SOF-02 and SOF-09, row by row, in double; padding zero (FMT-06).
#include <cmath>
#include <limits>

#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"
#include "ops/softmax/softmax.hpp"

namespace tessera::ops {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using At = std::span<const int64_t>;

// Calls visit(coordinates) for each element of the row that begins at `row`.
template <typename F> void along(const Softmax& s, At row, F&& visit) {
    std::vector<int64_t> at(row.begin(), row.end());
    for (int64_t& i = at[s.axis]; i < s.extent; ++i) visit(At(at));
}

void forward(const Problem& p, const Softmax& s, const Buffers& buffers, At row) {
    const MemoryDesc& src = p.md(arg::src);
    const Layout layout = layout_of(src);
    const auto load = [&](At at) { return read<float>(src.type, buffers.at(arg::src), layout.at(at)); };
    float most = -std::numeric_limits<float>::infinity();
    along(s, row, [&](At at) {
        const float x = load(at);
        if (x > most || std::isnan(x)) most = x; // greater than NaN is nothing
    });
    const auto above = [&](At at) { return double(load(at) - most); };
    const auto exponential = [](double x) { return std::isnan(x) ? infinity : std::exp(x); };
    double sum = 0;
    along(s, row, [&](At at) { sum += exponential(above(at)); });
    // In place src is overwritten, element by element, where it is not needed any more.
    along(s, row, [&](At at) {
        const double x = above(at), d = s.log ? x - std::log(sum) : exponential(x) / sum;
        ref_finish(p, buffers, float(d) * ref_scale(p, buffers, arg::src, at), arg::dst, at);
    });
}

void backward(const Problem& p, const Softmax& s, const Buffers& buffers, At row) {
    double sum = 0;
    along(s, row, [&](At at) {
        const double dd = ref_load(p, buffers, arg::diff_dst, at), d = ref_load(p, buffers, arg::dst, at);
        sum += s.log ? dd : dd * d;
    });
    const MemoryDesc& to = p.md(arg::diff_src);
    const Layout layout = layout_of(to);
    along(s, row, [&](At at) {
        const double dd = ref_load(p, buffers, arg::diff_dst, at), d = ref_load(p, buffers, arg::dst, at);
        const auto ds = float(s.log ? dd - std::exp(d) * sum : d * (dd - sum));
        write<float>(to.type, buffers.at(arg::diff_src), layout.at(at), ref_round(p, buffers, ds, arg::diff_src, at));
    });
}

} // namespace

void ref_softmax(const Problem& p, const Buffers& buffers) {
    const Softmax s(p);
    if (p.md(s.to).has_zero_dim()) return;
    for (const Tensor& t : p.tensors)
        if (t.output) zero_padding(t.md, buffers.at(t.arg));
    for_each_coordinate(s.rows(),
                        [&](auto row) { s.backward ? backward(p, s, buffers, row) : forward(p, s, buffers, row); });
}

} // namespace tessera::ops
