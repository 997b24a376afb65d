// SPDX-License-Identifier: Apache-2.0
#include "core/program/lib/random.hpp"

#include <bit>
#include <cmath>

namespace tessera {

namespace {

Expression exclusive_or(Expression a, Expression b) { return a.binary(OpCode::bit_xor, b); }
Expression masked(Expression a, int64_t mask) { return a.binary(OpCode::bit_and, a.number(double(mask))); }

// words[index mod 4]
Expression word_of(const Words& words, Expression index) {
    const Expression which = masked(index, 3);
    Expression chosen = words[3];
    for (int k = 3; k-- > 0;) chosen = select(equal(which, k), words[size_t(k)], chosen);
    return chosen;
}

// Mantissa bits that are stored: the widths of the fields follow from the least value above 0, 2^(2 - 2^(e-1) - m).
int mantissa_bits(DataType type) {
    int m = 1;
    while (std::ldexp(1., 2 - (1 << (bits(type) - 2 - m)) - m) != range(type).least_positive) ++m;
    return m;
}

} // namespace

Words philox(Words c, Expression key_0, Expression key_1) {
    constexpr int rounds = 10;
    for (int round = 0; round < rounds; ++round) {
        if (round) key_0 = key_0 + 0x9e3779b9, key_1 = key_1 + 0xbb67ae85;
        const Expression factor_0 = c[0].number(0xd2511f53), factor_1 = c[0].number(0xcd9e8d57);
        const Expression high_0 = c[0].binary(OpCode::mulhi, factor_0), low_0 = c[0] * factor_0;
        const Expression high_1 = c[2].binary(OpCode::mulhi, factor_1), low_1 = c[2] * factor_1;
        const Expression first = exclusive_or(high_1, c[1]), third = exclusive_or(high_0, c[3]);
        c = {exclusive_or(first, key_0), low_1, exclusive_or(third, key_1), low_0};
    }
    return c;
}

Expression dropout_bits(Expression index, const DropoutStream& s) {
    const Expression quad = masked(index, ~int64_t(3)), second = quad + 1, fourth = quad + 3;
    if (!s.offset) return philox({quad, second, quad, fourth}, s.seed_low, s.seed_low)[2];
    const Expression no_offset = equal(s.offset->low.binary(OpCode::bit_or, s.offset->high), 0);
    const Expression low = select(no_offset, quad, s.offset->low), high = select(no_offset, second, s.offset->high);
    const Expression last = select(no_offset, fourth, quad.number(0));
    const Expression key_1 = select(no_offset, s.seed_low, s.seed_high);
    const Words words = philox({low, high, quad, last}, s.seed_low, key_1);
    return select(no_offset, words[2], word_of(words, index));
}

// bits > P (2^32 - 1) is bits >= P 2^32 but for P = 0. In f32, without error: bits 2^-32 are a multiple of 2^-24 and a
// rest; where the difference of the first and P is rounded, it is larger than every rest.
Expression is_kept(Expression bits, Expression probability) {
    constexpr double least = 0x1p-126; // of all P between 0 and 2^-32 the bits alone decide
    const Expression p = select(equal(probability, 0), probability.number(least), probability);
    const Expression high = float_of_integer(shifted(bits, OpCode::shr, 8)) * 0x1p-24;
    const Expression rest = float_of_integer(masked(bits, 255)) * -0x1p-32;
    return rest.binary(OpCode::le, high - p);
}

Expression rounding_bits(Expression index, Expression seed) {
    const Expression zero = seed.number(0), quad = masked(index, ~int64_t(3));
    return word_of(philox({zero, zero, quad, zero}, seed, zero), index);
}

Expression rounded_stochastically(Expression x, Expression bits, DataType type) {
    const ValueRange values = range(type);
    const int m = mantissa_bits(type);
    const int64_t dropped = (int64_t(1) << (23 - m)) - 1;
    const double least_normal = std::ldexp(values.least_positive, m);
    const bool subnormals = least_normal > 0x1p-126; // others than those of f32, whose bits count on
    const Expression size = magnitude(x);
    // Between the least normal and twice it the grid is that of subnormals.
    const Expression small = less(size, least_normal);
    const Expression raised = subnormals ? select(small, size + least_normal, size) : size;
    const Expression noise = masked(bits, dropped);
    Expression rounded = float_of(masked(bits_of(raised) + noise, ~dropped));
    if (subnormals) rounded = select(small, rounded - least_normal, rounded);
    const Expression sign = masked(bits_of(x), 0x80000000);
    const Expression result = float_of(bits_of(rounded).binary(OpCode::bit_or, sign));
    return select(size.binary(OpCode::le, size.number(values.highest)), result, x);
}

} // namespace tessera
