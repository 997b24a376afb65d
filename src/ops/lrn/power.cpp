// SPDX-License-Identifier: Apache-2.0
#include "ops/lrn/power.hpp"

#include <limits>

#include "core/program/lib/math.hpp"

namespace tessera::ops {

namespace {

// The first guess halves the exponent twice: the bits of x, divided by -4, are 0.74 % to 3.8 % off. With
// e = (1 - x y^4) / 4 the exact factor is (1 - 4 e) ^ (-1/4) = 1 + e + 2.5 e^2 + ..; these coefficients leave 7.5e-5.
constexpr int guess = 0x4f5918a3;
constexpr float linear = 1.0051f, square = 2.4316f;

// A quarter of 1 - x y^4, from y^2; x y^2 lies far from the bounds of f32 for all x.
Expression quarter_left(Expression minus_quarter, Expression y2) {
    const Expression product = minus_quarter * y2;
    return fma(product, y2, 0.25);
}

OmegaPowers of_normal(Expression x, bool with_inverse) {
    const Expression bits = shifted(bits_of(x), OpCode::shr, 2), first = bits.number(guess) - bits;
    const Expression y = float_of(first), minus_quarter = x * -0.25;
    const Expression e = quarter_left(minus_quarter, y * y);
    const Expression factor = fma(e, square, linear), moved = y * e;
    const Expression better = fma(moved, factor, y), y2 = better * better;
    const Expression rest = quarter_left(minus_quarter, y2);
    // x^-3/4 = y^3 (1 - 4 e) ^ (-3/4), x^-1 = y^4 / (1 - 4 e)
    const Expression y3 = y2 * better, slope = y3 * rest, power = fma(slope, 3, y3);
    const Expression infinite = equal(x, double(std::numeric_limits<float>::infinity()));
    const Expression zero = x.number(0), finite = select(infinite, zero, power);
    if (!with_inverse) return {finite, finite};
    const Expression y4 = y2 * y2, slope4 = y4 * rest, inverse = fma(slope4, 4, y4);
    return {finite, select(infinite, zero, inverse)};
}

} // namespace

OmegaPowers powers_of(Expression omega, float beta, OmegaRange range, bool with_inverse) {
    Program& p = *omega.program;
    if (beta == 0.75f && range == OmegaRange::normal) return of_normal(omega, with_inverse);
    Expression power = omega;
    if (beta == 0.75f && range == OmegaRange::above_minus_infinity) {
        const Expression root = omega.unary(OpCode::sqrt), both = root * root.unary(OpCode::sqrt);
        power = 1 / both;
    } else {
        power.value = math::pow(p, omega.value, -beta);
    }
    return {power, with_inverse ? 1 / omega : power};
}

} // namespace tessera::ops
