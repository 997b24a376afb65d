// SPDX-License-Identifier: Apache-2.0
// Codecs: f32 to and from each stored type, one inline branch-free function a direction (DT-01..09, CVT-01..12).
//
// These are the rules that convert.cpp, the reference and the portable tiles share; loops over arrays of them
// vectorise with plain SSE2. A 4-bit code is the low nibble of its byte. Three families:
//
//   floats     nearest, ties to even, in any rounding mode; NaN stays NaN (quiet) where the type has one
//   e8m0       the power of two at or below |x|
//   integers   clamp to the range, then round as the current floating-point environment says (fesetround);
//              NaN gives the smallest value of a signed type and 0 of an unsigned one
//
//   f32_to_u8(-124.f) == 0    f32_to_s8(2.5f) == 2    f32_to_bf16(1.00390625f) == 0x3f80
#pragma once

#include <bit>
#include <cstdint>

#include "core/types/small_float.hpp"

namespace tessera {

using F16 = SmallFloat<5, 10, Specials::inf_nan>;
using F8E5M2 = SmallFloat<5, 2, Specials::inf_nan>;
using F8E4M3 = SmallFloat<4, 3, Specials::nan>;
using F4E2M1 = SmallFloat<2, 1, Specials::none>;
using F4E3M0 = SmallFloat<3, 0, Specials::none>;

inline float f16_to_f32(uint16_t code) { return F16::widen(code); }
inline uint16_t f32_to_f16(float x) { return static_cast<uint16_t>(F16::narrow(x)); }
// f8 is rounded once. oneDNN 3.13 goes through f16, where 61439.9 meets the tie 61440 and becomes infinite (e5m2), and
// 464.1 meets the tie 464 and stays finite (e4m3): quirks that are not reproduced.
inline float f8_e5m2_to_f32(uint8_t code) { return F8E5M2::widen(code); }
inline uint8_t f32_to_f8_e5m2(float x) { return static_cast<uint8_t>(F8E5M2::narrow(x)); }
inline float f8_e4m3_to_f32(uint8_t code) { return F8E4M3::widen(code); }
inline uint8_t f32_to_f8_e4m3(float x) { return static_cast<uint8_t>(F8E4M3::narrow(x)); }
inline float f4_e2m1_to_f32(uint8_t code) { return F4E2M1::widen(code); }
inline uint8_t f32_to_f4_e2m1(float x) { return static_cast<uint8_t>(F4E2M1::narrow(x)); }
inline float f4_e3m0_to_f32(uint8_t code) { return F4E3M0::widen(code); }
inline uint8_t f32_to_f4_e3m0(float x) { return static_cast<uint8_t>(F4E3M0::narrow(x)); }

// bf16 is the upper half of f32, so it needs no SmallFloat: its subnormals are f32 subnormals with the same exponent.
inline float bf16_to_f32(uint16_t code) { return std::bit_cast<float>(static_cast<uint32_t>(code) << 16); }
inline uint16_t f32_to_bf16(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint32_t quiet_nan = (bits >> 16) | 0x40u;
    return static_cast<uint16_t>(static_cast<int32_t>(bits & 0x7fffffffu) > 0x7f800000 ? quiet_nan : rounded);
}

// e8m0 is the exponent field of f32: code 0 is 2^-127 (an f32 subnormal), 0xff is NaN. The sign is dropped; zero and
// everything below 2^-127 give code 0.
inline float e8m0_to_f32(uint8_t code) {
    const int32_t power = code == 0 ? 0x00400000 : static_cast<int32_t>(code) << 23;
    return std::bit_cast<float>(code == 0xff ? 0x7fc00000 : power);
}
inline uint8_t f32_to_e8m0(float x) { return static_cast<uint8_t>((std::bit_cast<uint32_t>(x) >> 23) & 0xffu); }

// Rounds to an integer under the current rounding mode, without a call: beyond 2^23 the spacing of f32 is 1, so the
// addition rounds. The constant takes the sign of x, or rounding toward zero would round negative numbers down.
inline float round_below_2_23(float x) { // |x| <= 2^23
    const float sign_2_23 = std::bit_cast<float>((std::bit_cast<uint32_t>(x) & 0x80000000u) | 0x4b000000u);
    return (x + sign_2_23) - sign_2_23;
}

// The first comparison of a NaN is false and yields `low`.
inline float clamp_nan_low(float x, float low, float high) {
    const auto bits = [](float f) { return std::bit_cast<int32_t>(f); };
    const float raised = std::bit_cast<float>(select(x > low, bits(x), bits(low)));
    return std::bit_cast<float>(select(raised < high, bits(raised), bits(high)));
}

inline int8_t f32_to_s8(float x) {
    return static_cast<int8_t>(static_cast<int32_t>(round_below_2_23(clamp_nan_low(x, -128.f, 127.f))));
}
inline uint8_t f32_to_u8(float x) {
    return static_cast<uint8_t>(static_cast<int32_t>(round_below_2_23(clamp_nan_low(x, 0.f, 255.f))));
}
inline int8_t f32_to_s4(float x) { // -8..7, sign-extended
    return static_cast<int8_t>(static_cast<int32_t>(round_below_2_23(clamp_nan_low(x, -8.f, 7.f))));
}
inline uint8_t f32_to_u4(float x) {
    return static_cast<uint8_t>(static_cast<int32_t>(round_below_2_23(clamp_nan_low(x, 0.f, 15.f))));
}
inline int8_t s4_to_s8(uint8_t code) { return static_cast<int8_t>(((code & 15) ^ 8) - 8); } // sign-extends a nibble

// Ends at 2147483520, the largest f32 below 2^31 (CVT-02).
inline int32_t f32_to_s32(float x) {
    const float clamped = clamp_nan_low(x, -2147483648.f, 2147483520.f);
    const float rounded = round_below_2_23(clamped);
    const int32_t bits = std::bit_cast<int32_t>(clamped);
    const int32_t result = select((bits & 0x7fffffff) < 0x4b000000, std::bit_cast<int32_t>(rounded), bits);
    return static_cast<int32_t>(std::bit_cast<float>(result)); // from 2^23 on x is an integer
}

// boolean is C++'s x != 0: NaN is true.
inline uint8_t f32_to_boolean(float x) { return x != 0.f ? 1 : 0; }

} // namespace tessera
