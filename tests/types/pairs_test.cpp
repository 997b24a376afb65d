// SPDX-License-Identifier: Apache-2.0
// All 16 x 16 pairs of types, converted in the type that conversion_type() names. The law: a number that dst can
// hold arrives unchanged, whatever the pair.
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/types/convert.hpp"

namespace tessera::testing {
namespace {

uint64_t converted(DataType src, DataType dst, uint64_t code) {
    uint64_t from = 0, to = 0;
    write_bits(src, &from, 0, code);
    switch (conversion_type(src, dst)) {
    case ValueType::bits:
        write_bits(dst, &to, 0, read_bits(src, &from, 0));
        break;
    case ValueType::f32:
        write<float>(dst, &to, 0, read<float>(src, &from, 0));
        break;
    case ValueType::f64:
        write<double>(dst, &to, 0, read<double>(src, &from, 0));
        break;
    case ValueType::s32:
        write<int32_t>(dst, &to, 0, read<int32_t>(src, &from, 0));
        break;
    case ValueType::s64:
        write<int64_t>(dst, &to, 0, read<int64_t>(src, &from, 0));
        break;
    }
    return read_bits(dst, &to, 0);
}

// 64 mantissa bits hold every number of every type.
static_assert(std::numeric_limits<long double>::digits >= 64);
long double value_of(DataType type, uint64_t code) {
    uint64_t storage = 0;
    write_bits(type, &storage, 0, code);
    if (type == DataType::s64 || type == DataType::s32)
        return static_cast<long double>(read<int64_t>(type, &storage, 0));
    return read<double>(type, &storage, 0);
}

// Codes to try: all of a narrow type, the ends and neighbours of powers of two of a wide one.
std::vector<uint64_t> codes_of(DataType type) {
    std::vector<uint64_t> codes;
    if (bits(type) <= 16) {
        for (uint64_t code = 0; code < uint64_t{1} << bits(type); ++code) codes.push_back(code);
        return codes;
    }
    for (int exponent = -140; exponent < 64; ++exponent)
        for (double factor : {1., 1.5, 1.25, 1.00390625, 1.0009765625, 1.0000001192092896, 1.0000000000000002})
            for (double sign : {1., -1.}) {
                uint64_t storage = 0;
                write<double>(type, &storage, 0, sign * std::ldexp(factor, exponent));
                codes.push_back(storage);
                if (is_integer(type)) codes.push_back(storage + 1), codes.push_back(storage - 1);
            }
    codes.push_back(0);
    return codes;
}

bool holds(DataType type, const std::set<long double>& narrow, long double x) {
    switch (type) {
    case DataType::f32:
        return static_cast<float>(x) == x;
    case DataType::f64:
        return static_cast<double>(x) == x;
    case DataType::s32:
        return std::fabs(x) <= 2147483647.L && std::trunc(x) == x;
    case DataType::s64:
        return std::fabs(x) <= 9223372036854775807.L && std::trunc(x) == x;
    default:
        return narrow.contains(x);
    }
}

// covers: REO-07 CVT-10
TEST(pairs, a_number_that_dst_holds_arrives_unchanged) {
    for (DataType dst : all_types) {
        std::set<long double> narrow;
        if (bits(dst) <= 16)
            for (uint64_t code : codes_of(dst))
                if (!std::isnan(value_of(dst, code))) narrow.insert(value_of(dst, code));
        for (DataType src : all_types) {
            int64_t held = 0;
            for (uint64_t code : codes_of(src)) {
                const long double x = value_of(src, code);
                if (std::isnan(x) || !holds(dst, narrow, x)) continue;
                ++held;
                ASSERT_EQ(value_of(dst, converted(src, dst, code)), x)
                    << name(src) << " -> " << name(dst) << " code " << code;
            }
            EXPECT_GE(held, 1) << name(src) << " -> " << name(dst); // at least the number 1
        }
    }
}

// covers: REO-07
TEST(pairs, equal_types_copy_bits) {
    for (DataType type : all_types) {
        EXPECT_EQ(conversion_type(type, type), ValueType::bits);
        for (uint64_t code : codes_of(type))
            ASSERT_EQ(converted(type, type, code), code & (~uint64_t{0} >> (64 - bits(type)))) << name(type);
    }
}

// covers: REO-07 CVT-01
TEST(pairs, computing_types) {
    EXPECT_EQ(conversion_type(DataType::s8, DataType::s32), ValueType::s32);
    EXPECT_EQ(conversion_type(DataType::u4, DataType::boolean), ValueType::s32);
    EXPECT_EQ(conversion_type(DataType::s64, DataType::u8), ValueType::s64);
    EXPECT_EQ(conversion_type(DataType::f64, DataType::s32), ValueType::f64);
    EXPECT_EQ(conversion_type(DataType::s64, DataType::f64), ValueType::f64);
    EXPECT_EQ(conversion_type(DataType::s64, DataType::f32), ValueType::s64);
    EXPECT_EQ(conversion_type(DataType::f32, DataType::s32), ValueType::f32);
    EXPECT_EQ(conversion_type(DataType::f16, DataType::bf16), ValueType::f32);
    // 2^62 + 2^38 + 1: its f32 neighbour above is nearest, but f64 drops the 1 and the tie goes down.
    const int64_t x = (int64_t{1} << 62) + (int64_t{1} << 38) + 1;
    const auto code = static_cast<uint32_t>(converted(DataType::s64, DataType::f32, static_cast<uint64_t>(x)));
    float nearest;
    std::memcpy(&nearest, &code, sizeof nearest);
    EXPECT_EQ(nearest, 0x1.000002p62f);
}

// covers: CVT-01 CVT-02
TEST(pairs, wide_numbers_saturate_in_every_integer) {
    const auto huge = [](DataType src, double x) {
        uint64_t storage = 0;
        write<double>(src, &storage, 0, x);
        return storage;
    };
    for (DataType dst : all_types) {
        if (!is_integer(dst) || dst == DataType::boolean) continue;
        const auto read_back = [&](uint64_t code) {
            int64_t value;
            value = read<int64_t>(dst, &code, 0);
            return value;
        };
        const bool is_unsigned = dst == DataType::u8 || dst == DataType::u4;
        const int64_t low = is_unsigned ? 0 : -(int64_t{1} << (bits(dst) - 2)) * 2;
        const int64_t high = is_unsigned ? (1 << bits(dst)) - 1 : -(low + 1);
        for (DataType src : {DataType::f32, DataType::f64, DataType::bf16, DataType::s64}) {
            if (src == dst) continue;
            const bool f32_to_s32 = dst == DataType::s32 && (src == DataType::f32 || src == DataType::bf16);
            EXPECT_EQ(read_back(converted(src, dst, huge(src, 1e30))), f32_to_s32 ? 2147483520 : high)
                << name(src) << " -> " << name(dst);
            EXPECT_EQ(read_back(converted(src, dst, huge(src, -1e30))), low) << name(src) << " -> " << name(dst);
        }
    }
}

} // namespace
} // namespace tessera::testing
