// SPDX-License-Identifier: Apache-2.0
// An independent model of the small types: the value of every code, written down from the encoding and not from the
// library, and the nearest code of a number by search. The tests compare the codecs with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/types/types.hpp"

namespace tessera::testing {

inline constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct FloatFormat {
    DataType type;
    int exponent_bits, mantissa_bits;
    bool has_infinity, has_nan;
    int width() const { return 1 + exponent_bits + mantissa_bits; }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
inline constexpr FloatFormat formats[] = {
    {DataType::f16, 5, 10, true, true},      {DataType::bf16, 8, 7, true, true},
    {DataType::f8_e5m2, 5, 2, true, true},   {DataType::f8_e4m3, 4, 3, false, true},
    {DataType::f4_e2m1, 2, 1, false, false}, {DataType::f4_e3m0, 3, 0, false, false},
};

// The value of a code as the encoding defines it.
inline double value_of(const FloatFormat& f, uint32_t code) {
    const int mantissa = static_cast<int>(code & ((1u << f.mantissa_bits) - 1));
    const int exponent = static_cast<int>(code >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
    const int top = (1 << f.exponent_bits) - 1, full = (1 << f.mantissa_bits) - 1;
    double magnitude = 0;
    if (f.has_infinity && exponent == top)
        magnitude = mantissa == 0 ? infinity : nan_value;
    else if (f.has_nan && exponent == top && mantissa == full)
        magnitude = nan_value;
    else if (exponent == 0)
        magnitude = std::ldexp(mantissa, 1 - f.bias() - f.mantissa_bits);
    else
        magnitude = std::ldexp(mantissa + (1 << f.mantissa_bits), exponent - f.bias() - f.mantissa_bits);
    return code >> (f.width() - 1) & 1 ? -magnitude : magnitude;
}

// The finite magnitudes in increasing order; the index is the code. One more entry, where the format overflows to a
// special code, is the number that the next code would have had.
struct Magnitudes {
    FloatFormat format;
    std::vector<double> values;
    explicit Magnitudes(const FloatFormat& f) : format(f) {
        for (uint32_t code = 0; code < 1u << (f.width() - 1) && std::isfinite(value_of(f, code)); ++code)
            values.push_back(value_of(f, code));
        const double last = values.back(), step = last - values[values.size() - 2];
        if (f.has_nan) values.push_back(last + step);
    }
    // Code of the nearest magnitude, ties to the even code, beyond the last entry the last entry. Not for NaN.
    uint32_t nearest(double x) const {
        const double magnitude = std::fabs(x);
        const auto above = std::upper_bound(values.begin(), values.end(), magnitude);
        uint32_t code = static_cast<uint32_t>(above - values.begin()) - 1;
        if (above != values.end()) {
            const double middle = (values[code] + values[code + 1]) / 2; // exact: at most 12 digits
            code += magnitude > middle || (magnitude == middle && code % 2 == 1);
        }
        return code | (std::signbit(x) ? 1u << (format.width() - 1) : 0);
    }
};

} // namespace tessera::testing
