// SPDX-License-Identifier: Apache-2.0
// Elementary functions of f32 as programs: arguments and results are values of the program.
//
//   int y = math::tanh(program, x);
//
// NaN in, NaN out; limits at infinities, subnormal arguments and results are right. Largest errors in ulp, of all 2^32
// arguments: exp 1.6, log 0.9, tanh 5.2 (just below 1, where an ulp is 2^-24), logistic 3.3; of 2^26 arguments over all
// exponents: expm1 1.9, log1p 2, erf 5.6 (just below 1), pow 2.4, and 6.5 near the bounds of f32. |tanh|, |erf| <= 1.
#pragma once

#include <numbers>

#include "core/program/lib/expression.hpp"

namespace tessera::math {

int exp(Program& p, int x);
int expm1(Program& p, int x);
int log(Program& p, int x);
int log1p(Program& p, int x);
int tanh(Program& p, int x);
int erf(Program& p, int x);
int logistic(Program& p, int x);                           // 1 / (1 + exp(-x))
int pow(Program& p, int x, float beta, double factor = 1); // factor * x ^ beta

// Pieces for functions composed of these.

// Two parts of log 2. The first has 16 bits: its product with an exponent is exact.
inline constexpr double ln2_high = 45426.0 / 65536, ln2_low = std::numbers::ln2 - ln2_high;

// exp(scale * (x - low)) for scale a power of two, scale * x in -170 .. 89 and |low| < 1. No clamps: the caller's
// bounds on its own argument usually do for both. `low` is what rounding cut off a product: with x = -a * b it is
// fma(a, b, x), and exp_of(x, low, -1) is exp(a b) as if the product were exact. The result is multiplied by `times`
// before it can leave the range of f32.
Expression exp_of(Expression x, double scale = 1);
Expression exp_of(Expression x, Expression low, double scale, double times = 1);
Expression expm1_of_negative(Expression x); // -infinity .. 0; above 0 it may be any number
Expression log1p_of_fraction(Expression x); // 0 <= x <= 1
// exp(x), x in -infinity .. 89; 0 below 2^-126.5, which saves one factor, and multiplications whose results are
// subnormal: these take a processor 150 cycles. From 88.4 on it is infinity. Largest error of all
// arguments 0.9 ulp.
Expression exp_or_zero(Expression x);
// exp(-square / 2), square in 0 .. 176.8; 0 where that is below 2^-127.
Expression gaussian(Expression square);
// The normal distribution function is normal_tail(x) * gaussian(x * x), -13.3 <= x <= 0.
Expression normal_tail(Expression x);

} // namespace tessera::math
