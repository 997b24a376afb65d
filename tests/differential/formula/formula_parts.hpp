// SPDX-License-Identifier: Apache-2.0
// What the formulas of several primitives are made of.
#pragma once
#include <cmath>
#include <limits>

#include "../problems/element.hpp"
#include "formula.hpp"

namespace differential {

inline constexpr double half_ulp = 5.9604645e-8, smallest = 1.1754944e-38, largest_f32 = 3.4028234663852886e38;

inline bool unusual(double x) { return !std::isfinite(x) || (x != 0 && std::fabs(x) < smallest); }

struct Sum { // of terms that are rounded, and added in any order
    double value = 0, size = 0, weight_error = 0;
    int64_t terms = 0;
    bool special = false;

    void add(double term) {
        value += term;
        size += std::fabs(term);
        special = special || unusual(term);
        ++terms;
    }
    Expected expected() const {
        if (!std::isfinite(size)) return {value, 0, special};
        if (size > largest_f32)
            return {value, std::numeric_limits<double>::infinity(), special}; // some order of addition overflows
        return {value, double(terms + 2) * (half_ulp * size + smallest) + weight_error, special};
    }
};

inline Expected prelu_value(double s, double w) {
    return s > 0 ? Expected{s, 0, unusual(s) || unusual(w)} : binary("mul", s, w);
}

} // namespace differential
