// SPDX-License-Identifier: Apache-2.0
// The floating-point environment: integers follow fesetround(), the narrow floats do not, neither minds FTZ and DAZ.
// The loops over arrays are the vectorised form of the codecs, write() is the scalar one.
#include <cfenv>
#include <cmath>
#include <random>
#include <vector>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <gtest/gtest.h>

#include "code_table.hpp"
#include "core/types/codecs.hpp"
#include "core/types/convert.hpp"

namespace tessera::testing {
namespace {

constexpr int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

struct RoundingMode { // restores round-to-nearest
    explicit RoundingMode(int mode) { std::fesetround(mode); }
    ~RoundingMode() { std::fesetround(FE_TONEAREST); }
};

double rounded(double x, int mode) {
    if (mode == FE_UPWARD) return std::ceil(x);
    if (mode == FE_DOWNWARD) return std::floor(x);
    if (mode == FE_TOWARDZERO) return std::trunc(x);
    const double down = std::floor(x), part = x - down;
    return part < .5 || (part == .5 && std::fmod(down, 2) == 0) ? down : down + 1;
}

// Not inlined, so that nothing moves across fesetround().
template <typename T, T (*codec)(float)>
[[gnu::noinline]] void convert_all(std::vector<T>& dst, const std::vector<float>& src) {
    for (size_t i = 0; i < src.size(); ++i) dst[i] = codec(src[i]);
}

// covers: CVT-01 CVT-12 REO-08
TEST(rounding, integers_follow_the_mode) {
    std::vector<float> xs;
    for (int i = -2100; i <= 2100; ++i) xs.push_back(static_cast<float>(i) / 8);
    for (float x : {1e-40f, -1e-40f, 8388607.5f, -8388607.5f, 4194303.25f, -4194303.75f, 1e9f, -1e9f}) xs.push_back(x);
    std::vector<int8_t> s8(xs.size());
    std::vector<uint8_t> u8(xs.size());
    std::vector<int32_t> s32(xs.size()), from_double(xs.size());
    std::vector<int8_t> written(xs.size());
    for (int mode : modes) {
        {
            const RoundingMode scope(mode);
            convert_all<int8_t, f32_to_s8>(s8, xs);
            convert_all<uint8_t, f32_to_u8>(u8, xs);
            convert_all<int32_t, f32_to_s32>(s32, xs);
            for (size_t i = 0; i < xs.size(); ++i) {
                write<float>(DataType::s8, written.data(), static_cast<int64_t>(i), xs[i]);
                write<double>(DataType::s32, from_double.data(), static_cast<int64_t>(i), xs[i]);
            }
        }
        for (size_t i = 0; i < xs.size(); ++i) {
            const double x = xs[i];
            ASSERT_EQ(s8[i], rounded(std::min(std::max(x, -128.), 127.), mode)) << x << " mode " << mode;
            ASSERT_EQ(u8[i], rounded(std::min(std::max(x, 0.), 255.), mode)) << x << " mode " << mode;
            ASSERT_EQ(s32[i], rounded(x, mode)) << x << " mode " << mode;
            ASSERT_EQ(from_double[i], rounded(x, mode)) << x << " mode " << mode;
            ASSERT_EQ(written[i], s8[i]) << x << " mode " << mode;
        }
    }
}

template <typename T, T (*codec)(float)> void same_in_every_environment(const std::vector<float>& xs) {
    std::vector<T> expected(xs.size()), got(xs.size());
    convert_all<T, codec>(expected, xs);
    for (int mode : modes) {
        {
            const RoundingMode scope(mode);
            convert_all<T, codec>(got, xs);
        }
        ASSERT_EQ(got, expected) << "mode " << mode;
    }
#if defined(__SSE2__)
    const unsigned control = _mm_getcsr();
    _mm_setcsr(control | 0x8040); // FTZ, DAZ
    convert_all<T, codec>(got, xs);
    _mm_setcsr(control);
    ASSERT_EQ(got, expected) << "FTZ and DAZ";
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | 1 << 24)); // FZ
    convert_all<T, codec>(got, xs);
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
    ASSERT_EQ(got, expected) << "FZ";
#endif
}

// covers: CVT-04 CVT-05 CVT-06 CVT-07 CVT-08 CVT-12
TEST(rounding, narrow_floats_ignore_the_environment) {
    std::vector<float> xs;
    std::mt19937 random(3);
    for (int i = 0; i < 200'000; ++i) xs.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
    for (int i = 0; i < 65536; ++i) xs.push_back(f16_to_f32(static_cast<uint16_t>(i)) * 1.0009765f);
    same_in_every_environment<uint16_t, f32_to_bf16>(xs);
    same_in_every_environment<uint16_t, f32_to_f16>(xs);
    same_in_every_environment<uint8_t, f32_to_f8_e5m2>(xs);
    same_in_every_environment<uint8_t, f32_to_f8_e4m3>(xs);
    same_in_every_environment<uint8_t, f32_to_f4_e2m1>(xs);
    same_in_every_environment<uint8_t, f32_to_f4_e3m0>(xs);
    same_in_every_environment<uint8_t, f32_to_e8m0>(xs);
}

// covers: CVT-10 CVT-12
TEST(rounding, widening_ignores_the_environment) {
    for (const FloatFormat& f : formats) {
        std::vector<uint16_t> codes(1u << f.width());
        for (size_t i = 0; i < codes.size(); ++i) write_bits(f.type, codes.data(), static_cast<int64_t>(i), i);
        for (int mode : modes) {
            std::vector<float> got(codes.size());
            {
                const RoundingMode scope(mode);
                for (size_t i = 0; i < got.size(); ++i)
                    got[i] = read<float>(f.type, codes.data(), static_cast<int64_t>(i));
            }
            for (size_t i = 0; i < got.size(); ++i) {
                const auto value = static_cast<float>(value_of(f, static_cast<uint32_t>(i)));
                if (std::isnan(value)) continue;
                ASSERT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(value)) << name(f.type) << i;
            }
        }
    }
}

} // namespace
} // namespace tessera::testing
