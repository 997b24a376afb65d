// Division of extents into blocks; all numbers are >= 0.
#pragma once

#include <cstdint>

namespace tessera {

constexpr int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
constexpr int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; } // to a multiple of b

} // namespace tessera
