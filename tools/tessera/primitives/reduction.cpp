// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/reduction.hpp"

#include "bounds/sums.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "primitives/row.hpp"

namespace tessera::primitives::reduction {
namespace {

constexpr double half_ulp = 0x1p-24, largest = std::numeric_limits<float>::max();
constexpr float infinity = std::numeric_limits<float>::infinity();

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    return dnnl_reduction_primitive_desc_create(made, engine, a.alg(), a.handle(0), a.dst_handle(), a.line.p,
                                                a.line.eps, attr);
}

// Visits the elements of src that an element of dst is made of.
template <typename F> void each_term(const Computation& c, std::span<const int64_t> at, F&& visit) {
    const MemoryDesc& src = c.problem.md(arg::src);
    const Layout layout = layout_of(src);
    ops::for_each_coordinate(ops::Reduction(c.problem).extents, [&](auto offset) {
        std::vector<int64_t> from(at.begin(), at.end());
        for (size_t d = 0; d < from.size(); ++d) from[d] += offset[d];
        visit(read<float>(src.type, c.before.at(arg::src), layout.at(from)));
    });
}

// Products of factors in any order. Each multiplication is within 2^-24 of itself unless it leaves the range of f32,
// which some order can do if the factors above 1, or those below, come to 2^126 without the others.
Interval product_of(const std::vector<Interval>& factors) {
    double product = 1, above = 0, below = 0;
    bool zero = false;
    for (const Interval& f : factors) {
        const double x = f.low;
        product *= f.nan ? std::numeric_limits<double>::quiet_NaN() : x;
        const double size = std::log2(std::abs(x)); // of 0 it does not count
        if (x == 0) zero = true;
        if (x != 0 && size > 0) above += size;
        if (x != 0 && size < 0) below -= size;
    }
    Interval bound;
    if (!std::isfinite(product) && above == infinity) { // of infinities and NaN
        if (below > 126) return anything();             // which may meet a zero
        bound.add(float(product));
        return bound;
    }
    if (std::isnan(product)) {
        bound.nan = true;
        return bound;
    }
    if (above < 126 && below < 126) {
        bound.add(product, 1.01 * double(factors.size()) * half_ulp * std::abs(product));
        return bound;
    }
    if (above >= 126) return anything();
    // Subnormal on the way: 0 and the smallest number, made larger by the rest.
    bound.add(0.f);
    if (!zero) bound.add(0, std::exp2(above - 125));
    return bound;
}

// The image of a monotone function that is exact but for one rounding.
template <typename F> Interval rounded(const Interval& x, F&& f) {
    return x.through([&](Interval& image, float v) { image.add(float(f(v))); });
}

Interval power(float s, float p) {
    Interval x;
    x.add(std::fabs(s));
    if (p == 1 || x.nan) return x;
    return p == 2 ? rounded(x, [](float v) { return v * v; }) : function_image(x, alg::eltwise_pow, 1, double(p));
}

// The error of eltwise_pow, and that of its exponent: x^(b + d) = x^b (1 + d log x).
Interval root(const Interval& x, float p) {
    if (p == 1) return x;
    if (p == 2) return rounded(x, [](float v) { return std::sqrt(v); });
    const EltwiseError e = error_of(alg::eltwise_pow);
    const double exponent = 1 / double(p), lost = std::abs(exponent - double(1 / p));
    return x.through([&](Interval& image, float v) {
        const double exact = std::pow(double(v), exponent);
        const bool ordinary = v > 0 && std::isfinite(v);
        image.add(exact, e.forward * ulp_of(exact) + (ordinary ? lost * std::abs(std::log(double(v))) * exact : 0));
    });
}

std::vector<Interval> bounds(const Computation& c, int, std::span<const int64_t> at) {
    const ops::Reduction r(c.problem);
    std::vector<Interval> terms;
    each_term(c, at, [&](float s) {
        Interval x;
        x.add(s);
        terms.push_back(r.is_norm() ? power(s, r.p) : x);
    });
    std::vector<Interval> results;
    if (r.alg == alg::reduction_max || r.alg == alg::reduction_min) {
        const bool max = r.alg == alg::reduction_max;
        results = extremes_of(max, terms, float(max ? -largest : largest));
    } else if (r.alg == alg::reduction_mul) {
        results = {product_of(terms)};
    } else {
        Interval v = sum_of(terms);
        if (r.alg == alg::reduction_mean) v = rounded(v, [&](float x) { return x / float(r.count); });
        if (r.is_norm()) v = rounded(v, [&](float x) { return !r.bounds_norm() ? x + r.eps : r.eps > x ? r.eps : x; });
        results = {r.has_root() ? root(v, r.p) : v};
    }
    for (Interval& result : results) result = c.finished(result, at);
    return results;
}

Values values(const Problem& p, DataType) {
    const ops::Reduction r(p);
    if (r.alg == alg::reduction_mul) return Values::factors;
    return r.alg == alg::reduction_max || r.alg == alg::reduction_min ? Values::hostile : Values::ordinary;
}

// benchdnn's functions have the prefix of the primitive, and without one it sums.
Result<void> complete(spellings::Foreign& f) {
    if (f.alg.empty()) f.alg = "sum";
    if (f.dims.size() != 2) return invalid("a reduction has two shapes, SRC:DST, like 2x16x5:2x1x5");
    return {};
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::reduction,
    .help = "  reduction --alg=max|...|norm_lp_power_p_sum [--p=X] [--eps=X] [--sdt=TYPE] [--ddt=TYPE] [--stag=TAG]\n"
            "            [--dtag=TAG|any] SRC:DST\n",
    .options = "--alg --p --eps",
    .second_shape_is_dst = true,
    .dst_layout = Open::always,
    .dims_of_dst = [](const ProblemLine& line) { return line.dst_dims; },
    .create = create,
    .make =
        [](const Asked& a, const Attr& attr) {
            return ops::make_reduction(a.line.alg, a.src(), a.dst, a.line.p, a.line.eps, attr);
        },
    .adds = true,
    .values = values,
    .bounds = bounds,
    .driver = "--reduction",
    .complete = complete,
};

} // namespace tessera::primitives::reduction
