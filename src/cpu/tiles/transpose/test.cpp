// What is chosen for transpositions on machines that are not there: tiles and panels follow from the row's caches, ways
// and shuffles. That the kernels are right on all of them is the matter of tests/inputs and tests/fuzz.
#include <gtest/gtest.h>

#include "cpu/select/select.hpp"
#include "cpu/tiles/transpose/choose.hpp"
#include "cpu/tiles/transpose/tiling.hpp"
#include "machines.hpp"

namespace tessera::cpu {
namespace {

Machine row(int64_t l1_ways, int64_t l2_bytes, bool two_shuffles) {
    Machine m = machine_named("avx512_core_bf16 with fast bf16");
    m.l1_ways = l1_ways, m.l1_bytes = l1_ways * page, m.l2_bytes = l2_bytes;
    m.two_shuffles = two_shuffles;
    return m;
}

// ab -> ba
Nest square(int64_t rows, int64_t columns) {
    Nest nest;
    Loop column, line;
    column.extent = columns, column.stride[0] = 1, column.stride[1] = rows;
    line.extent = rows, line.stride[0] = columns, line.stride[1] = 1;
    nest.loops = {column, line};
    return nest;
}

int columns_of(const Machine& machine, int element, int64_t rows, int64_t columns) {
    TransposeSpec spec;
    spec.element = spec.source = element;
    const auto choice = choose_transpose(square(rows, columns), spec, jit::target_of(machine), machine);
    return choice ? 1 << choice->spec.piece.size() : 0;
}

TEST(TransposeTile, loads_whole_lines_where_two_shuffles_run_a_cycle) {
    for (const int64_t ways : {8, 12})
        for (const int64_t l2 : {1 << 20, 2 << 20}) {
            EXPECT_EQ(columns_of(row(ways, l2, true), 1, 320, 320), 64) << ways;
            EXPECT_EQ(columns_of(row(ways, l2, true), 2, 320, 320), 32) << ways;
            EXPECT_EQ(columns_of(row(ways, l2, false), 1, 320, 320), 16) << ways;
            EXPECT_EQ(columns_of(row(ways, l2, false), 2, 320, 320), 16) << ways;
        }
}

// oihw -> OIhw16i16o, 32 x 32, 3 x 3 taps: i and the taps become one loop of 144 points, and then so does O's.
TEST(TransposeTile, chain_of_short_loops_becomes_one_with_a_table) {
    Nest nest;
    const int64_t loops[][3] = {{2, 4608, 4608 * 2}, {2, 144, 2304}, {9, 1, 256}, {16, 9, 16}, {16, 288, 1}};
    for (const auto& [extent, src, dst] : loops) {
        Loop l;
        l.extent = extent, l.stride[0] = src, l.stride[1] = dst;
        nest.loops.push_back(l);
    }
    const auto chained = with_chain(nest, 4096);
    ASSERT_TRUE(chained);
    ASSERT_EQ(chained->loops.size(), 3u);
    const Loop& one = chained->loops.back();
    EXPECT_EQ(one.extent, 288);
    for (int64_t tap = 0; tap < 9; ++tap)
        for (int64_t i = 0; i < 32; ++i) {
            EXPECT_EQ(one.offset(0, i * 9 + tap), i * 9 + tap);
            EXPECT_EQ(one.offset(1, i * 9 + tap), i / 16 * 2304 + tap * 256 + i % 16 * 16);
        }
    EXPECT_EQ(with_chain(nest, 200)->loops.back().extent, 144);
    EXPECT_FALSE(with_chain(nest, 100));
    EXPECT_FALSE(with_chain(square(64, 64), 4096));
}

// Lines of dst 1024 bytes apart share 4 sets: 64 are 16 in each, 32 are 8. 512 apart 8 sets, 2048 apart 2.
TEST(TransposeTile, columns_fit_the_ways_of_the_sets_that_they_share) {
    EXPECT_EQ(columns_of(row(12, 2 << 20, true), 1, 1024, 320), 32);
    EXPECT_EQ(columns_of(row(8, 2 << 20, true), 1, 1024, 320), 32);
    EXPECT_EQ(columns_of(row(16, 2 << 20, true), 1, 1024, 320), 64);
    EXPECT_EQ(columns_of(row(8, 2 << 20, true), 1, 512, 320), 64);
    EXPECT_EQ(columns_of(row(12, 2 << 20, true), 2, 1024, 320), 16);
    EXPECT_EQ(columns_of(row(16, 2 << 20, true), 2, 1024, 320), 32);
}

TEST(TransposeTile, lines_collide_in_the_sets_of_a_page) {
    const Machine m = row(12, 1 << 20, true);
    EXPECT_FALSE(lines_collide(m, 4096, 12));
    EXPECT_TRUE(lines_collide(m, 4096, 13));
    EXPECT_TRUE(lines_collide(m, -4096, 13));
    EXPECT_FALSE(lines_collide(m, 4096 + 64, 64));
    EXPECT_FALSE(lines_collide(m, 4096 + 32, 64)); // no whole lines
    EXPECT_FALSE(lines_collide(row(8, 1 << 20, true), 2048, 16));
    EXPECT_TRUE(lines_collide(row(8, 1 << 20, true), 2048, 17));
}

} // namespace
} // namespace tessera::cpu
