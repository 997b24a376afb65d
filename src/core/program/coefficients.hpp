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
// erfc(a / sqrt 2) exp(a a / 2) / 2, a in 0 .. 15: 0.46 * 2^-24
inline constexpr array tail_p{.5f, 0x1.c11a7ap-2f, 0x1.77a3e2p-3f, 0x1.4d4f12p-5f, 0x1.0e2364p-8f};
inline constexpr array tail_q{1.f, 0x1.accf6cp+0f, 0x1.340cd0p+0f, 0x1.e139a0p-2f, 0x1.a1c432p-4f, 0x1.529076p-7f};

} // namespace tessera::coefficients
