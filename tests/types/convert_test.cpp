// SPDX-License-Identifier: Apache-2.0
// Values of the rows DT and CVT, and every codec against the model of code_table.hpp: all codes of 16 bits and
// fewer, all midpoints of neighbouring codes with the f32 numbers beside them, and a million random f32 a type.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "code_table.hpp"
#include "core/types/codecs.hpp"
#include "core/types/convert.hpp"

namespace tessera::testing {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <typename C> uint64_t written(DataType type, C value) {
    uint64_t storage = 0;
    write<C>(type, &storage, 0, value);
    return read_bits(type, &storage, 0);
}
template <typename C> C read_code(DataType type, uint64_t code) {
    uint64_t storage = 0;
    write_bits(type, &storage, 0, code);
    return read<C>(type, &storage, 0);
}

// covers: DT-01 DT-02 DT-05 DT-09
TEST(data_types, numbers_and_widths) {
    const std::pair<DataType, int> widths[] = {
        {DataType::undef, 0},   {DataType::f16, 16},    {DataType::bf16, 16},   {DataType::f32, 32},
        {DataType::s32, 32},    {DataType::s8, 8},      {DataType::u8, 8},      {DataType::f64, 64},
        {DataType::boolean, 8}, {DataType::f8_e5m2, 8}, {DataType::f8_e4m3, 8}, {DataType::s4, 4},
        {DataType::u4, 4},      {DataType::e8m0, 8},    {DataType::f4_e2m1, 4}, {DataType::f4_e3m0, 4},
        {DataType::s64, 64},
    };
    int number = 0;
    for (const auto& [type, width] : widths) {
        EXPECT_EQ(static_cast<int>(type), number++);
        EXPECT_EQ(bits(type), width) << name(type);
    }
    EXPECT_FALSE(valid(static_cast<DataType>(17)));
    EXPECT_EQ(bytes_of(DataType::s4, 5), 3);
    EXPECT_EQ(parse_data_type("f8_e4m3"), DataType::f8_e4m3);
}

// covers: DT-03 DT-04 DT-05 DT-06 DT-07 DT-08
TEST(data_types, ranges_are_those_of_all_codes) {
    for (DataType type : all_types) {
        if (bits(type) > 16) continue;
        ValueRange r{infinity, -infinity, infinity};
        for (uint64_t code = 0; code < 1u << bits(type); ++code) {
            const double x = read_code<double>(type, code);
            if (!std::isfinite(x)) continue;
            r.lowest = std::min(r.lowest, x), r.highest = std::max(r.highest, x);
            if (x > 0) r.least_positive = std::min(r.least_positive, x);
        }
        EXPECT_EQ(range(type).lowest, r.lowest) << name(type);
        EXPECT_EQ(range(type).highest, r.highest) << name(type);
        EXPECT_EQ(range(type).least_positive, r.least_positive) << name(type);
    }
    EXPECT_EQ(range(DataType::f32).least_positive, std::numeric_limits<float>::denorm_min());
    EXPECT_EQ(range(DataType::f64).least_positive, std::numeric_limits<double>::denorm_min());
    EXPECT_FALSE(is_normal_f32(DataType::undef));
}

// covers: DT-05
TEST(data_types, the_even_element_lies_in_the_low_nibble) {
    for (DataType type : all_types) {
        if (!is_sub_byte(type)) continue;
        uint8_t storage[2] = {0xff, 0xff};
        write_bits(type, storage, 0, 0x1);
        EXPECT_EQ(storage[0], 0xf1);
        write_bits(type, storage, 1, 0x2);
        write_bits(type, storage, 2, 0xab);
        EXPECT_EQ(storage[0], 0x21);
        EXPECT_EQ(storage[1], 0xfb);
        EXPECT_EQ(read_bits(type, storage, 1), 2u);
        EXPECT_EQ(read_bits(type, storage, 3), 15u);
    }
    EXPECT_EQ(read_code<float>(DataType::s4, 8), -8.f);
    EXPECT_EQ(read_code<float>(DataType::s4, 7), 7.f);
    EXPECT_EQ(read_code<float>(DataType::u4, 15), 15.f);
}

// covers: DT-01 DT-03 DT-04 DT-07 DT-08 CVT-10
TEST(small_floats, every_code_widens_to_its_value_and_back) {
    for (const FloatFormat& f : formats)
        for (uint32_t code = 0; code < 1u << f.width(); ++code) {
            const double value = value_of(f, code);
            const float widened = read_code<float>(f.type, code);
            if (std::isnan(value)) {
                ASSERT_TRUE(std::isnan(widened)) << name(f.type) << " code " << code;
                ASSERT_TRUE(std::isnan(read_code<double>(f.type, code)));
                const uint32_t quiet = f.has_infinity ? code | 1u << (f.mantissa_bits - 1) : code;
                ASSERT_EQ(written(f.type, widened), quiet) << name(f.type) << " code " << code;
                continue;
            }
            ASSERT_EQ(std::bit_cast<uint32_t>(widened), std::bit_cast<uint32_t>(static_cast<float>(value)))
                << name(f.type) << " code " << code;
            ASSERT_EQ(read_code<double>(f.type, code), value);
            ASSERT_EQ(written(f.type, widened), code) << name(f.type);
            ASSERT_EQ(written<double>(f.type, value), code) << name(f.type);
        }
}

// covers: CVT-04 CVT-05 CVT-06 CVT-07 CVT-08
TEST(small_floats, narrowing_takes_the_nearest_code) {
    for (const FloatFormat& f : formats) {
        const Magnitudes table(f);
        int64_t samples = 0;
        const auto check = [&](float x) {
            ++samples;
            ASSERT_EQ(written(f.type, x), table.nearest(x)) << name(f.type) << " of " << std::hexfloat << x;
        };
        for (size_t i = 0; i + 1 < table.values.size(); ++i)
            for (double centre : {table.values[i], (table.values[i] + table.values[i + 1]) / 2})
                for (float sign : {1.f, -1.f}) {
                    const float x = sign * static_cast<float>(centre);
                    check(x);
                    check(std::nextafter(x, inf));
                    check(std::nextafter(x, -inf));
                    if (HasFatalFailure()) return;
                }
        for (float x : {table.format.type == DataType::bf16 ? 3e38f : 1e30f, 1e-40f, 1.4e-45f, inf})
            check(x), check(-x);
        std::mt19937 random(17);
        while (samples < 1'200'000) {
            // All exponents evenly, and half of the samples where the type has numbers.
            uint32_t bits = static_cast<uint32_t>(random());
            if (bits & 1 && f.type != DataType::bf16) {
                const uint32_t span = static_cast<uint32_t>(f.mantissa_bits + (1 << f.exponent_bits) + 2);
                const uint32_t lowest = static_cast<uint32_t>(126 - f.bias() - f.mantissa_bits);
                bits = (bits & 0x807fffff) | ((lowest + random() % span) << 23);
            }
            const float x = std::bit_cast<float>(bits);
            if (!std::isnan(x)) check(x);
            if (HasFatalFailure()) return;
        }
    }
}

// covers: CVT-04
TEST(small_floats, bf16_values_of_the_table) {
    EXPECT_EQ(f32_to_bf16(1.00390625f), 0x3f80);
    EXPECT_EQ(f32_to_bf16(nan), 0x7fc0);
    EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x7f800001u)), 0x7fc0); // a signalling NaN must not become infinity
    EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x00012345u)), 0x0001); // denormals are kept
    EXPECT_EQ(bf16_to_f32(f32_to_bf16(65504.f)), 65536.f);
    EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
}

// covers: CVT-05
TEST(small_floats, f16_values_of_the_table) {
    EXPECT_EQ(f32_to_f16(65519.f), 0x7bff);
    EXPECT_EQ(f32_to_f16(65520.f), 0x7c00);
    EXPECT_EQ(f32_to_f16(-65520.f), 0xfc00);
    EXPECT_EQ(f32_to_f16(1e-40f), 0);
    EXPECT_EQ(f32_to_f16(nan), 0x7e00);
    EXPECT_EQ(f32_to_f16(std::bit_cast<float>(0x7f800001u)), 0x7e00);
}

// covers: CVT-06 CVT-11 DT-03
TEST(small_floats, f8_e5m2_values_of_the_table) {
    EXPECT_EQ(f8_e5m2_to_f32(0x7b), 57344.f);
    EXPECT_EQ(f8_e5m2_to_f32(0x04), 0x1p-14f);
    EXPECT_EQ(f32_to_f8_e5m2(61439.f), 0x7b);
    EXPECT_EQ(f32_to_f8_e5m2(61440.f), 0x7c);
    EXPECT_EQ(f32_to_f8_e5m2(nan), 0x7e);
    EXPECT_EQ(f32_to_f8_e5m2(f8_e5m2_to_f32(0x7d)), 0x7f);
    // Just above the tie of 1 and 1.25; through f16 it would become the tie and round to 1.
    EXPECT_EQ(f32_to_f8_e5m2(std::nextafter(1.125f, 2.f)), 0x3d);
}

// covers: CVT-07 CVT-11 DT-04
TEST(small_floats, f8_e4m3_values_of_the_table) {
    EXPECT_EQ(f8_e4m3_to_f32(0x7e), 448.f);
    EXPECT_EQ(f8_e4m3_to_f32(0x08), 0x1p-6f);
    EXPECT_TRUE(std::isnan(f8_e4m3_to_f32(0x7f)) && std::isnan(f8_e4m3_to_f32(0xff)));
    EXPECT_EQ(f32_to_f8_e4m3(464.f), 0x7e);
    for (float x : {480.f, inf, nan}) EXPECT_EQ(f32_to_f8_e4m3(x), 0x7f);
    for (float x : {-480.f, -inf, -nan}) EXPECT_EQ(f32_to_f8_e4m3(x), 0xff);
}

// covers: CVT-08 DT-07 DT-08
TEST(small_floats, f4_values_of_the_table) {
    const float e2m1[] = {0, .5f, 1, 1.5f, 2, 3, 4, 6}, e3m0[] = {0, .25f, .5f, 1, 2, 4, 8, 16};
    for (uint8_t code = 0; code < 8; ++code) {
        EXPECT_EQ(f4_e2m1_to_f32(code), e2m1[code]);
        EXPECT_EQ(f4_e3m0_to_f32(code), e3m0[code]);
        EXPECT_EQ(f4_e2m1_to_f32(code | 8), -e2m1[code]);
    }
    for (float x : {6.f, 7.f, inf, nan}) EXPECT_EQ(f32_to_f4_e2m1(x), 7) << x;
    for (float x : {-6.f, -100.f, -inf}) EXPECT_EQ(f32_to_f4_e2m1(x), 15) << x;
    for (float x : {16.f, 1e9f, inf, nan}) EXPECT_EQ(f32_to_f4_e3m0(x), 7) << x;
}

// covers: CVT-09 DT-06
TEST(small_floats, e8m0_is_the_floor_of_the_logarithm) {
    for (uint32_t code = 0; code < 255; ++code) {
        const float power = std::ldexp(1.f, static_cast<int>(code) - 127);
        EXPECT_EQ(e8m0_to_f32(static_cast<uint8_t>(code)), power);
        EXPECT_EQ(written(DataType::e8m0, power), code);
        EXPECT_EQ(written(DataType::e8m0, std::nextafter(2 * power, 0.f)), code);
        EXPECT_EQ(written(DataType::e8m0, 1.5f * power), code);
    }
    EXPECT_TRUE(std::isnan(e8m0_to_f32(0xff)));
    for (float x : {inf, nan, -nan}) EXPECT_EQ(f32_to_e8m0(x), 0xff);
    for (float x : {0.f, 1e-45f, 1e-40f}) EXPECT_EQ(f32_to_e8m0(x), 0);
}

// covers: CVT-01 CVT-02 CVT-03 REO-08
TEST(integers, values_of_the_table) {
    EXPECT_EQ(f32_to_s8(1024.f), 127);
    EXPECT_EQ(f32_to_u8(-124.f), 0);
    const std::pair<float, int> halves[] = {{.5f, 0}, {1.5f, 2}, {2.5f, 2}, {-.5f, 0}, {-1.5f, -2}, {-2.5f, -2}};
    for (const auto& [x, rounded] : halves)
        for (DataType type : {DataType::s8, DataType::s32, DataType::s64, DataType::s4}) {
            const uint64_t code = written(type, x);
            EXPECT_EQ(read_code<int32_t>(type, code), rounded) << name(type) << " " << x;
            EXPECT_EQ(read_code<int32_t>(type, written<double>(type, x)), rounded) << name(type) << " " << x;
        }
    for (float x : {inf, 3e9f, 2147483648.f, 2147483520.f}) EXPECT_EQ(f32_to_s32(x), 2147483520);
    for (float x : {-inf, -3e9f, -2147483648.f}) EXPECT_EQ(f32_to_s32(x), INT32_MIN);
    EXPECT_EQ(f32_to_s32(16777217.f), 16777216);
    EXPECT_EQ(f32_to_s32(-8388609.f), -8388609);
    EXPECT_EQ(read_code<int32_t>(DataType::f64, std::bit_cast<uint64_t>(3e9)), INT32_MAX);
    EXPECT_EQ(read_code<int32_t>(DataType::f64, std::bit_cast<uint64_t>(2147483646.5)), 2147483646);
}

// covers: CVT-02 CVT-03 REO-08
TEST(integers, nan_gives_the_smallest_signed_value_and_unsigned_zero) {
    const auto check = [](auto x) {
        EXPECT_EQ(written(DataType::s8, x), 0x80u);
        EXPECT_EQ(written(DataType::s4, x), 0x8u);
        EXPECT_EQ(written(DataType::s32, x), 0x80000000u);
        EXPECT_EQ(written(DataType::s64, x), 0x8000000000000000u);
        EXPECT_EQ(written(DataType::u8, x), 0u);
        EXPECT_EQ(written(DataType::u4, x), 0u);
        EXPECT_EQ(written(DataType::boolean, x), 1u); // x != 0
    };
    check(nan), check(-nan), check(std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(read_code<int32_t>(DataType::bf16, 0x7fc0), INT32_MIN);
    EXPECT_EQ(read_code<int64_t>(DataType::f16, 0x7e00), INT64_MIN);
}

// Two million f32 bit patterns, evenly spread over all exponents, and all quarters around the 8-bit ranges, against
// clamp and nearest-even in double.
// covers: CVT-01
TEST(integers, f32_rounds_like_the_model) {
    const auto model = [](double x, double low, double high) {
        if (std::isnan(x)) return low;
        x = std::min(std::max(x, low), high);
        const double down = std::floor(x), part = x - down;
        if (part != .5) return part < .5 ? down : down + 1;
        return std::fmod(down, 2) == 0 ? down : down + 1;
    };
    for (uint64_t bits = 0; bits < 0x100000000u; bits += 2039) {
        const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
        ASSERT_EQ(f32_to_s8(x), model(x, -128, 127)) << x;
        ASSERT_EQ(f32_to_u8(x), model(x, 0, 255)) << x;
        ASSERT_EQ(f32_to_s4(x), model(x, -8, 7)) << x;
        ASSERT_EQ(f32_to_u4(x), model(x, 0, 15)) << x;
        ASSERT_EQ(f32_to_s32(x), model(x, -2147483648., 2147483520.)) << x;
    }
    for (int step = -3000; step <= 3000; ++step) { // quarters, and the neighbours of every half
        const float quarter = static_cast<float>(step) / 4;
        for (float x : {quarter, std::nextafter(quarter, inf), std::nextafter(quarter, -inf)}) {
            ASSERT_EQ(f32_to_s8(x), model(x, -128, 127)) << x;
            ASSERT_EQ(f32_to_u8(x), model(x, 0, 255)) << x;
            ASSERT_EQ(f32_to_s32(x), model(x, -2147483648., 2147483520.)) << x;
        }
    }
}

// covers: CVT-01
TEST(integers, integers_saturate_without_a_detour_through_floats) {
    EXPECT_EQ(written<int32_t>(DataType::s8, 128), 0x7fu);
    EXPECT_EQ(written<int32_t>(DataType::s8, -129), 0x80u);
    EXPECT_EQ(written<int32_t>(DataType::u8, -1), 0u);
    EXPECT_EQ(written<int32_t>(DataType::u4, 16), 15u);
    EXPECT_EQ(written<int32_t>(DataType::s4, INT32_MIN), 8u);
    EXPECT_EQ(written<int64_t>(DataType::s32, INT64_MAX), 0x7fffffffu);
    EXPECT_EQ(written<int64_t>(DataType::s32, 2147483646), 2147483646u);
    EXPECT_EQ(written<int64_t>(DataType::s64, INT64_MAX - 1), static_cast<uint64_t>(INT64_MAX - 1));
    EXPECT_EQ(written<int32_t>(DataType::boolean, -7), 1u);
    EXPECT_EQ(read_code<int32_t>(DataType::s64, static_cast<uint64_t>(INT64_MIN)), INT32_MIN);
    EXPECT_EQ(read_code<int32_t>(DataType::boolean, 0x40), 1);
    for (double x : {9.3e18, 1e300, infinity}) EXPECT_EQ(written(DataType::s64, x), static_cast<uint64_t>(INT64_MAX));
    EXPECT_EQ(written(DataType::s64, -1e300), static_cast<uint64_t>(INT64_MIN));
    EXPECT_EQ(written(DataType::s64, 9007199254740993.), 9007199254740992u);
}

// Quarters around both ends of the range: what rounds to the first number beyond it saturates, in every mode.
// covers: CVT-01
TEST(integers, f64_saturates_where_rounding_leaves_the_range) {
    struct Case {
        DataType type;
        double smallest, largest;
    };
    for (const Case& c : {Case{DataType::s8, -128, 127},
                          {DataType::u8, 0, 255},
                          {DataType::s4, -8, 7},
                          {DataType::u4, 0, 15},
                          {DataType::s32, -2147483648., 2147483647.}})
        for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO})
            for (const double end : {c.smallest, c.largest})
                for (double x = end - 3; x <= end + 3; x += 0.25) {
                    std::fesetround(mode);
                    const volatile double rounded = std::nearbyint(x);
                    const uint64_t code = written<double>(c.type, x);
                    std::fesetround(FE_TONEAREST);
                    const double expected = std::clamp(double(rounded), c.smallest, c.largest);
                    EXPECT_EQ(read_code<double>(c.type, code), expected)
                        << name(c.type) << " " << x << " mode " << mode;
                }
    // The largest double below 2^63 is a number of s64, 2^63 is not.
    EXPECT_EQ(written(DataType::s64, 0x1.fffffffffffffp62), 0x7ffffffffffffc00u);
    EXPECT_EQ(written(DataType::s64, 0x1p63), static_cast<uint64_t>(INT64_MAX));
}

TEST(convert, undef_reads_as_zero_and_is_never_written) {
    uint64_t storage = 0x1122334455667788u;
    write<float>(DataType::undef, &storage, 0, 1.f);
    write_bits(static_cast<DataType>(99), &storage, 0, 1);
    EXPECT_EQ(storage, 0x1122334455667788u);
    EXPECT_EQ(read<double>(DataType::undef, &storage, 0), 0.);
}

} // namespace
} // namespace tessera::testing
