// SPDX-License-Identifier: Apache-2.0
// x ^ beta = exp(beta log x), the logarithm as a sum of two numbers: at a result of 2^127 one part alone would leave
// 100 ulp. log(m 2^e) = e log 2 + 2 s + s^3 q(s^2) with s = (m - 1) / (m + 1); |s| <= 0.172 keeps the polynomial,
// the part that is rounded, below 1/100 of the whole.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/program/lib/coefficients.hpp"
#include "core/program/lib/math.hpp"

namespace tessera::math {

namespace {

struct Pair { // high + low, |low| at most half an ulp of high
    Expression high, low;
};

// a + b, |a| >= |b| or a = 0
Pair sum_of(Expression a, Expression b) {
    const Expression high = a + b;
    return {high, b - (high - a)};
}

// Of 0 < x < infinity.
Pair log_of(Expression x) {
    const Expression small = less(x, 0x1p-126), scaled = x * 0x1p23;
    const Expression bias = x.number(127), larger_bias = x.number(127 + 23);
    const Expression i = bits_of(select(small, scaled, x)) + double(0x3f800000 - 0x3f3504f3);
    const Expression biased = float_of_integer(shifted(i, OpCode::shr, 23));
    const Expression e = biased - select(small, larger_bias, bias);
    const Expression m = float_of(i.binary(OpCode::bit_and, i.number(0x007fffff)) + double(0x3f3504f3));
    // s = f / (1 + m) in two parts; 1 + m needs 25 bits. Everything negated, for fma.
    const Expression f = m - 1, d = -1 - m, d_low = (-1 - d) - m;
    const Expression inverse = -1 / d, s = f * inverse;
    const Expression remainder = fma(s, d, f), s_low = fma(s, d_low, remainder) * inverse;
    const Expression s2 = s * s, s3 = s2 * s;
    const Expression cubic = s3 * polynomial(s2, coefficients::atanh);
    const Expression exponent = e * ln2_high;
    const Pair sum = sum_of(exponent, s + s);
    const Expression rest = fma(s_low, 2, cubic);
    return sum_of(sum.high, sum.low + fma(e, ln2_low, rest));
}

Expression general(Expression x, float beta, double factor) {
    const bool integer = std::rint(beta) == beta;
    const bool odd = integer && std::fabs(beta) < 0x1p24f && std::fmod(beta, 2.f) != 0;
    // 1 + 2^-23 to the 2^31 is over all bounds already.
    beta = std::clamp(beta, -0x1p33f, 0x1p33f);
    const Expression ax = magnitude(x);
    const Pair l = log_of(ax);
    const Expression y = l.high * -beta; // the exponent, negated: see exp_of
    const Expression lost = fma(l.high, beta, y), all_low = fma(l.low, beta, lost);
    // Where y is clamped, low does not matter, but must not be large.
    const Expression low = std::fabs(beta) > 0x1p16f ? at_most(at_least(all_low, -1), 1) : all_low;
    // Clamped where factor * exp(-y) has left the range of f32, whichever way the factor moves it.
    const double shift = std::log(std::fabs(factor)), to = 106 + std::max(shift, 0.), from = -91 + std::min(shift, 0.);
    const Expression power = exp_of(at_least(at_most(y, to), from), low, -1, factor);
    // Zero, infinity and NaN; in two's complement 0 < x < infinity is 0 <= bits - 1 < infinity's - 1.
    const Expression unscaled = beta > 0 ? ax : 1 / ax, limit = factor == 1 ? unscaled : unscaled * factor;
    const Expression ordinary = less(bits_of(ax) + double(0x7fffffff), double(int32_t(0x80000000u + 0x7f7fffffu)));
    // A power that is no integer has a limit at minus infinity, and no value between it and zero.
    const auto nan_below_zero = [&] {
        const Expression negative = less(x, 0);
        return select(negative, nan_like(x), power);
    };
    const Expression defined = integer ? power : nan_below_zero();
    const Expression result = select(ordinary, defined, limit);
    if (odd) {
        const Expression sign = bits_of(x).binary(OpCode::bit_and, x.number(0x80000000u, ValueType::s32));
        return float_of(bits_of(result).binary(OpCode::bit_xor, sign));
    }
    return result;
}

bool is_special(float beta) {
    for (float special : {0.f, 1.f, 2.f, 3.f, -1.f, -2.f, 0.5f, 1.5f, -0.5f})
        if (beta == special) return true;
    return std::isnan(beta);
}

Expression special(Expression x, float beta) {
    // As that of IEEE 754: +0 of both zeros, infinity of both infinities.
    const auto root = [&] {
        const Expression infinity = x.number(std::numeric_limits<double>::infinity());
        const Expression below_all = x.binary(OpCode::eq, x.number(-std::numeric_limits<double>::infinity()));
        return select(below_all, infinity, x + 0).unary(OpCode::sqrt);
    };
    if (beta == 0) return x.number(1); // of NaN, too
    if (beta == 1) return x;
    if (beta == 2) return x * x;
    if (beta == 3) return (x * x) * x;
    if (beta == -1) return 1 / x;
    if (beta == -2) { // 1 / (x x) would be 0 from 2^64 on
        const Expression inverse = 1 / x;
        return inverse * inverse;
    }
    if (beta == 0.5f) return root();
    if (beta == 1.5f) {
        const Expression r = root();
        return magnitude(x) * r;
    }
    if (beta == -0.5f) return 1 / root();
    return nan_like(x);
}

} // namespace

int pow(Program& p, int value, float beta, double factor) {
    const Expression x{&p, value};
    const bool special_one = is_special(beta), moderate = std::fabs(factor) < 0x1p80 && std::fabs(factor) > 0x1p-80;
    if (!special_one && moderate) return general(x, beta, factor).value;
    const Expression y = special_one ? special(x, beta) : general(x, beta, 1);
    return (factor == 1 ? y : y * factor).value;
}

} // namespace tessera::math
