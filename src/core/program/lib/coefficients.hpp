// SPDX-License-Identifier: Apache-2.0
// Coefficients of the elementary functions, lowest power first; fitted by tools/math/fit.py, which says what each is.
// The relative errors are those of the formula in exact arithmetic.
#pragma once

#include <array>

namespace tessera::coefficients {

using std::array;

// exp(r), |r| <= log 2: 0.25 * 2^-24
inline constexpr array exp{
    1.f, 1.f, 0x1.00000cp-1f, 0x1.555512p-3f, 0x1.5549ccp-5f, 0x1.112696p-7f, 0x1.71c9cap-10f, 0x1.9c0762p-13f};
// (exp(r) - 1) / r, |r| <= log(2) / 2: 0.01 * 2^-24
inline constexpr array expm1{
    1.f, .5f, 0x1.555554p-3f, 0x1.5554eap-5f, 0x1.1113aap-7f, 0x1.6d4d1ep-10f, 0x1.9c66b8p-13f};
// (log(1 + f) - f) / f^2, 1 + f in sqrt(1/2) .. sqrt(2): 0.11 * 2^-24 of log(1 + f)
inline constexpr array log{-.5f,           0x1.555554p-2f,  -0x1.000228p-2f, 0x1.99a01cp-3f, -0x1.54720ep-3f,
                           0x1.22cdaap-3f, -0x1.0d74fep-3f, 0x1.05f446p-3f,  -0x1.3b0f44p-4f};
// log(1 + x) / x, x in 0 .. 1: 0.22 * 2^-24
inline constexpr array log1p{1.f,
                             -0x1.ffffd2p-2f,
                             0x1.554dd0p-2f,
                             -0x1.ff23e0p-3f,
                             0x1.934b10p-3f,
                             -0x1.3a4348p-3f,
                             0x1.b4bd8ap-4f,
                             -0x1.d714c4p-5f,
                             0x1.49f82ap-6f,
                             -0x1.b1efacp-9f};
// (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2, s <= 3 - 2 sqrt(2): 0.5 * 2^-24
inline constexpr array atanh{0x1.555556p-1f, 0x1.9996a6p-2f, 0x1.25809cp-2f, 0x1.aa7ea6p-3f};
// tanh(x) / x in x^2, |x| <= 9.02: 0.41 * 2^-24
inline constexpr array tanh_p{1.f, 0x1.1213d2p-3f, 0x1.ca6b34p-9f, 0x1.5a362ep-16f, 0x1.cbe142p-27f};
inline constexpr array tanh_q{1.f, 0x1.de5f36p-2f, 0x1.a816e0p-6f, 0x1.58d376p-12f, 0x1.a23c5ap-21f};
// erf(x) / x in x^2, |x| <= 3.94: 0.96 * 2^-24
inline constexpr array erf_p{0x1.20dd74p+0f, 0x1.878196p-3f,  0x1.b0cd46p-5f,
                             0x1.f14440p-9f, 0x1.2a918ap-12f, 0x1.110396p-19f};
inline constexpr array erf_q{1.f, 0x1.016834p-1f, 0x1.d49d0ep-4f, 0x1.ec5f90p-7f, 0x1.322b24p-10f, 0x1.3e1314p-15f};
// exp(r), |r| <= log(2) / 2: 0.06 * 2^-24
inline constexpr array half_exp{
    1.f, 1.f, 0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.5558a6p-5f, 0x1.123cecp-7f, 0x1.6a353cp-10f};
// The same: 2.1 * 2^-24
inline constexpr array short_exp{0x1.000002p+0f, 0x1.000006p+0f, 0x1.fffc04p-2f,
                                 0x1.554a24p-3f, 0x1.57b26ap-5f, 0x1.17bab6p-7f};
// The normal distribution function times exp(x x / 2), x in -9 .. 0: 3.3 * 2^-24; 111 times that at -13
inline constexpr array tail_p{.5f, -0x1.645d6ap-2f, 0x1.c95294p-4f, -0x1.f264e2p-7f};
inline constexpr array tail_q{1.f, -0x1.7e7074p+0f, 0x1.d4a61cp-1f, -0x1.1e3a68p-2f, 0x1.386902p-5f};

} // namespace tessera::coefficients
