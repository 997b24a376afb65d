// SPDX-License-Identifier: Apache-2.0
#include "core/program/lib/eltwise.hpp"

#include <algorithm>
#include <cmath>

#include "core/program/lib/eltwise_parts.hpp"
#include "core/program/lib/math.hpp"

namespace tessera {

namespace {

using parts::largest;
using parts::of;

// s > 0 ? s : alpha s is the larger of the two up to alpha = 1, the smaller above. alpha = 0: not -infinity * 0.
Expression relu(Expression x, float alpha) {
    if (alpha == 0) return at_least(x, 0);
    const Expression scaled = x * alpha;
    return scaled.binary(alpha <= 1 ? OpCode::max : OpCode::min, x);
}

Expression elu(Expression x, float alpha) {
    const Expression negative = math::expm1_of_negative(x) * alpha;
    return select(less(0, x), x, negative);
}

// log(1 + exp(z)) / alpha = (max(z, 0) + log(1 + exp(-|z|))) / alpha, z = alpha s
Expression soft_relu(Expression x, float alpha) {
    const double steepness = std::fabs(double(alpha)), none = std::min(104.5 / steepness, largest);
    const Expression distance = at_least(negative_magnitude(x), -none);
    const Expression low = math::log1p_of_fraction(parts::exp_of_product(distance, float(steepness)));
    // max(alpha x, 0) / alpha without the product, which overflows where the quotient does not.
    const Expression line = std::signbit(alpha) ? at_most(x, 0) : at_least(x, 0);
    const bool invertible = steepness > 0x1p-126 && steepness < 0x1p126;
    return invertible ? fma(low, 1 / double(alpha), line) : line + low / alpha;
}

Expression linear(Expression x, float alpha, float beta) {
    if (beta == 0 && !std::signbit(beta)) return alpha == 1 ? x : x * alpha;
    return alpha == 1 ? x + beta : fma(x, alpha, beta);
}

// alpha = 0 is a constant: not 0 times infinity.
Expression hardsigmoid(Expression x, float alpha, float beta) {
    const Expression finite = alpha == 0 ? at_most(at_least(x, -largest), largest) : x;
    return at_most(at_least(fma(finite, alpha, beta), 0), 1);
}

// Where the sigmoid is 0 the limit is 0, also at infinity: hence the largest number in place of it.
Expression hardswish(Expression x, float alpha, float beta) {
    if (alpha == 0 && beta > 0) return x * hardsigmoid(x, alpha, beta);
    if (alpha == 0) return at_most(at_least(x, -largest), largest) * 0;
    const Expression bounded = alpha < 0 ? at_most(x, largest) : at_least(x, -largest);
    return bounded * hardsigmoid(bounded, alpha, beta);
}

// The logistic function of what grows with x: x e / (1 + e), where x stops at the bound below which e is 0.
Expression gelu_tanh(Expression x) {
    const Expression from = at_least(x, -parts::gelu_tanh_bound);
    const Expression e = parts::exp_of_gelu_tanh(at_most(from, parts::gelu_tanh_bound_above)).exp;
    return from * (e / (e + 1));
}

Expression swish(Expression x, float alpha) {
    if (alpha == 0) return x * 0.5;
    const auto [from, to] = parts::swish_bounds(alpha);
    const Expression bounded = alpha < 0 ? at_most(x, to) : at_least(x, from);
    const Expression e = parts::exp_of_product(alpha < 0 ? at_least(bounded, from) : at_most(bounded, to), alpha);
    return bounded * (e / (e + 1));
}

Expression gelu_erf(Expression x) {
    const Expression bounded = at_least(x, -15);
    const parts::Tail tail = parts::tail_of(bounded);
    const Expression below = tail.exp * tail.normal;
    const Expression above = 1 - below;
    return bounded * select(less(bounded, 0), below, above);
}

// tanh(log(1 + e)) = w / (w + 2), w = e (e + 2), e = exp(x). From e = 2^24 on it is 1.
Expression mish(Expression x) {
    const Expression bounded = at_least(x, -104.5);
    const Expression e = math::exp_of(at_most(bounded, 20));
    const Expression w = e * (e + 2);
    return bounded * (w / (w + 2));
}

Expression forward(int alg, Expression x, float alpha, float beta) {
    Program& p = *x.program;
    switch (parts::forward_of(alg)) {
    case alg::eltwise_relu:
        return relu(x, alpha);
    case alg::eltwise_tanh:
        return of(p, math::tanh(p, x.value));
    case alg::eltwise_elu:
        return elu(x, alpha);
    case alg::eltwise_square:
        return x * x;
    case alg::eltwise_abs:
        return magnitude(x);
    case alg::eltwise_sqrt:
        return x.unary(OpCode::sqrt);
    case alg::eltwise_linear:
        return linear(x, alpha, beta);
    case alg::eltwise_soft_relu:
        return soft_relu(x, alpha);
    case alg::eltwise_hardsigmoid:
        return hardsigmoid(x, alpha, beta);
    case alg::eltwise_logistic:
        return of(p, math::logistic(p, x.value));
    case alg::eltwise_exp:
        return of(p, math::exp(p, x.value));
    case alg::eltwise_gelu_tanh:
        return gelu_tanh(x);
    case alg::eltwise_swish:
        return swish(x, alpha);
    case alg::eltwise_log:
        return of(p, math::log(p, x.value));
    case alg::eltwise_clip:
    case alg::eltwise_clip_v2:
        return at_most(at_least(x, alpha), beta);
    case alg::eltwise_pow:
        return of(p, math::pow(p, x.value, beta, alpha));
    case alg::eltwise_gelu_erf:
        return gelu_erf(x);
    case alg::eltwise_round:
        return x.unary(OpCode::round);
    case alg::eltwise_mish:
        return mish(x);
    default:
        return hardswish(x, alpha, beta);
    }
}

} // namespace

bool is_eltwise(int alg) { return (alg >= alg::eltwise_relu && alg <= alg::eltwise_hardswish) || uses_dst(alg); }

bool uses_dst(int alg) {
    return alg >= alg::eltwise_relu_use_dst_for_bwd && alg <= alg::eltwise_clip_v2_use_dst_for_bwd;
}

bool has_backward(int alg) { return is_eltwise(alg) && alg != alg::eltwise_round; }

bool keeps_zero(int alg, float alpha, float beta) { return eltwise_of(alg, 0, alpha, beta) == 0; }

int eltwise(Program& program, int alg, int x, float alpha, float beta) {
    return forward(alg, of(program, x), alpha, beta).value;
}

} // namespace tessera
