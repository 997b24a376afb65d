// SPDX-License-Identifier: Apache-2.0
#include "ops/lrn/lrn.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "ops/coordinates.hpp"
#include "primitives/row.hpp"

namespace tessera::primitives::lrn {
namespace {

ops::LrnParameters parameters_of(const ProblemLine& line) { return {line.size, line.alpha, line.beta, line.k}; }

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    const ProblemLine& l = a.line;
    if (l.backward())
        return dnnl_lrn_backward_primitive_desc_create(made, engine, a.alg(), as_handle(a.dst), as_handle(a.dst),
                                                       a.handle(0), l.size, l.alpha, l.beta, l.k, nullptr, attr);
    return dnnl_lrn_forward_primitive_desc_create(made, engine, a.prop(), a.alg(), a.handle(0), as_handle(a.dst),
                                                  l.size, l.alpha, l.beta, l.k, attr);
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    if (a.line.backward())
        return ops::make_lrn_backward(a.line.alg, a.dst, a.dst, a.src(), parameters_of(a.line), attr);
    return ops::make_lrn_forward(a.line.prop, a.line.alg, a.src(), a.dst, parameters_of(a.line), attr);
}

// A number and how far its computation in f32 may be off: infinity where something overflows or may be undefined. NaN
// that is off by nothing is NaN in any case.
constexpr double half_ulp = 0x1p-24, smallest = 0x1p-126, infinity = std::numeric_limits<double>::infinity();
struct Rounded {
    double value, error = 0;
    bool undefined() const { return std::isnan(value) && error == 0; }
};
constexpr Rounded undefined{std::numeric_limits<double>::quiet_NaN()};
Rounded rounded(double value, double error) {
    const bool beyond = !std::isfinite(value) || !std::isfinite(error) || std::abs(value) > 0x1p127;
    return {value, beyond ? infinity : error + half_ulp * std::abs(value) + smallest};
}
Rounded operator*(Rounded a, Rounded b) {
    if (a.undefined() || b.undefined()) return undefined;
    return rounded(a.value * b.value, std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error);
}
Rounded operator-(Rounded a, Rounded b) {
    return a.undefined() || b.undefined() ? undefined : rounded(a.value - b.value, a.error + b.error);
}

// Sums of any order.
struct Total {
    double value = 0, error = 0, magnitude = 0, terms = 0;
    bool any_undefined = false;
    void add(Rounded x) {
        value += x.value, error += x.error, magnitude += std::abs(x.value) + x.error, terms += 1;
        any_undefined |= x.undefined();
    }
    Rounded sum() const { return any_undefined ? undefined : rounded(value, error + terms * half_ulp * magnitude); }
};

// What every window shares: the values, omega, and the terms of the gradient's sum.
class Computed {
public:
    Computed(const Problem& problem, const ops::Buffers& before) : l_(problem) {
        const Computation c(problem, before);
        const auto dims = l_.src.dims_span();
        const auto values = [&](int id) {
            return ops::Dense<Rounded>(dims, [&](auto at) {
                const double x = c.value(id, at);
                return Rounded{x, std::isfinite(x) ? 0 : infinity};
            });
        };
        src_ = values(arg::src);
        omega_ = {dims, [&](auto at) { return omega(at); }};
        if (!l_.backward) return;
        diff_dst_ = values(arg::diff_dst);
        terms_ = {dims, [&](auto at) {
                      const Rounded w = omega_.at(at), first = diff_dst_.at(at) * power(w, -double(l_.parameters.beta));
                      return first * src_.at(at) * power(w, -1);
                  }};
    }

    Rounded at(std::span<const int64_t> at) const { return l_.backward ? gradient(at) : normalized(at); }

private:
    Rounded omega(std::span<const int64_t> at) const {
        Total squares;
        l_.each_neighbour(at, [&](auto place) { squares.add(src_.at(place) * src_.at(place)); });
        const double share = double(l_.parameters.alpha) / l_.divisor;
        const Rounded scaled = Rounded{share, half_ulp * std::abs(share)} * squares.sum();
        return rounded(double(l_.parameters.k) + scaled.value, scaled.error);
    }
    // omega ^ exponent: between its values at the ends, and 8 ulp of the power itself; of negative numbers whole
    // powers.
    Rounded power(Rounded omega, double exponent) const {
        const double low = omega.value - omega.error, high = omega.value + omega.error;
        if (!(low > 0 || high < 0) || !std::isfinite(low) || !std::isfinite(high))
            return {std::pow(omega.value, exponent), infinity};
        if (high < 0 && std::rint(exponent) != exponent) return undefined;
        const double exact = std::pow(omega.value, exponent);
        const double apart =
            std::max(std::abs(std::pow(low, exponent) - exact), std::abs(std::pow(high, exponent) - exact));
        return rounded(exact, apart + 16 * half_ulp * std::abs(exact));
    }
    Rounded normalized(std::span<const int64_t> at) const {
        return src_.at(at) * power(omega_.at(at), -double(l_.parameters.beta));
    }
    Rounded gradient(std::span<const int64_t> at) const {
        const double beta = l_.parameters.beta, factor = 2 * double(l_.parameters.alpha) * beta / l_.divisor;
        Total terms;
        l_.each_neighbour(at, [&](auto place) { terms.add(terms_.at(place)); });
        const Rounded scaled = Rounded{factor, half_ulp * std::abs(factor)} * src_.at(at);
        return diff_dst_.at(at) * power(omega_.at(at), -beta) - scaled * terms.sum();
    }

    const ops::Lrn l_;
    ops::Dense<Rounded> src_, omega_, diff_dst_, terms_;
};

std::vector<Interval> bounds(const Computation& c, int, std::span<const int64_t> at) {
    const Rounded x = c.sums<Computed>().at(at);
    Interval bound;
    if (x.undefined()) {
        bound.nan = true;
    } else if (std::isfinite(x.value) && std::isfinite(x.error)) {
        bound.add(x.value, 1.001 * x.error);
    } else {
        bound.add(float(-infinity)), bound.add(float(infinity));
        bound.nan = true;
    }
    return {bound};
}

// benchdnn's defaults: a size of 5, alpha 1/8192, beta 3/4, k 1.
Result<void> complete(spellings::Foreign& f) {
    std::transform(f.alg.begin(), f.alg.end(), f.alg.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    if (f.alg.empty() || f.alg == "across") f.alg = "across_channels";
    if (f.alg == "within") f.alg = "within_channel";
    return {};
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::lrn,
    .help = "  lrn --alg=across_channels|within_channel [--dir=FWD_D|FWD_I|BWD_D] [--size=N] [--alpha=X] [--beta=X] "
            "[--k=X]\n      [--dt=TYPE] [--stag=TAG] [--dtag=TAG|any] DIMS\n",
    .options = "--alg --dir --size --alpha --beta --k",
    .create = create,
    .make = make,
    .adds = true,
    .values = [](const Problem&, DataType) { return tessera::Values::ordinary; },
    .bounds = bounds,
    .driver = "--lrn",
    .dtag = "any",
    .letters = " mb ic id ih iw ls ",
    .example = "mb2ic16ih5iw5ls5beta0.75",
    .complete = complete,
};

} // namespace tessera::primitives::lrn
