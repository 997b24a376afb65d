// SPDX-License-Identifier: Apache-2.0
// The data of an experiment. Everything follows from the seed, on every machine alike.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/desc/memory_desc.hpp"

namespace tessera {

enum class Fill {
    small,       // whole numbers in -8..8 (0..15 without sign)
    scales,      // positive: powers of two and others (0.1, 3), as far as the type holds them
    zero_points, // whole numbers in -8..7 (0..15 without sign)
};
// `count` elements without gaps; a pattern of 4096 repeated, so that filling costs a copy.
void fill_dense(void* to, DataType type, int64_t count, Fill fill, uint64_t seed);

// Random bytes everywhere, then the elements of `md` without its padding: for integers small and random values, for
// floating point halves, ordinary numbers, and edge cases of conversions (ties, limits, denormals, infinities, NaN).
// `ordinary`: integers within 20, halves and ordinary numbers alone, whose sums stay finite. `factors`: 7/8 .. 9/8 and
// integers up to 2, of both signs, so that a product of a thousand stays within f32; one in 500 is 0. `exponents`:
// within 8, one in 8 down to -100; integers within 20. `positive`: halves and ordinary numbers from 1/2 on.
// `fractions`: within 1/2 of 0; integers of all values.
enum class Values { hostile, ordinary, factors, exponents, positive, fractions };
void fill_hostile(uint8_t* buffer, size_t bytes, const MemoryDesc& md, uint64_t seed, Values values = Values::hostile);

// Calls f(coordinates) for every element, the last dimension fastest.
template <typename F> void for_each_element(const MemoryDesc& md, F&& f) {
    if (md.has_zero_dim() || md.is_zero()) return;
    Dims at{};
    for (;;) {
        f(std::span<const int64_t>(at.data(), size_t(md.ndims)));
        int d = md.ndims - 1;
        for (; d >= 0 && ++at[size_t(d)] == md.dims[size_t(d)]; --d) at[size_t(d)] = 0;
        if (d < 0) return;
    }
}

} // namespace tessera
