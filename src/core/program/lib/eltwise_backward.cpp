// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/program/lib/eltwise.hpp"
#include "core/program/lib/eltwise_parts.hpp"
#include "core/program/lib/math.hpp"

namespace tessera {

namespace {

using parts::largest;
using parts::of;

Expression both(Expression a, Expression b) { return a.binary(OpCode::bit_and, b); }

// data > 0 ? diff : 0 > data ? -diff : 0
Expression of_abs(Expression x, Expression diff) {
    const Expression negative = less(x, 0), minus = diff * -1, zero = diff.number(0);
    const Expression rest = select(negative, minus, zero);
    return select(less(0, x), diff, rest);
}

// 1 / cosh^2 = 4 e / (1 + e)^2, e = exp(-2 |x|): 1 - tanh^2 has no digits left from 9 on.
Expression of_tanh(Expression x) {
    const Expression distance = at_least(negative_magnitude(x), -52.3);
    const Expression e = math::exp_of(distance * 2), sum = e + 1, square = sum * sum;
    return (e * 4) / square;
}

// e / (1 + e)^2, e = exp(-|x|)
Expression of_logistic(Expression x) {
    const Expression e = math::exp_of(at_least(negative_magnitude(x), -104.5)), sum = e + 1;
    return e / (sum * sum);
}

// With s the logistic function of z(x): s + x s (1 - s) z'(x) = s (1 + x z'(x) (1 - s)), 1 - s = 1 / (1 + e).
Expression of_gelu_tanh(Expression x) {
    const Expression bounded = at_most(at_least(x, -parts::gelu_tanh_bound), parts::gelu_tanh_bound_above);
    const parts::GeluTanh g = parts::exp_of_gelu_tanh(bounded);
    const Expression rest = 1 / (g.exp + 1);
    const double c = 2 * std::sqrt(2 / M_PI);
    const Expression slope = bounded * fma(g.square, -3 * 0.044715 * c, c);
    return g.exp * (rest * fma(slope, rest, 1));
}

// 1/2, but for NaN
Expression half_of_any(Expression x) {
    const Expression number = x.binary(OpCode::eq, x);
    return select(number, x.number(0.5), x);
}

// The logistic function of alpha x.
Expression of_soft_relu(Expression x, float alpha) {
    if (alpha == 0) return half_of_any(x);
    const auto [from, to] = parts::swish_bounds(alpha);
    const Expression e = parts::exp_of_product(at_most(at_least(x, from), to), alpha);
    return e / (e + 1);
}

Expression of_swish(Expression x, float alpha) {
    if (alpha == 0) return half_of_any(x);
    const auto [from, to] = parts::swish_bounds(alpha);
    const Expression bounded = at_most(at_least(x, from), to);
    const Expression e = parts::exp_of_product(bounded, alpha), rest = 1 / (e + 1);
    const Expression z = bounded * alpha;
    return e * (rest * fma(z, rest, 1));
}

// The distribution function and x times its density; below 0 both from the tail, above as what is missing to 1.
Expression of_gelu_erf(Expression x) {
    const parts::Tail tail = parts::tail_of(x);
    const Expression below = tail.exp * fma(tail.minus, std::sqrt(0.5 / M_PI), tail.normal);
    const Expression above = 1 - below;
    return select(less(x, 0), below, above);
}

// With w = e (e + 2), r = 1 / (w + 2): w r + x 4 e (e + 1) r^2 = e r (e + 2 + 4 x (e + 1) r)
Expression of_mish(Expression x) {
    const Expression bounded = at_most(at_least(x, -104.5), 20);
    const Expression e = math::exp_of(bounded), e2 = e + 2;
    const Expression r = 1 / fma(e, e2, 2);
    const Expression scaled = bounded * 4, slope = scaled * ((e + 1) * r);
    return e * ((e2 + slope) * r); // e r may be the smallest number, halved
}

// alpha beta x^(beta - 1)
Expression of_pow(Expression x, float alpha, float beta) {
    if (beta == 0) return x.number(0);
    return of(*x.program, math::pow(*x.program, x.value, beta - 1, double(alpha) * beta));
}

// alpha x + beta >= 1: diff; > 0: diff (2 alpha x + beta); else 0
Expression of_hardswish(Expression x, Expression diff, float alpha, float beta) {
    const Expression bounded = at_most(at_least(x, -largest), largest);
    const Expression z = fma(bounded, alpha, beta), zero = diff.number(0);
    const Expression sloped = diff * fma(bounded, 2.0 * alpha, beta);
    const Expression inner = select(less(0, z), sloped, zero);
    return select(z.number(1).binary(OpCode::le, z), diff, inner);
}

Expression of_src(int alg, Expression x, Expression diff, float alpha, float beta) {
    Program& p = *x.program;
    const Expression zero = diff.number(0);
    switch (alg) {
    case alg::eltwise_relu:
    case alg::eltwise_relu_use_dst_for_bwd: {
        const Expression negative = alpha == 0 ? zero : diff * alpha;
        return select(less(0, x), diff, negative);
    }
    case alg::eltwise_tanh:
        return diff * of_tanh(x);
    case alg::eltwise_elu: {
        const Expression e = math::exp_of(at_least(at_most(x, 0), -104.5));
        const Expression negative = diff * (e * alpha);
        return select(less(0, x), diff, negative);
    }
    case alg::eltwise_square: {
        const Expression half = x * diff;
        return half + half;
    }
    case alg::eltwise_abs:
        return of_abs(x, diff);
    case alg::eltwise_sqrt: {
        const Expression root = x.unary(OpCode::sqrt);
        return diff / (root + root);
    }
    case alg::eltwise_linear:
        return alpha == 1 ? diff : diff * alpha;
    case alg::eltwise_soft_relu:
        return diff * of_soft_relu(x, alpha);
    case alg::eltwise_hardsigmoid: {
        const Expression z = fma(x, alpha, beta), scaled = diff * alpha;
        const Expression above = less(0, z);
        return select(both(above, less(z, 1)), scaled, zero);
    }
    case alg::eltwise_logistic:
        return diff * of_logistic(x);
    case alg::eltwise_exp:
        return diff * of(p, math::exp(p, x.value));
    case alg::eltwise_gelu_tanh:
        return diff * of_gelu_tanh(x);
    case alg::eltwise_swish:
        return diff * of_swish(x, alpha);
    case alg::eltwise_log:
        return diff / x;
    case alg::eltwise_clip: {
        const Expression above = less(alpha, x), bound = x.number(beta);
        return select(both(above, x.binary(OpCode::le, bound)), diff, zero);
    }
    case alg::eltwise_clip_v2:
    case alg::eltwise_clip_v2_use_dst_for_bwd: {
        const Expression above = less(alpha, x);
        return select(both(above, less(x, beta)), diff, zero);
    }
    case alg::eltwise_pow:
        return diff * of_pow(x, alpha, beta);
    case alg::eltwise_gelu_erf:
        return diff * of_gelu_erf(x);
    case alg::eltwise_mish:
        return diff * of_mish(x);
    default:
        return of_hardswish(x, diff, alpha, beta);
    }
}

Expression of_dst(int alg, Expression d, Expression diff, float alpha, float beta) {
    switch (alg) {
    case alg::eltwise_tanh_use_dst_for_bwd: {
        const Expression minus = d * -1;
        return diff * fma(minus, d, 1);
    }
    case alg::eltwise_elu_use_dst_for_bwd: {
        const Expression negative = diff * (d + alpha);
        return select(less(0, d), diff, negative);
    }
    case alg::eltwise_sqrt_use_dst_for_bwd:
        return diff / (d + d);
    case alg::eltwise_logistic_use_dst_for_bwd: {
        const Expression rest = 1 - d;
        return diff * (d * rest);
    }
    case alg::eltwise_exp_use_dst_for_bwd:
        return diff * d;
    default: // signs and bounds are those of src
        return of_src(alg, d, diff, alpha, beta);
    }
}

} // namespace

int eltwise_backward(Program& program, int alg, int data, int diff_dst, float alpha, float beta) {
    const Expression x = of(program, data), diff = of(program, diff_dst);
    return (uses_dst(alg) ? of_dst(alg, x, diff, alpha, beta) : of_src(alg, x, diff, alpha, beta)).value;
}

} // namespace tessera
