// SPDX-License-Identifier: Apache-2.0
// The element-wise functions in double: formulas of the specification, rearranged where they would lose digits.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/program/lib/eltwise.hpp"
#include "core/program/lib/eltwise_parts.hpp"

namespace tessera {

namespace {

// 1 / (1 + exp(-x)), and 1 minus it as logistic(-x).
double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// x s for a sigmoid s that reaches 0 faster than x grows: the limit at infinity is 0.
double times(double x, double s) { return s == 0 && !std::isnan(x) ? std::copysign(0, x) : x * s; }

double normal(double x) { return 0.5 * std::erfc(-x / M_SQRT2); }

double gelu_tanh_argument(double x) { return 2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); }

double mish_factor(double x) {
    const double e = std::exp(std::min(x, 100.)), w = e * (e + 2);
    return std::isnan(x) ? x : w / (w + 2);
}

double soft_relu(double x, double alpha) {
    if (alpha == 0) return std::isnan(x) ? x : std::log(2.) / alpha;
    const double z = alpha * x;
    return (std::fmax(z, 0) + std::log1p(std::exp(-std::fabs(z)))) / alpha;
}

double power(double x, double beta) { return std::isnan(beta) ? beta : std::pow(x, beta); }

// 4 exp(-2 |x|) / (1 + exp(-2 |x|))^2
double tanh_slope(double x) {
    const double e = std::exp(-2 * std::fabs(x));
    return 4 * e / ((1 + e) * (1 + e));
}

double gelu_tanh_slope(double x) {
    const double bounded = std::clamp(x, -30., 30.); // exp(-2200) on either side
    if (std::isnan(x)) return x;
    const double z = gelu_tanh_argument(bounded), slope = 2 * std::sqrt(2 / M_PI) * (1 + 0.134145 * bounded * bounded);
    return logistic(z) * (1 + bounded * slope * logistic(-z));
}

// alpha x, 0 for alpha = 0 also at infinity.
double product(double alpha, double x) { return alpha == 0 && !std::isnan(x) ? 0 : alpha * x; }

double swish_slope(double x, double alpha) {
    const double z = std::isnan(x) ? x : std::clamp(product(alpha, x), -700., 700.);
    return logistic(z) * (1 + z * logistic(-z));
}

double mish_slope(double x) {
    if (std::isnan(x)) return x;
    const double bounded = std::clamp(x, -800., 100.), e = std::exp(bounded), r = 1 / (e * (e + 2) + 2);
    return e * r * (e + 2 + 4 * bounded * (e + 1) * r);
}

double gelu_erf_slope(double x) { return normal(x) + times(x, std::exp(-x * x / 2) / std::sqrt(2 * M_PI)); }

double hardswish_slope(double x, double alpha, double beta) {
    const double line = product(alpha, x), z = line + beta;
    return z >= 1 ? 1 : z > 0 ? 2 * line + beta : 0;
}

double slope_of(int alg, double x, double alpha, double beta) {
    switch (alg) {
    case alg::eltwise_relu:
    case alg::eltwise_relu_use_dst_for_bwd:
        return x > 0 ? 1 : alpha;
    case alg::eltwise_tanh:
        return tanh_slope(x);
    case alg::eltwise_elu:
        return x > 0 ? 1 : alpha * std::exp(x);
    case alg::eltwise_square:
        return 2 * x;
    case alg::eltwise_abs:
        return x > 0 ? 1 : x < 0 ? -1 : 0;
    case alg::eltwise_sqrt:
        return 1 / (2 * std::sqrt(x));
    case alg::eltwise_linear:
        return alpha;
    case alg::eltwise_soft_relu:
        return logistic(product(alpha, x));
    case alg::eltwise_hardsigmoid:
        return alpha * x + beta > 0 && alpha * x + beta < 1 ? alpha : 0;
    case alg::eltwise_logistic:
        return tanh_slope(x / 2) / 4;
    case alg::eltwise_exp:
        return std::exp(x);
    case alg::eltwise_gelu_tanh:
        return gelu_tanh_slope(x);
    case alg::eltwise_swish:
        return swish_slope(x, alpha);
    case alg::eltwise_log:
        return 1 / x;
    case alg::eltwise_clip:
        return alpha < x && x <= beta ? 1 : 0;
    case alg::eltwise_clip_v2:
    case alg::eltwise_clip_v2_use_dst_for_bwd:
        return alpha < x && x < beta ? 1 : 0;
    case alg::eltwise_pow:
        return beta == 0 ? 0 : alpha * beta * power(x, double(float(beta) - 1));
    case alg::eltwise_gelu_erf:
        return gelu_erf_slope(x);
    case alg::eltwise_mish:
        return mish_slope(x);
    case alg::eltwise_hardswish:
        return hardswish_slope(x, alpha, beta);
    case alg::eltwise_tanh_use_dst_for_bwd:
        return (1 - x) * (1 + x);
    case alg::eltwise_elu_use_dst_for_bwd:
        return x > 0 ? 1 : x + alpha;
    case alg::eltwise_sqrt_use_dst_for_bwd:
        return 1 / (2 * x);
    case alg::eltwise_logistic_use_dst_for_bwd:
        return x * (1 - x);
    default: // exp from dst
        return x;
    }
}

// Slopes that are chosen, not computed: where 0 is, an infinite diff_dst does not matter.
bool is_piecewise(int alg) {
    const int f = parts::forward_of(alg);
    return f == alg::eltwise_relu || f == alg::eltwise_abs || f == alg::eltwise_hardsigmoid || f == alg::eltwise_clip ||
           f == alg::eltwise_clip_v2 || f == alg::eltwise_hardswish || f == alg::eltwise_pow;
}

} // namespace

double eltwise_of(int alg, double x, double alpha, double beta) {
    switch (parts::forward_of(alg)) {
    case alg::eltwise_relu:
        return x > 0 ? x : times(x, alpha);
    case alg::eltwise_tanh:
        return std::tanh(x);
    case alg::eltwise_elu:
        return x > 0 ? x : alpha * std::expm1(x);
    case alg::eltwise_square:
        return x * x;
    case alg::eltwise_abs:
        return std::fabs(x);
    case alg::eltwise_sqrt:
        return std::sqrt(x);
    case alg::eltwise_linear:
        return alpha * x + beta;
    case alg::eltwise_soft_relu:
        return soft_relu(x, alpha);
    case alg::eltwise_hardsigmoid:
        return std::isnan(x) ? x : std::clamp(product(alpha, x) + beta, 0., 1.);
    case alg::eltwise_logistic:
        return logistic(x);
    case alg::eltwise_exp:
        return std::exp(x);
    case alg::eltwise_gelu_tanh:
        return times(x, logistic(gelu_tanh_argument(x)));
    case alg::eltwise_swish:
        return times(x, logistic(product(alpha, x)));
    case alg::eltwise_log:
        return std::log(x);
    case alg::eltwise_clip:
    case alg::eltwise_clip_v2:
        return std::isnan(x) ? x : std::clamp(x, alpha, beta);
    case alg::eltwise_pow:
        return alpha * power(x, beta);
    case alg::eltwise_gelu_erf:
        return times(x, normal(x));
    case alg::eltwise_round:
        return std::nearbyint(x);
    case alg::eltwise_mish:
        return times(x, mish_factor(x));
    default:
        return times(x, std::isnan(x) ? x : std::clamp(product(alpha, x) + beta, 0., 1.));
    }
}

double eltwise_backward_of(int alg, double data, double diff_dst, double alpha, double beta) {
    const double slope = slope_of(alg, data, alpha, beta);
    return slope == 0 && is_piecewise(alg) ? 0 : diff_dst * slope;
}

} // namespace tessera
