// SPDX-License-Identifier: Apache-2.0
// Division of extents into blocks; all numbers are >= 0, where nothing else is said.
#pragma once

#include <concepts>
#include <cstdint>

namespace tessera {

constexpr int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
constexpr int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; } // to a multiple of b
// Of any a, b > 0: where a window begins may be before its tensor.
constexpr int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
constexpr int64_t ceil_of(int64_t a, int64_t b) { return -floor_div(-a, b); }
template <std::unsigned_integral T> constexpr T round_up(T a, T b) { return (a / b + (a % b != 0)) * b; }

// `all` in parts of whole grains (the last may be a shorter one), as equal as that allows: 22 grains in 4 parts are 5 6
// 5 6.
struct EvenParts {
    int64_t all = 1, grain = 1, parts = 1;
    constexpr int64_t begin(int64_t part) const {
        const int64_t grains = ceil_div(all, grain), each = grains / parts, more = grains % parts; // of grains * part
        return part < parts ? (part * each + part * more / parts) * grain : all;
    }
    constexpr int64_t length(int64_t part) const { return begin(part + 1) - begin(part); }
};

} // namespace tessera
