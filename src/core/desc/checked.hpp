// SPDX-License-Identifier: Apache-2.0
// Products and sums that notice leaving int64_t; extents from a caller are multiplied only through these.
//
//   int64_t n = 1;
//   if (!checked_mul(n, dim)) return invalid(...);   // n is unspecified after a failure
#pragma once

#include <cstdint>

namespace tessera {

[[nodiscard]] inline bool checked_mul(int64_t& value, int64_t factor) {
    return !__builtin_mul_overflow(value, factor, &value);
}
[[nodiscard]] inline bool checked_add(int64_t& value, int64_t term) {
    return !__builtin_add_overflow(value, term, &value);
}

} // namespace tessera
