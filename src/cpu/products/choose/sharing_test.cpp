// SPDX-License-Identifier: Apache-2.0
// What threads share: rows or columns of dst, as many for each, none of its lines. covers: MAT-01
#include <gtest/gtest.h>

#include "core/division.hpp"
#include "cpu/products/choose/choose.hpp"

namespace tessera::cpu {

namespace {

const jit::Target avx512{64, 32, true, true, true, true}, avx2{32, 16, false, false};

} // namespace

// Of 7 blocks of columns two threads would have 4 and 3: they share rows, unless those are too few.
TEST(ChooseDot, threads_share_rows_where_columns_are_uneven) {
    const auto by_rows = [](int64_t rows, int64_t columns, int64_t depth, int threads) {
        DotShape s{1,    rows, columns, depth, DataType::f32, DataType::f32, DataType::f32, DataType::f32,
                   true, true, true};
        s.a_pitch = depth * 4, s.b_pitch = columns * 4, s.c_bytes = rows * columns * 4;
        Context machine;
        machine.l2_bytes = 2 << 20, machine.threads = threads;
        const DotChoice c = choose_dot(s, DotKind::f32, avx512, machine);
        EXPECT_GE(ceil_div(rows, c.unit_rows) * c.column_units, threads) << to_string(c);
        return c.unit_rows < rows;
    };
    EXPECT_TRUE(by_rows(192, 333, 1000, 2));
    EXPECT_TRUE(by_rows(192, 333, 1000, 3));
    EXPECT_FALSE(by_rows(192, 336, 1000, 7)); // a block for each
    EXPECT_FALSE(by_rows(192, 384, 1000, 2)); // even
    EXPECT_FALSE(by_rows(40, 333, 1000, 2));
    EXPECT_TRUE(by_rows(192, 333, 2000, 2)); // B beyond the second level, in ranges that fit
}

// Nor do they share columns if lines of dst would be of two of them, unless packing all of B took longer than that.
TEST(ChooseDot, threads_share_no_lines_of_dst) {
    const auto by_rows = [](int64_t rows, int64_t columns, int64_t depth, int64_t c_pitch, const jit::Target& target) {
        DotShape s{1,    rows,  columns, depth, DataType::f32, DataType::f32, DataType::f32, DataType::f32,
                   true, false, true};
        s.a_pitch = depth * 4, s.b_pitch = columns * 4, s.c_bytes = rows * columns * 4, s.c_pitch = c_pitch;
        Context machine;
        machine.l2_bytes = 2 << 20, machine.threads = 2;
        return choose_dot(s, DotKind::f32, target, machine).unit_rows < rows;
    };
    for (const jit::Target& target : {avx512, avx2}) {
        EXPECT_TRUE(by_rows(300, 256, 200, 1028, target));
        EXPECT_FALSE(by_rows(300, 256, 200, 1024, target));
        EXPECT_FALSE(by_rows(300, 256, 200, 0, target));
        EXPECT_FALSE(by_rows(300, 256, 1000, 1028, target)); // packing
        EXPECT_FALSE(by_rows(60, 256, 20, 1028, target));    // few rows
    }
}

// Threads share rows of a dst of 32 bits, not its columns, if there are enough of them and B lies as it is read.
TEST(ChooseDot, threads_have_rows_of_their_own) {
    const auto choice = [](const jit::Target& target, int64_t rows, int threads, bool in_place, int64_t c_bits) {
        Context machine;
        machine.threads = threads, machine.l2_bytes = 2 << 20;
        DotShape s{1, rows, 512, 512, DataType::f32, DataType::f32, DataType::f32, DataType::f32, true, true, true};
        s.a_pitch = 2048, s.b_pitch = in_place ? 0 : 4096, s.c_bits = c_bits;
        return choose_dot(s, DotKind::f32, target, machine);
    };
    for (const int threads : {2, 3, 4}) {
        const DotChoice c = choice(avx512, 512, threads, true, 32);
        EXPECT_EQ(ceil_div(512, c.unit_rows), threads) << to_string(c);
        EXPECT_LE(c.unit_columns, 512) << to_string(c);
    }
    for (const DotChoice& c :
         {choice(avx512, 512, 64, true, 32), choice(avx512, 120, 2, true, 32), choice(avx512, 512, 2, true, 16),
          choice(avx512, 512, 2, false, 32), choice(avx2, 512, 2, true, 32)})
        EXPECT_EQ(c.column_units % 2, 0) << to_string(c);
}

} // namespace tessera::cpu
