// SPDX-License-Identifier: Apache-2.0
// How products of few rows, and of few columns, are cut, for caches and threads of any size. covers: MAT-01
#include <gtest/gtest.h>

#include "cpu/tiles/few/run.hpp"

namespace tessera::cpu {

namespace {

const jit::Target avx512{64, 32, true, true, true, true}, avx2{32, 16, false, false};

DotShape shape_of(DataType type, int64_t rows, int64_t columns, int64_t depth) {
    const DataType a = type == DataType::s8 ? DataType::u8 : type;
    DotShape s{1, rows, columns, depth, a, type, a, type, true, true, true};
    s.a_pitch = depth * bits(type) / 8, s.c_bytes = rows * columns * 4;
    return s;
}

} // namespace

// Every thread has as many ranges of columns.
TEST(ChooseFew, ranges_are_as_many_for_every_thread) {
    Context m;
    for (const int threads : {2, 3, 8, 64}) {
        m.threads = threads;
        const FewChoice c = choose_few(shape_of(DataType::bf16, 4, 11008, 4096), false, avx512, m);
        const bool narrow = 11008 / threads < 256;
        if (!narrow) { EXPECT_EQ(c.column_units % threads, 0) << threads << " " << to_string(c); }
        const EvenParts columns{11008, 16, c.column_units};
        EXPECT_EQ(columns.begin(c.column_units), 11008);
    }
}

// Rows of B from memory are prefetched a pass before axpy reads them.
TEST(ChooseFew, passes_from_memory_are_prefetched) {
    Context m;
    const auto prefetches = [&](DataType type, int64_t rows) {
        return choose_few(shape_of(type, rows, 3000, 3000), false, avx512, m).prefetches;
    };
    for (const int64_t l3 : {10 << 20, 100 << 20}) {
        m.l3_bytes = l3;
        const bool memory = l3 == 10 << 20;
        for (const int64_t rows : {1, 2, 3, 4}) {
            EXPECT_EQ(prefetches(DataType::s8, rows), memory) << rows;
            EXPECT_EQ(prefetches(DataType::bf16, rows), memory) << rows;
            EXPECT_EQ(prefetches(DataType::f32, rows), memory && rows > 2) << rows;
        }
    }
}

// Groups of rows of dots: from memory column by column, if A stays in the second level.
TEST(ChooseFew, groups_of_rows_read_columns_from_memory) {
    Context m;
    const auto choice = [&](int64_t rows, int64_t depth, bool dense, const jit::Target& target = avx512) {
        DotShape s = shape_of(DataType::f32, rows, 4096, depth);
        if (!dense) s.a_step = 4 * rows;
        return choose_few(s, true, target, m);
    };
    for (const int64_t l3 : {16 << 20, 300 << 20}) {
        m.l3_bytes = l3;
        const bool memory = l3 == 16 << 20;
        for (const int64_t rows : {7, 16, 32}) {
            const FewChoice c = choice(rows, 4096, true);
            EXPECT_EQ(c.rows_inside, memory) << rows;
            EXPECT_EQ(c.prefetches, memory);
            EXPECT_EQ(c.depth, 1024);
            EXPECT_EQ(choice(rows, 4096, true, avx2).rows_inside, memory) << rows;
            EXPECT_EQ(choice(rows, 4096, true, avx2).prefetches, memory) << rows;
            EXPECT_FALSE(choice(rows, 11008, true).rows_inside && rows == 32); // 1.4 MB of A
            EXPECT_FALSE(choice(rows, 4096, false).rows_inside);               // packed part by part
        }
    }
}

// Few rows leave a thread long rows of B, or two ranges of columns where there are masks; a batch is shared by
// products.
TEST(ChooseFew, units_of_few_rows) {
    const auto units = [](const jit::Target& target, int64_t batches, bool dots) {
        DotShape s = shape_of(DataType::f32, 1, 4096, 1024);
        s.batches = batches;
        Context machine;
        machine.threads = 2;
        return choose_few(s, dots, target, machine).column_units;
    };
    for (const bool dots : {true, false}) {
        EXPECT_EQ(units(avx512, 1, dots), 4);
        EXPECT_EQ(units(avx512, 4, dots), dots ? 1 : units(avx512, 8, dots));
    }
    EXPECT_EQ(units(avx2, 1, true), 4);
    EXPECT_EQ(units(avx2, 1, false), 2);
}

// Dots read A where it lies unless its k is not dense.
TEST(ChooseFew, dots_pack_what_is_not_dense) {
    const auto source = [](int64_t rows, int64_t step) {
        DotShape s = shape_of(DataType::f32, rows, 100, 512);
        s.a_step = step;
        return choose_few(s, true, avx2, Context{}).a;
    };
    EXPECT_EQ(source(16, 0), DotSource::in_place);
    EXPECT_EQ(source(16, 64), DotSource::packed);
    EXPECT_EQ(source(2, 0), DotSource::in_place); // as of bf16, which dots convert
}

// Same bits for any number of threads: parts of k and kernels do not depend on it.
TEST(ChooseFew, threads_do_not_change_the_order_of_sums) {
    for (const bool dots : {true, false})
        for (const int64_t rows : {1, 3, 7, 16})
            for (const int64_t depth : {100, 5000, 20000}) {
                Context m;
                const FewChoice one = choose_few(shape_of(DataType::f32, rows, 3000, depth), dots, avx2, m);
                for (const int threads : {2, 7, 64}) {
                    m.threads = threads;
                    const FewChoice c = choose_few(shape_of(DataType::f32, rows, 3000, depth), dots, avx2, m);
                    EXPECT_EQ(c.depth, one.depth);
                    EXPECT_EQ(c.rows, one.rows);
                }
            }
}

// Units of rows, and nothing else, depend on threads.
TEST(ChooseTall, few_columns_of_many_rows) {
    constexpr int64_t rows_at_once = 256;
    for (const int threads : {1, 3, 64}) {
        Context machine;
        machine.threads = threads;
        const DotShape s = shape_of(DataType::f32, 100000, 3, 64);
        const TallChoice c = choose_tall(s, DotKind::f32, avx512, machine);
        EXPECT_TRUE(c.unit_rows == s.rows || c.unit_rows % rows_at_once == 0) << to_string(c, 3);
        EXPECT_EQ(c.block_rows, rows_at_once);
        EXPECT_GE(ceil_div(s.rows, c.unit_rows), threads);
    }
}

} // namespace tessera::cpu
