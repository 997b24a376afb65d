// SPDX-License-Identifier: Apache-2.0
// The reference of reduction: RED-02..06 and RED-12, element by element of dst; padding zero (FMT-06).
//
// Each term |s|^p is rounded to f32. Sums and products of terms are kept in double, accurate enough to judge any order
// of additions in f32, and rounded once they are complete.
#include <cmath>
#include <limits>

#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"
#include "ops/reduction/reduction.hpp"

namespace tessera::ops {

namespace {

float magnitude_to(float s, float p) {
    return p == 2 ? s * s : p == 1 ? std::fabs(s) : float(std::pow(std::fabs(double(s)), double(p)));
}

double combined(const Reduction& r, double so_far, float s) {
    switch (r.alg) {
    case alg::reduction_max:
        return double(s) > so_far || std::isnan(s) ? double(s) : so_far; // greater than NaN is nothing
    case alg::reduction_min:
        return double(s) < so_far || std::isnan(s) ? double(s) : so_far;
    case alg::reduction_mul:
        return so_far * double(s);
    case alg::reduction_sum:
    case alg::reduction_mean:
        return so_far + double(s);
    default:
        return so_far + double(magnitude_to(s, r.p));
    }
}

// Of no elements the largest is a finite number.
double start_of(int alg, bool empty) {
    constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<float>::max();
    const double highest = empty ? largest : infinity;
    return alg == alg::reduction_max ? -highest : alg == alg::reduction_min ? highest : alg == alg::reduction_mul;
}

float finished(const Reduction& r, double all) {
    if (r.alg == alg::reduction_mean) return r.is_zero_of_none ? 0.f : float(all / r.count);
    float v = float(all);
    if (!r.is_norm()) return v;
    if (r.bounds_norm())
        v = r.eps > v ? r.eps : v;
    else
        v = v + r.eps;
    return r.has_root() ? float(std::pow(double(v), 1 / double(r.p))) : v;
}

} // namespace

void ref_reduction(const Problem& p, const Buffers& buffers) {
    const MemoryDesc &src = p.md(arg::src), &dst = p.md(arg::dst);
    if (dst.has_zero_dim()) return;
    const Reduction r(p);
    const Layout layout = layout_of(src);
    zero_padding(dst, buffers.at(arg::dst));
    for_each_coordinate(dst.dims_span(), [&](auto at) {
        double all = start_of(r.alg, src.has_zero_dim());
        for_each_coordinate(r.extents, [&](auto offset) {
            std::vector<int64_t> from(at.begin(), at.end());
            for (size_t d = 0; d < from.size(); ++d) from[d] += offset[d];
            all = combined(r, all, read<float>(src.type, buffers.at(arg::src), layout.at(from)));
        });
        ref_finish(p, buffers, finished(r, all), arg::dst, at);
    });
}

} // namespace tessera::ops
