// SPDX-License-Identifier: Apache-2.0
// What is chosen for transpositions on machines that are not there: tiles and panels follow from the row's caches, ways
// and shuffles. That the kernels are right on all of them is the matter of tests/inputs and tests/fuzz.
#include <gtest/gtest.h>

#include "core/problem/problem.hpp"
#include "cpu/select/select.hpp"
#include "cpu/tiles/transpose/choose.hpp"
#include "cpu/tiles/transpose/tiling.hpp"
#include "machines.hpp"

namespace tessera::cpu {
namespace {

Context row(int64_t l1_ways, int64_t l2_bytes, bool two_shuffles) {
    Context m = machine_named("avx512_core_bf16 with fast bf16");
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

int columns_of(const Context& machine, int element, int64_t rows, int64_t columns) {
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

TEST(TransposeTile, tiles_in_parts_are_whole) {
    EXPECT_EQ(columns_of(row(12, 1 << 20, true), 1, 49, 512), 16);
    EXPECT_EQ(columns_of(row(12, 1 << 20, true), 2, 49, 512), 32);
    EXPECT_EQ(columns_of(row(12, 1 << 20, true), 1, 784, 67), 16); // two tiles of 64 for 67
    EXPECT_EQ(columns_of(row(12, 1 << 20, true), 1, 784, 100), 64);
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
    const Context m = row(12, 1 << 20, true);
    EXPECT_FALSE(lines_collide(m, 4096, 12));
    EXPECT_TRUE(lines_collide(m, 4096, 13));
    EXPECT_TRUE(lines_collide(m, -4096, 13));
    EXPECT_FALSE(lines_collide(m, 4096 + 64, 64));
    EXPECT_FALSE(lines_collide(m, 4096 + 32, 64)); // no whole lines
    EXPECT_FALSE(lines_collide(row(8, 1 << 20, true), 2048, 16));
    EXPECT_TRUE(lines_collide(row(8, 1 << 20, true), 2048, 17));
}

TEST(TransposeTile, buffers_are_parts_of_L1) {
    for (const int64_t l2 : {1 << 20, 2 << 20}) {
        const TransposeBuffers small = transpose_buffers(row(8, l2, false)),
                               large = transpose_buffers(row(12, l2, true));
        EXPECT_EQ(small.staged, 24 << 10);
        EXPECT_EQ(small.staged_rows, 20 << 10);
        EXPECT_EQ(large.staged, 36 << 10);
        EXPECT_EQ(large.staged_rows, 30 << 10);
        EXPECT_EQ(large.combined, 36 << 10);
    }
    const TransposeBuffers huge = transpose_buffers(row(32, 2 << 20, false)); // 128 KiB, more than the stack is for
    EXPECT_EQ(huge.staged, buffer_bytes);
    EXPECT_EQ(huge.staged_rows, buffer_bytes);
}

std::string job_of(const Context& machine, DataType type, const Nest& nest) {
    Plan plan;
    plan.operands = {{"src", type, arg::src}, {"dst", type, arg::dst}};
    Program copy;
    copy.store(1, copy.load(0, ValueType::bits));
    plan.programs = {copy};
    Step step;
    step.kind = StepKind::map, step.program = 0, step.nest = nest;
    plan.steps = {step};
    const auto selection = select(plan, machine);
    if (!selection || selection->choices.size() != 1 || !selection->choices[0].job) return "";
    return selection->choices[0].job->text();
}

// Rows of dst 4096 bytes apart share one set, so that panels are combined in a buffer: of 48 KiB 64 columns, of 32 KiB
// 32. Rows of src that share sets are pitched for narrow elements. Neither where rows lie an odd number of lines apart.
TEST(TransposeTile, panels_follow_from_ways_and_bytes_of_L1) {
    for (const int64_t l2 : {1 << 20, 2 << 20}) {
        EXPECT_TRUE(
            job_of(row(12, l2, true), DataType::f32, square(1024, 1024)).starts_with("panels 1024/128 . 1024/64"));
        EXPECT_TRUE(
            job_of(row(8, l2, false), DataType::f32, square(1024, 1024)).starts_with("panels 1024/128 . 1024/32"));
        for (const auto& machine : {row(12, l2, true), row(8, l2, false)}) {
            EXPECT_TRUE(job_of(machine, DataType::s8, square(1024, 1024)).starts_with("panels 1024/128 . 1024/256"));
            EXPECT_TRUE(job_of(machine, DataType::f32, square(1008, 1008)).starts_with("transpose 4B"));
            EXPECT_TRUE(job_of(machine, DataType::s8, square(960, 960)).starts_with("transpose 1B"));
        }
    }
}

} // namespace
} // namespace tessera::cpu
