// SPDX-License-Identifier: Apache-2.0
// What an element-wise function and its derivative have in common; for eltwise.cpp and eltwise_backward.cpp.
#pragma once

#include <limits>
#include <utility>

#include "core/program/lib/expression.hpp"

namespace tessera::parts {

inline constexpr double largest = std::numeric_limits<float>::max();

// A value as a formula.
inline Expression of(Program& p, int value) { return {&p, value}; }

// The function whose derivative a *_use_dst_for_bwd form computes; other numbers as they are.
int forward_of(int alg);

// alpha x is exact but for overflow.
bool is_power_of_two(float alpha);
// exp(alpha x), alpha x in -170 .. 89, as if the product were exact.
Expression exp_of_product(Expression x, float alpha);

// Below `from` (alpha > 0; above `to` otherwise) exp(alpha x) is 0, at the other bound 1 + exp(alpha x) == exp(alpha
// x).
std::pair<double, double> swish_bounds(float alpha);

// gelu_tanh(x) = x / (1 + exp(-z)), z = 2 sqrt(2 / pi) (x + 0.044715 x^3). exp(z) for x within the bounds: 0 at the
// lower one, 2^126 at the upper one.
inline constexpr double gelu_tanh_bound = 11, gelu_tanh_bound_above = 10;
struct GeluTanh {
    Expression exp, square; // exp(z), -x x
};
GeluTanh exp_of_gelu_tanh(Expression x);

// Of n = -min(|x|, 13.29): exp(-n n / 2), which is 0 at the bound, and the normal distribution function divided by it.
struct Tail {
    Expression minus, exp, normal;
};
Tail tail_of(Expression x);

} // namespace tessera::parts
