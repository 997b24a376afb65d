// SPDX-License-Identifier: Apache-2.0
#include "core/program/lib/math.hpp"

#include <limits>
#include <numbers>

#include "core/program/lib/coefficients.hpp"

namespace tessera::math {

namespace {

constexpr double ln2 = std::numbers::ln2, log2e = std::numbers::log2e;
constexpr double infinity = std::numeric_limits<double>::infinity();
// Adding it to |x| < 2^21 rounds x to an integer, which is then in the lowest bits.
constexpr double to_integer = 12582912;

// x = f + 1 times 2^e, f in sqrt(1/2) - 1 .. sqrt(2) - 1.
constexpr int64_t one_bits = 0x3f800000, root_half_bits = 0x3f3504f3, mantissa_bits = 0x007fffff,
                  exponent_bits = 0x7f800000;

// Of a polynomial in x those in x / scale.
std::vector<float> scaled(std::span<const float> c, double scale) {
    std::vector<float> all;
    double power = 1;
    for (const float each : c) {
        all.push_back(float(each * power));
        power *= scale;
    }
    return all;
}

// log(1 + f) + e log 2
Expression log_of_parts(Expression f, Expression e) {
    const Expression square = f * f;
    const Expression rest = square * polynomial(f, coefficients::log);
    const Expression low = fma(e, ln2 - float(ln2), rest);
    return fma(e, ln2, f + low);
}

// y where 0 < x < infinity, and what log(x) is elsewhere.
Expression log_or_limit(Expression x, Expression y) {
    const Expression zero = equal(x, 0), minus_infinity = x.number(-infinity);
    const Expression below = select(zero, minus_infinity, nan_like(x));
    const Expression limited = select(less(0, x), y, below);
    return select(less(x, infinity), limited, x); // infinity, NaN
}

} // namespace

// exp(y) = exp(y - 2 m log 2) * 2^m * 2^m: the two factors make results beyond and below the normal range right, and
// |y - 2 m log 2| <= log 2 costs one coefficient more than the half would, two operations less than two shifts.
static Expression exp_of(Expression x, const Expression* low, double scale, double times) {
    const Expression t = fma(x, scale * log2e / 2, to_integer + 127);
    const Expression factor = float_of(shifted(bits_of(t), OpCode::shl, 23));
    const Expression m = t - (to_integer + 127);
    const Expression high = fma(m, -2 * ln2_high / scale, x), sum = fma(m, -2 * ln2_low / scale, high);
    const Expression r = low ? sum - *low : sum;
    const Expression y = polynomial(r, scaled(coefficients::exp, scale)), product = times == 1 ? y : y * times;
    return (product * factor) * factor;
}

Expression exp_of(Expression x, double scale) { return exp_of(x, nullptr, scale, 1); }
Expression exp_of(Expression x, Expression low, double scale, double times) { return exp_of(x, &low, scale, times); }

int exp(Program& p, int x) { return exp_of(at_least(at_most({&p, x}, 89), -104)).value; }

// exp(x) = exp(x - n log 2) * 2^n. The exponent bits of 2^n are 0 for n = -127, so that it is 0, and 255 for n = 128.
Expression exp_or_zero(Expression x) {
    const Expression bounded = at_least(x, -88);
    const Expression t = fma(bounded, log2e, to_integer + 127);
    const Expression factor = float_of(shifted(bits_of(t), OpCode::shl, 23));
    const Expression n = t - (to_integer + 127);
    const Expression high = fma(n, -ln2_high, bounded), r = fma(n, -ln2_low, high);
    return polynomial(r, coefficients::half_exp) * factor;
}

// exp(x) - 1 = 2 (h (exp(r) - 1) + (h - 1/2)), h = 2^(n - 1), r = x - n log 2: h is finite wherever the result is.
static Expression expm1_of(Expression x) {
    const Expression t = fma(x, log2e, to_integer + 126);
    const Expression h = float_of(shifted(bits_of(t), OpCode::shl, 23));
    const Expression n = t - (to_integer + 126);
    const Expression high = fma(n, -ln2_high, x), r = fma(n, -ln2_low, high);
    const Expression q = r * polynomial(r, coefficients::expm1);
    const Expression y = fma(h, q, h - 0.5);
    return y + y;
}

Expression expm1_of_negative(Expression x) { return expm1_of(at_least(x, -30)); }

int expm1(Program& p, int x) { return expm1_of(at_least(at_most({&p, x}, 89), -30)).value; }

int log(Program& p, int argument) {
    const Expression x{&p, argument};
    const Expression small = less(x, 0x1p-126), scaled = x * 0x1p23;
    const Expression bias = x.number(127), larger_bias = x.number(127 + 23);
    const Expression i = bits_of(select(small, scaled, x)) + double(one_bits - root_half_bits);
    const Expression biased = float_of_integer(shifted(i, OpCode::shr, 23));
    const Expression e = biased - select(small, larger_bias, bias);
    const Expression m = float_of(i.binary(OpCode::bit_and, i.number(mantissa_bits)) + double(root_half_bits));
    return log_or_limit(x, log_of_parts(m - 1, e)).value;
}

// The exponent is that of 1 + x, but f = 2^-e x + (2^-e - 1) is made of x itself and so rounded once.
int log1p(Program& p, int argument) {
    const Expression x{&p, argument};
    const Expression sum = x + 1;
    const Expression i = bits_of(sum) + double(one_bits - root_half_bits);
    const Expression e = float_of_integer(shifted(i, OpCode::shr, 23)) - 127;
    // 4 * 2^-e, because 2^-128 has no exponent bits.
    const Expression exponent = i.binary(OpCode::bit_and, i.number(exponent_bits));
    const Expression inverse = float_of(double(2 * one_bits + (int64_t(2) << 23)) - exponent);
    const Expression quarter = x * 0.25;
    const Expression f = fma(quarter, inverse, fma(inverse, 0.25, -1));
    return log_or_limit(sum, log_of_parts(f, e)).value;
}

Expression log1p_of_fraction(Expression x) { return x * polynomial(x, coefficients::log1p); }

// Odd functions that are +-1 beyond a bound: x P(x x) / Q(x x). The quotient would reach 1 + 2^-22.
static int odd_quotient(Program& program, int value, double bound, std::span<const float> p, std::span<const float> q) {
    const Expression x = at_least(at_most({&program, value}, bound), -bound), square = x * x;
    const Expression above = x * polynomial(square, p);
    const Expression quotient = above / polynomial(square, q);
    return at_least(at_most(quotient, 1), -1).value;
}

int tanh(Program& p, int x) { return odd_quotient(p, x, 9.02, coefficients::tanh_p, coefficients::tanh_q); }

int erf(Program& p, int x) { return odd_quotient(p, x, 3.94, coefficients::erf_p, coefficients::erf_q); }

int logistic(Program& p, int x) {
    const Expression e = exp_of(at_least(at_most({&p, x}, 40), -104)); // 1 + exp(40) is no longer different
    return (e / (e + 1)).value;
}

// One factor 2^n, whose exponent bits are 0 from 2^-127 on: then it is 0. The rounding of log 2 is 2^-28.5 of it.
Expression gaussian(Expression square) {
    const Expression t = fma(square, -log2e / 2, to_integer + 127);
    const Expression factor = float_of(shifted(bits_of(t), OpCode::shl, 23));
    const Expression n = t - (to_integer + 127);
    const Expression r = fma(n, 2 * ln2, square); // of exp(-r / 2)
    return polynomial(r, scaled(coefficients::short_exp, -0.5)) * factor;
}

Expression normal_tail(Expression x) {
    const Expression above = polynomial(x, coefficients::tail_p);
    return above / polynomial(x, coefficients::tail_q);
}

} // namespace tessera::math
