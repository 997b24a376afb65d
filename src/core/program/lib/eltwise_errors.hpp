// SPDX-License-Identifier: Apache-2.0
// The stated errors of element-wise functions, in ulp of f32. tests/program/eltwise_accuracy_test.cpp measures every
// row and fails where a program is further off; tools/tessera/bounds/bounds.cpp accepts results by the largest of an
// algorithm.
//
//   |got - exact| <= ulps * ulp(exact) + floor,  ulps = forward + growth * x * x, the latter below 0 only
#pragma once

#include <algorithm>

#include "core/program/lib/eltwise.hpp"

namespace tessera {

struct EltwiseError {
    int alg;
    const char* name;
    float alpha, beta;
    double forward, backward; // ulp; 0: none
    double floor = 0;         // an absolute error up to here is right, whatever it is in ulp
    bool gated = false;       // the derivative crosses zero where the function does not: ulp of the larger of the two
    double growth = 0;        // the rounding of x * x under an exponential, which is 0 from x * x = 176.7 on
};

// Where exp is subnormal it is off by up to 2^-150, and then multiplied by x, in derivatives by x z'(x) < 2^9.
inline constexpr double subnormal_error = 0x1p-141;

inline constexpr EltwiseError eltwise_errors[] = {
    {alg::eltwise_relu, "relu", 0, 0, 0.5, 0.5},
    {alg::eltwise_relu, "relu .3", 0.3f, 0, 0.5, 0.5},
    {alg::eltwise_relu, "relu -2", -2, 0, 0.5, 0.5},
    {alg::eltwise_relu, "relu 3", 3, 0, 0.5, 0.5},
    {alg::eltwise_tanh, "tanh", 0, 0, 5.5, 5},
    {alg::eltwise_elu, "elu 1", 1, 0, 2.25, 2.25},
    {alg::eltwise_elu, "elu .3", 0.3f, 0, 2.25, 2.25},
    {alg::eltwise_square, "square", 0, 0, 0.5, 0.5},
    {alg::eltwise_abs, "abs", 0, 0, 0.5, 0.5},
    {alg::eltwise_sqrt, "sqrt", 0, 0, 0.5, 2},
    {alg::eltwise_linear, "linear", 0.7f, -1.3f, 0.5, 0.5},
    {alg::eltwise_linear, "linear 2 0", 2, 0, 0.5, 0.5},
    {alg::eltwise_soft_relu, "soft_relu 1", 1, 0, 3, 3.5},
    {alg::eltwise_soft_relu, "soft_relu -1", -1, 0, 3, 3.5},
    {alg::eltwise_soft_relu, "soft_relu .7", 0.7f, 0, 4, 3.75, subnormal_error},
    {alg::eltwise_soft_relu, "soft_relu 2", 2, 0, 4, 3.75, subnormal_error},
    {alg::eltwise_hardsigmoid, "hardsigmoid", 0.2f, 0.5f, 0.5, 0.5},
    {alg::eltwise_hardsigmoid, "hardsigmoid 0", 0, 0.5f, 0.5, 0.5},
    {alg::eltwise_logistic, "logistic", 0, 0, 3.5, 5},
    {alg::eltwise_exp, "exp", 0, 0, 2, 2},
    {alg::eltwise_gelu_tanh, "gelu_tanh", 0, 0, 5, 8, subnormal_error, true},
    {alg::eltwise_swish, "swish 1", 1, 0, 5, 5, subnormal_error, true},
    {alg::eltwise_swish, "swish -1.7", -1.7f, 0, 5, 7, subnormal_error, true},
    {alg::eltwise_log, "log", 0, 0, 2, 0.5},
    {alg::eltwise_clip, "clip", -0.7f, 1.5f, 0.5, 0.5},
    {alg::eltwise_clip_v2, "clip_v2", -0.7f, 1.5f, 0.5, 0.5},
    {alg::eltwise_pow, "pow 0", 3, 0, 0.5, 0.5},
    {alg::eltwise_pow, "pow 1", 1, 1, 0.5, 0.5},
    {alg::eltwise_pow, "pow 2", 1, 2, 0.5, 0.5},
    {alg::eltwise_pow, "pow 3", 1, 3, 1.5, 1.5},
    {alg::eltwise_pow, "pow -1", 1, -1, 0.5, 2},
    {alg::eltwise_pow, "pow .5", 1, 0.5f, 0.5, 2},
    {alg::eltwise_pow, "pow 1.5", 1, 1.5f, 1.5, 2},
    {alg::eltwise_pow, "pow -.5", 1, -0.5f, 1.5, 2},
    {alg::eltwise_pow, "pow 1/3", 1, 1.f / 3, 3, 3},
    {alg::eltwise_pow, "pow 5", 1, 5, 3, 3},
    {alg::eltwise_pow, "pow -4", 1, -4, 3, 3},
    {alg::eltwise_pow, "pow 250.5", 1, 250.5f, 7, 7.5},
    {alg::eltwise_pow, "pow 1e7", 1, 1e7f, 3, 3},
    {alg::eltwise_gelu_erf, "gelu_erf", 0, 0, 9, 9, 0x1p-124, true, 1},
    {alg::eltwise_round, "round", 0, 0, 0.5, 0},
    {alg::eltwise_mish, "mish", 0, 0, 5.5, 6, subnormal_error, true},
    {alg::eltwise_hardswish, "hardswish", 1.f / 6, 0.5f, 1.5, 1},
    {alg::eltwise_hardswish, "hardswish 0", 0, 0.5f, 0.5, 0.5},
    {alg::eltwise_relu_use_dst_for_bwd, "relu from dst", 0.3f, 0, 0, 0.5},
    {alg::eltwise_tanh_use_dst_for_bwd, "tanh from dst", 0, 0, 0, 1},
    {alg::eltwise_elu_use_dst_for_bwd, "elu from dst", 0.3f, 0, 0, 1},
    {alg::eltwise_sqrt_use_dst_for_bwd, "sqrt from dst", 0, 0, 0, 1, 0x1p-126},
    {alg::eltwise_logistic_use_dst_for_bwd, "logistic from dst", 0, 0, 0, 1.5},
    {alg::eltwise_exp_use_dst_for_bwd, "exp from dst", 0, 0, 0, 0.5},
    {alg::eltwise_clip_v2_use_dst_for_bwd, "clip_v2 from dst", -0.7f, 1.5f, 0, 0.5},
};

// The ulps that are right at x.
inline double ulps_at(double ulps, double growth, double x) {
    return x < 0 ? ulps + growth * std::min(x * x, 176.7) : ulps;
}

} // namespace tessera
