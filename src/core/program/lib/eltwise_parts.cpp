// SPDX-License-Identifier: Apache-2.0
#include "core/program/lib/eltwise_parts.hpp"

#include <algorithm>
#include <cmath>

#include "core/program/lib/eltwise.hpp"
#include "core/program/lib/math.hpp"

namespace tessera::parts {

int forward_of(int alg) {
    switch (alg) {
    case alg::eltwise_relu_use_dst_for_bwd:
        return alg::eltwise_relu;
    case alg::eltwise_tanh_use_dst_for_bwd:
        return alg::eltwise_tanh;
    case alg::eltwise_elu_use_dst_for_bwd:
        return alg::eltwise_elu;
    case alg::eltwise_sqrt_use_dst_for_bwd:
        return alg::eltwise_sqrt;
    case alg::eltwise_logistic_use_dst_for_bwd:
        return alg::eltwise_logistic;
    case alg::eltwise_exp_use_dst_for_bwd:
        return alg::eltwise_exp;
    case alg::eltwise_clip_v2_use_dst_for_bwd:
        return alg::eltwise_clip_v2;
    default:
        return alg;
    }
}

bool is_power_of_two(float alpha) {
    int exponent;
    return std::fabs(std::frexp(alpha, &exponent)) == 0.5f;
}

Expression exp_of_product(Expression x, float alpha) {
    if (is_power_of_two(alpha)) return math::exp_of(x * alpha);
    const Expression z = x * -alpha;
    return math::exp_of(z, fma(x, alpha, z), -1);
}

std::pair<double, double> swish_bounds(float alpha) {
    const double scale = 1 / std::fabs(double(alpha));
    const double none = std::min(104.5 * scale, largest), all = std::min(40 * scale, largest);
    return alpha < 0 ? std::pair(-all, none) : std::pair(-none, all);
}

// The argument reaches -112, where an f32 alone would be 60 ulp of the result. z = x (high + low): high = c1 + c3 x x
// with c1 of 6 bits, so that what fma rounded off is found by subtracting it again.
GeluTanh exp_of_gelu_tanh(Expression x) {
    const double c1 = 2 * std::sqrt(2 / M_PI), c3 = c1 * 0.044715, c1_high = 51.0 / 32, c3_high = float(c3);
    const Expression minus = x * -1;
    const Expression square = x * minus, square_low = fma(x, x, square); // x x = square_low - square
    const Expression high = fma(square, -c3_high, c1_high);
    const Expression cut = fma(square, -c3_high, c1_high - high), cut_low = fma(square_low, c3_high, cut);
    const Expression low = fma(square, c3_high - c3, c1 - c1_high) + cut_low;
    const Expression z = minus * high, z_low = fma(x, high, z);
    return {math::exp_of(z, fma(x, low, z_low), -1), square};
}

Tail tail_of(Expression x) {
    const Expression minus = at_least(negative_magnitude(x), -13.29);
    const Expression exp = math::gaussian(minus * minus);
    return {minus, exp, math::normal_tail(minus)};
}

} // namespace tessera::parts
