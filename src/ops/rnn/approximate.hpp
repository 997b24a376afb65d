// SPDX-License-Identifier: Apache-2.0
// Numbers of a reference with the error that an execution in f32 may have.
//
//   const Approximate y = logistic(a * b + c);    // |what an execution has - y.value| <= y.error
//
// Each operation adds half a unit in the last place, sums of n terms n of them of the sum of magnitudes, whatever the
// order. The error of f(x) is that of x times the largest slope within it, and the stated error of f.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/program/lib/eltwise_errors.hpp"
#include "core/types/convert.hpp"

namespace tessera::ops::approximate {

struct Approximate {
    double value = 0, error = 0;
};

inline constexpr double unit = 0x1p-24; // half a unit in the last place of f32, in relation

inline Approximate operator+(const Approximate& a, const Approximate& b) {
    const double value = a.value + b.value;
    return {value, a.error + b.error + unit * std::abs(value)};
}
inline Approximate operator*(const Approximate& a, const Approximate& b) {
    const double value = a.value * b.value;
    return {value,
            std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error + unit * std::abs(value)};
}
inline Approximate operator-(const Approximate& a) { return {-a.value, a.error}; }
inline Approximate operator-(const Approximate& a, const Approximate& b) { return a + -b; }
inline Approximate exactly(double x) { return {x, 0}; }

inline double stated_error(int alg) { // in ulp
    double most = 0;
    for (const EltwiseError& e : eltwise_errors)
        if (e.alg == alg) most = std::max(most, e.forward);
    return most;
}

inline double logistic_of(double x) { return 1 / (1 + std::exp(-x)); }

// Slopes are largest where |x| is least.
inline Approximate logistic(const Approximate& x) {
    const double ulps = stated_error(alg::eltwise_logistic);
    // Of -|x|: the other one is 1 in double from 37 on.
    const double value = logistic_of(x.value), there = logistic_of(-std::max(std::abs(x.value) - x.error, 0.));
    return {value, std::min(there * (1 - there) * x.error, 1.) + ulps * 2 * unit * value};
}
inline Approximate hyperbolic_tangent(const Approximate& x) {
    const double ulps = stated_error(alg::eltwise_tanh);
    const double value = std::tanh(x.value), there = std::tanh(std::max(std::abs(x.value) - x.error, 0.));
    return {value, std::min((1 - there * there) * x.error, 2.) + ulps * 2 * unit * std::abs(value)};
}
inline Approximate relu(const Approximate& x, double slope) {
    const double value = x.value > 0 ? x.value : slope * x.value;
    return {value, std::max(1., std::abs(slope)) * x.error + unit * std::abs(value)};
}

// A sum in any order.
struct Sum {
    double value = 0, error = 0, magnitude = 0;
    int64_t terms = 0;

    void add(const Approximate& x) {
        value += x.value, error += x.error, magnitude += std::abs(x.value);
        ++terms;
    }
    void add(const Approximate& a, const Approximate& b, double rounding = unit) {
        const double term = a.value * b.value;
        add({term, std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error +
                       rounding * std::abs(term)});
    }
    Approximate total() const { return {value, error + double(terms) * unit * magnitude}; }
};

// Monotone, so the error is what both ends become.
inline Approximate rounded(const Approximate& x, DataType type) {
    const auto to = [&](double v) {
        uint64_t bits = 0;
        write<double>(type, &bits, 0, v);
        return read<double>(type, &bits, 0);
    };
    if (bits(type) == 32) return {x.value, x.error + unit * std::abs(x.value)};
    const double value = to(x.value);
    return {value, std::max(to(x.value + x.error) - value, value - to(x.value - x.error))};
}

} // namespace tessera::ops::approximate
