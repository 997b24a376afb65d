// SPDX-License-Identifier: Apache-2.0
// How B is read, which is most of what few rows take: in place, packed, interleaved, prefetched, for caches of any
// size. covers: MAT-01
#include <gtest/gtest.h>

#include "cpu/products/choose/choose.hpp"

namespace tessera::cpu {

namespace {

const jit::Target avx512{64, 32, true, true, true, true}, avx2{32, 16, false, false};

DotShape panels_of(DataType type, int64_t rows, int64_t columns, int64_t depth) {
    const bool bytes = type == DataType::s8;
    DotShape s{1,    rows, columns, depth, bytes ? DataType::u8 : type, type, bytes ? DataType::u8 : type,
               type, true, true,    true};
    s.a_pitch = depth * bits(type) / 8, s.c_bytes = rows * columns * 4;
    return s;
}

} // namespace

// Panels that pass by from memory for few rows are prefetched; those of the third level, or of many rows, are not.
TEST(ChooseDot, panels_from_memory_are_asked_for) {
    Context m;
    m.l3_bytes = 32 << 20;
    const auto ahead = [&](int64_t rows, int64_t columns, const jit::Target& target = avx512) {
        return choose_dot(panels_of(DataType::f32, rows, columns, 4096), DotKind::f32, target, m).spec.b_ahead;
    };
    for (const int64_t rows : {2, 4, 16, 128}) EXPECT_EQ(ahead(rows, 4096), 4096) << rows;
    for (const int64_t rows : {1, 129, 1000}) EXPECT_EQ(ahead(rows, 4096), 0) << rows;
    EXPECT_EQ(ahead(16, 1024), 0); // half of L3
    m.l3_bytes = 300 << 20;
    EXPECT_EQ(ahead(16, 4096), 0);
    EXPECT_EQ(ahead(16, 4096, avx2), 1024);
    m.l3_bytes = 32 << 20;
    EXPECT_EQ(ahead(16, 4096, avx2), 8192);
    EXPECT_EQ(ahead(2, 4096, avx2), 256);
}

// Beside the rows of A that read them, panels leave room in the second level of any size.
TEST(ChooseDot, panels_stay_beside_rows) {
    Context m;
    constexpr int64_t narrowest = 96;
    for (const int64_t l2 : {1 << 20, 2 << 20, 4 << 20}) {
        m.l2_bytes = l2;
        for (const auto& [type, kind] :
             {std::pair{DataType::f32, DotKind::f32}, std::pair{DataType::bf16, DotKind::bf16},
              std::pair{DataType::s8, DotKind::u8s8}})
            for (const int64_t rows : {16, 128, 1024}) {
                const DotChoice c = choose_dot(panels_of(type, rows, 4096, 4096), kind, avx512, m);
                const int64_t line = c.depth * bits(type) / 8, of_a = c.block_rows * line;
                EXPECT_LE(c.unit_columns * line, std::max(l2 * 3 / 4 - of_a, narrowest * line) * 4 / 3)
                    << l2 << " " << to_string(c);
                EXPECT_GE(c.unit_columns, l2 > 2 << 20 ? 336 : l2 > 1 << 20 ? 192 : 64) << l2 << " " << to_string(c);
            }
    }
}

// Every thread has as many ranges of columns, however many there are: 29 of two threads cost one of them 5 %.
TEST(ChooseDot, ranges_are_as_many_for_every_thread) {
    Context m;
    for (const int threads : {2, 3, 8, 64}) {
        m.threads = threads;
        for (const int64_t rows : {4, 16, 128})
            for (const int64_t columns : {4096, 11008, 16384}) {
                const DotChoice in_panels =
                    choose_dot(panels_of(DataType::f32, rows, columns, 4096), DotKind::f32, avx512, m);
                EXPECT_EQ(in_panels.column_units % threads, 0) << threads << " " << to_string(in_panels);
            }
    }
}

// A that is packed is packed once or twice, and what its rows read in turns stays in the second level: also for many
// threads, whose packs of B the third level has to hold.
TEST(ChooseDot, packed_rows_read_strips) {
    Context m;
    m.l3_bytes = 32 << 20;
    for (const int threads : {1, 2, 16, 64})
        for (const int64_t l2 : {512 << 10, 1 << 20, 2 << 20})
            for (const bool in_place : {true, false})
                for (const jit::Target& target : {avx512, avx2}) {
                    m.threads = threads, m.l2_bytes = l2;
                    DotShape s{1,     2048,     2048, 2048, DataType::f32, DataType::f32, DataType::f32, DataType::f32,
                               false, in_place, false};
                    s.a_step = 8192;
                    const DotChoice c = choose_dot(s, DotKind::f32, target, m);
                    ASSERT_EQ(c.a, DotSource::packed);
                    const int64_t width = 16 * c.spec.panels, line = c.depth * 4;
                    EXPECT_GT(c.strip, 0) << to_string(c);
                    EXPECT_EQ(c.strip % width, 0) << to_string(c);
                    EXPECT_GE(c.strip, 96) << to_string(c);
                    EXPECT_LE(c.strip * line, std::max<int64_t>(l2 * 3 / 4 - c.block_rows * line, 128 * line))
                        << to_string(c);
                    const int64_t packs = in_place ? 0 : c.unit_columns * 2048 * 4 * threads;
                    EXPECT_LE(packs, std::max<int64_t>(m.l3_bytes, threads * l2 * 3 / 2)) << to_string(c);
                }
}

// The only block of rows packs parts of long k, as wide as its sums stay in the second level.
TEST(ChooseDot, parts_of_long_k_are_wide) {
    for (const DataType type : {DataType::f32, DataType::s8})
        for (const int64_t depth : {1024, 4096, 11008})
            for (const int64_t rows : {128, 250, 512}) {
                DotShape s = panels_of(type, rows, 4096, depth);
                s.b_fits = false, s.b_dense = true;
                const DotChoice c =
                    choose_dot(s, type == DataType::f32 ? DotKind::f32 : DotKind::u8s8, avx512, Context{});
                const int64_t sums = rows * c.unit_columns * 4;
                if (rows == 512 || 4096 * depth * bits(type) / 8 <= 4 << 20) { // B in the reach of the caches
                    EXPECT_TRUE(rows < 512 || !c.by_depth) << to_string(c);
                    continue;
                }
                EXPECT_TRUE(c.by_depth) << to_string(c);
                EXPECT_GE(c.unit_columns, rows == 128 ? 336 : 192) << to_string(c);
                EXPECT_LE(sums, 300 << 10) << to_string(c);
                s.b_dense = false;
                EXPECT_LE(
                    choose_dot(s, type == DataType::f32 ? DotKind::f32 : DotKind::u8s8, avx512, Context{}).unit_columns,
                    c.unit_columns);
            }
}

// s8 becomes u8 once, but where flipping a bit costs nothing.
TEST(ChooseDot, flips_that_are_free) {
    DotShape s = panels_of(DataType::s8, 128, 1024, 1024);
    s.a = DataType::s8, s.sums.columns = s.sums.by_kernels = true;
    Context m;
    EXPECT_EQ(choose_dot(s, DotKind::u8s8, avx512, m).a, DotSource::packed);
    m.two_shuffles = m.spare_vector_pipes = m.follows_rows = true;
    EXPECT_EQ(choose_dot(s, DotKind::u8s8, avx512, m).a, DotSource::in_place);
    s.a_fits = false;
    EXPECT_EQ(choose_dot(s, DotKind::u8s8, avx512, m).a, DotSource::packed);
}

// Zen 5 follows many rows of B, unless they share sets of the first level; fewer of them from memory.
TEST(ChooseDot, rows_of_b_that_are_followed) {
    Context m;
    m.l1_ways = 12, m.l1_bytes = 48 << 10, m.l3_bytes = 32 << 20;
    const auto choice = [&](int64_t rows, int64_t columns, int64_t depth) {
        DotShape s = panels_of(DataType::f32, rows, columns, depth);
        s.b_pitch = columns * 4, s.b_dense = true;
        return choose_dot(s, DotKind::f32, avx512, m);
    };
    for (const bool zen_5 : {false, true}) {
        m.two_shuffles = m.spare_vector_pipes = m.follows_rows = zen_5;
        for (const int64_t rows : {8, 16, 64, 100, 252, 300}) {
            const DotChoice odd = choice(rows, 1000, 1100), aliasing = choice(rows, 1024, 1100);
            EXPECT_EQ(odd.b == DotSource::in_place, rows <= (zen_5 ? 252 : 64)) << to_string(odd);
            EXPECT_EQ(aliasing.b == DotSource::in_place, rows <= 64) << to_string(aliasing);
            if (zen_5 && rows <= 252) { EXPECT_GE(odd.depth, 220) << to_string(odd); }
            if (!zen_5 && rows <= 64) { EXPECT_LE(odd.depth, 128) << to_string(odd); }
        }
        EXPECT_LE(choice(16, 4096, 4096).depth, 128);
    }
}

// Rows of B from memory are prefetched before they are packed, if they are rows.
TEST(ChooseDot, parts_from_memory_are_prefetched) {
    Context m;
    const auto prefetched_rows = [&](DataType type, int64_t rows, bool b_strided = true) {
        DotShape s = panels_of(type, rows, 3000, 3000);
        s.b_fits = type == DataType::f32, s.b_pitch = s.b_fits ? 12000 : 0;
        s.b_cuts = b_strided, s.b_dense = true;
        const DotKind kind = type == DataType::f32    ? DotKind::f32
                             : type == DataType::bf16 ? DotKind::bf16
                                                      : DotKind::u8s8;
        return choose_dot(s, kind, avx512, m).prefetched_rows;
    };
    for (const int64_t l3 : {10 << 20, 100 << 20}) {
        m.l3_bytes = l3;
        const bool memory = l3 == 10 << 20;
        for (const int64_t rows : {3, 16, 64}) {
            EXPECT_EQ(prefetched_rows(DataType::s8, rows) > 0, memory) << rows;
            EXPECT_EQ(prefetched_rows(DataType::bf16, rows) > 0, memory) << rows;
            EXPECT_EQ(prefetched_rows(DataType::f32, rows), 0) << rows;
            EXPECT_EQ(prefetched_rows(DataType::s8, rows, false), 0) << rows;
        }
    }
}

// All of a B in place that a thread's second level does not hold goes to one thread alone, for few rows, though ranges
// of columns end within lines of dst.
TEST(ChooseDot, a_large_b_is_shared_by_columns) {
    const auto by_rows = [](int64_t rows, int64_t l2_bytes) {
        DotShape s = panels_of(DataType::s8, rows, 1000, 1024);
        s.c_pitch = 4000;
        Context m;
        m.l2_bytes = l2_bytes, m.threads = 2;
        return choose_dot(s, DotKind::u8s8, avx512, m).unit_rows < rows;
    };
    EXPECT_FALSE(by_rows(128, 1 << 20));
    EXPECT_TRUE(by_rows(128, 4 << 20));
    EXPECT_TRUE(by_rows(200, 1 << 20));
}

// Rows of B that kernels can interleave are read in place where few blocks of rows do so and shuffles are free.
TEST(ChooseDot, rows_of_b_that_are_interleaved) {
    Context m;
    m.l1_ways = 12, m.l1_bytes = 48 << 10, m.l2_bytes = 1 << 20, m.l3_bytes = 32 << 20;
    const auto interleaves = [&](DataType type, int64_t rows, int64_t columns, int64_t depth) {
        DotShape s = panels_of(type, rows, columns, depth);
        s.b_fits = false, s.rows_pitch = columns * bits(type) / 8, s.b_dense = true;
        const DotChoice c = choose_dot(s, type == DataType::bf16 ? DotKind::bf16 : DotKind::u8s8, avx512, m);
        EXPECT_EQ(c.spec.interleaves, c.b == DotSource::in_place) << to_string(c);
        EXPECT_EQ(c.spec.b_short, c.spec.interleaves ? (-depth) & (type == DataType::bf16 ? 1 : 3) : 0) << to_string(c);
        return c.spec.interleaves;
    };
    EXPECT_FALSE(interleaves(DataType::bf16, 32, 32, 32));
    m.two_shuffles = m.spare_vector_pipes = m.follows_rows = true;
    for (const int64_t depth : {32, 33, 34, 35}) {
        EXPECT_TRUE(interleaves(DataType::bf16, 32, 32, depth));
        EXPECT_TRUE(interleaves(DataType::s8, 32, 32, depth));
    }
    EXPECT_TRUE(interleaves(DataType::bf16, 250, 500, 500));
    EXPECT_FALSE(interleaves(DataType::bf16, 300, 500, 500));
    EXPECT_FALSE(interleaves(DataType::bf16, 128, 3000, 3000));
    EXPECT_TRUE(interleaves(DataType::bf16, 12, 11008, 4096));
    EXPECT_FALSE(interleaves(DataType::bf16, 20, 11008, 4096));
    EXPECT_FALSE(interleaves(DataType::bf16, 16, 2048, 2048));
    EXPECT_TRUE(interleaves(DataType::s8, 64, 500, 500));
    EXPECT_FALSE(interleaves(DataType::s8, 65, 500, 500));
    EXPECT_FALSE(interleaves(DataType::s8, 16, 11008, 4096));
}

} // namespace tessera::cpu
