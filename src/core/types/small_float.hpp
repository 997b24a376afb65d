// SPDX-License-Identifier: Apache-2.0
// SmallFloat: f32 to and from a narrower binary float of any field widths, branch-free.
//
// widen(code) is exact; narrow(x) rounds to nearest, ties to the even code, and handles subnormals, infinities and
// NaN. Only integer operations and exact f32 operations are used, so the result depends neither on the rounding
// mode nor on FTZ/DAZ, and GCC and Clang vectorise loops over both with plain SSE2 (no variable shifts, no blends).
//
//   SmallFloat<4, 3, Specials::nan>::narrow(464.f) == 0x7e     // f8_e4m3: tie of 448 and 480 goes to the even code
//   SmallFloat<4, 3, Specials::nan>::narrow(465.f) == 0x7f     // no infinity: NaN
#pragma once

#include <bit>
#include <cstdint>

#ifdef __FAST_MATH__
#error "Rounding here depends on IEEE arithmetic as written; compile without -ffast-math."
#endif

namespace tessera {

// What the codes above the largest finite number mean.
enum class Specials : uint8_t {
    inf_nan, // the top exponent holds infinity and NaN (f16, f8_e5m2): overflow gives infinity
    nan,     // the all-ones code is NaN, there is no infinity (f8_e4m3): overflow gives NaN
    none,    // every code is a number (f4): overflow, infinity and NaN give the largest number of the same sign
};

// `yes` where the condition holds, else `no`. A conditional operator whose arms need floating-point operations becomes
// a branch (GCC keeps possible traps out of the arm not taken), and the loop around it stays scalar: f32 -> s8 ran at
// 0.8 elements/ns and not at 2.6, f16 -> f32 at 0.9 and not at 2.2 (GCC 12, SSE2, Zen 4).
constexpr int32_t select(bool condition, int32_t yes, int32_t no) {
    const int32_t mask = -static_cast<int32_t>(condition);
    return (yes & mask) | (no & ~mask);
}

template <int exponent_bits, int mantissa_bits, Specials specials> struct SmallFloat {
    static constexpr int width = exponent_bits + mantissa_bits; // without the sign, which is bit `width`
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr int shift = 23 - mantissa_bits; // from the f32 mantissa to this one
    static constexpr int32_t ones = (1 << width) - 1;
    static constexpr int32_t inf_code = ((1 << exponent_bits) - 1) << mantissa_bits;
    static constexpr int32_t smallest_normal = 1 << mantissa_bits;     // code
    static constexpr int32_t smallest_normal_f32 = (128 - bias) << 23; // f32 bits of 2^(1-bias)
    static constexpr float steps_per_one =
        std::bit_cast<float>((126 + bias + mantissa_bits) << 23); // 1 / subnormal step
    static constexpr float step = std::bit_cast<float>((128 - bias - mantissa_bits) << 23);
    // Ties go by the lowest bit of the f32 prefix, which is the lowest bit of the code if their difference is even.
    static_assert(mantissa_bits > 0 || bias % 2 == 1);

    static constexpr float widen(uint32_t code) {
        const int32_t magnitude = static_cast<int32_t>(code) & ones;
        const int32_t normal = (magnitude << shift) + ((127 - bias) << 23);
        const int32_t subnormal = std::bit_cast<int32_t>(static_cast<float>(magnitude) * step);
        int32_t bits = select(magnitude < smallest_normal, subnormal, normal);
        if constexpr (specials == Specials::inf_nan) {
            const int32_t quiet = magnitude > inf_code ? 0x400000 : 0; // as vcvtph2ps does
            const int32_t special = (magnitude << shift) | 0x7f800000 | quiet;
            bits = select(magnitude >= inf_code, special, bits);
        }
        if constexpr (specials == Specials::nan) bits = select(magnitude == ones, 0x7fc00000, bits);
        return std::bit_cast<float>(static_cast<uint32_t>(bits) | ((code << (31 - width)) & 0x80000000u));
    }

    static constexpr uint32_t narrow(float x) {
        const uint32_t bits = std::bit_cast<uint32_t>(x);
        const int32_t magnitude = static_cast<int32_t>(bits & 0x7fffffffu);
        // One of the two terms is `smallest_normal`, the other carries the value; no select of the two is needed.
        const int32_t above = select(magnitude > smallest_normal_f32, magnitude, smallest_normal_f32);
        const int32_t below = select(magnitude < smallest_normal_f32, magnitude, smallest_normal_f32);

        // Normal: add just under half of the dropped part, or half when the kept part is odd; carry into exponent.
        const uint32_t odd = (static_cast<uint32_t>(above) >> shift) & 1u;
        const uint32_t raised = static_cast<uint32_t>(above) + ((1u << (shift - 1)) - 1u) + odd;
        const int32_t normal = static_cast<int32_t>(raised >> shift) - ((127 - bias) << mantissa_bits);

        // Subnormal: count steps. Truncation and the remainder are exact; 0x3f000000 is 0.5, one less its predecessor.
        const float count = std::bit_cast<float>(below) * steps_per_one;
        const int32_t whole = static_cast<int32_t>(count);
        const float rest = count - static_cast<float>(whole);
        const int32_t up = rest > std::bit_cast<float>(0x3f000000 - (whole & 1));

        constexpr int32_t top = specials == Specials::inf_nan ? inf_code : ones;
        int32_t code = normal + whole + up - smallest_normal;
        code = select(code < top, code, top);
        if constexpr (specials == Specials::inf_nan) { // NaN: quiet, with what fits of its payload
            const int32_t payload = (magnitude >> shift) & (smallest_normal - 1);
            const int32_t quiet_nan = inf_code | payload | (smallest_normal >> 1);
            code = select(magnitude > 0x7f800000, quiet_nan, code);
        }
        return static_cast<uint32_t>(code) | ((bits >> (31 - width)) & (1u << width));
    }
};

} // namespace tessera
