// Division of extents into blocks; all numbers are >= 0.
#pragma once

#include <concepts>
#include <cstdint>

namespace tessera {

constexpr int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
constexpr int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; } // to a multiple of b
template <std::unsigned_integral T> constexpr T round_up(T a, T b) { return (a / b + (a % b != 0)) * b; }

} // namespace tessera
