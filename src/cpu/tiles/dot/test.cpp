// SPDX-License-Identifier: Apache-2.0
// Blocks of sums of products against the loop of contract.hpp: every block, strides of A, tails, types, numbers of
// steps; through the emitted code on the targets of this processor and through the interpreter for all targets.
// covers: MAT-01
#include "dot_block.hpp"

namespace tessera::cpu {

using namespace dot_test;

TEST(DotTile, blocks_that_fit) {
    const auto most = [](const Target& target, int panels) { return most_rows(target, {.panels = panels}); };
    EXPECT_EQ(most(avx512, 1), 28);
    EXPECT_EQ(most(avx512, 2), 14);
    EXPECT_EQ(most(avx512, 3), 9);
    EXPECT_EQ(most(avx512, 4), 6);
    EXPECT_EQ(most(avx512, 5), 0);
    EXPECT_EQ(most(avx2, 1), 6);
    EXPECT_EQ(most(avx2, 2), 2);
    EXPECT_FALSE(can_build_dot(avx2, {.tail = true}));
    EXPECT_FALSE(can_build_dot(avx512, {.tail = true, .last = 3}));
    EXPECT_FALSE(can_build_dot(avx2, {.last = 16}));
    EXPECT_FALSE(can_build_dot(avx2, {.last = -1}));
    DotSpec bytes{DotKind::s8_exact, 1, 1, DataType::u8, DataType::s8};
    bytes.last = 3; // of steps of four elements kernels read whole vectors
    EXPECT_FALSE(can_build_dot(avx2, bytes));
    bytes.b_whole = true;
    EXPECT_TRUE(can_build_dot(avx2, bytes));
    EXPECT_EQ(most_rows(avx2, {.panels = 1, .last = 8}), 13); // half a panel's registers
    EXPECT_EQ(most_rows(avx2, {.panels = 1, .last = 9}), 6);
    EXPECT_FALSE(can_build_dot(avx512, {.b = DataType::s4}));
}

TEST(DotTile, every_f32_block) {
    for (const Target& target : {avx2, avx512})
        for (int panels = 1; panels <= 4; ++panels)
            for (int rows = 1; rows <= most_rows(target, {.panels = panels}); ++rows)
                for (bool dense : {true, false}) {
                    DotSpec spec{.rows = rows, .panels = panels, .a_dense = dense};
                    ASSERT_NO_FATAL_FAILURE(
                        check(target, spec, {{.steps = 1}, {.steps = 4, .panels = true}, {7, 16, true}}));
                    spec.b_ahead = 64 * panels;
                    ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 9}}));
                }
}

TEST(DotTile, every_tail) {
    for (int64_t columns = 1; columns <= 16; ++columns)
        for (const auto& [rows, panels] : {std::pair{1, 1}, {8, 3}, {6, 4}}) {
            const DotSpec spec{.rows = rows, .panels = panels, .tail = true};
            ASSERT_NO_FATAL_FAILURE(check(avx512, spec, {{.steps = 5, .columns = columns}, {5, columns, true, true}}));
        }
}

// Of targets without masks: as many columns as the kernel was built for, of B in place or padded.
TEST(DotTile, every_last_panel) {
    for (int last = 1; last < 16; ++last)
        for (bool whole : {false, true})
            for (int panels : {1, 2})
                for (DataType b : {DataType::f32, DataType::bf16, DataType::s8}) {
                    DotSpec spec{.panels = panels, .b = b, .last = last, .b_whole = whole};
                    for (int rows : {1, most_rows(avx2, spec)}) {
                        spec.rows = rows;
                        ASSERT_NO_FATAL_FAILURE(
                            check(avx2, spec, {{.steps = 5, .panels = whole}, {9, 16, true, whole}}));
                    }
                }
    for (int last : {1, 7, 8, 9, 15})
        for (const Target& target : {avx2, avx2_vnni})
            for (DotKind kind : {DotKind::s8_exact, DotKind::u8s8, DotKind::bf16_fma}) {
                const bool pairs = kind == DotKind::bf16_fma;
                DotSpec spec{kind, 1, 1, pairs ? DataType::bf16 : DataType::u8, pairs ? DataType::bf16 : DataType::s8};
                spec.last = last, spec.b_whole = true;
                if (!can_build_dot(target, spec)) continue;
                for (int rows : {1, most_rows(target, spec)}) {
                    spec.rows = rows;
                    ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 5, .panels = true}, {9, 16, true, true}}));
                }
            }
}

TEST(DotTile, types_of_B_and_A) {
    for (const Target& target : {avx2, avx512})
        for (DataType type : {DataType::bf16, DataType::f16, DataType::s8, DataType::u8, DataType::f8_e5m2,
                              DataType::f8_e4m3, DataType::e8m0})
            for (int panels : {1, 2}) {
                DotSpec spec{.panels = panels, .b = type, .tail = target.masks};
                spec.rows = most_rows(target, spec);
                ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 5, .columns = 9}}));
                spec.a = type, spec.b = DataType::f32, spec.a_dense = panels == 1;
                spec.rows = most_rows(target, spec);
                ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 6, .columns = 16}}));
            }
}

TEST(DotTile, bf16) {
    DotSpec spec{DotKind::bf16, 8, 3, DataType::bf16, DataType::bf16};
    EXPECT_FALSE(can_build_dot(avx512, spec));
    EXPECT_FALSE(can_build_dot(avx2_vnni, spec));
    spec.b = DataType::f32;
    EXPECT_FALSE(can_build_dot(avx512_all, spec));
    for (bool dense : {true, false})
        for (const auto& [rows, panels] : {std::pair{1, 1}, {14, 2}, {6, 4}})
            for (bool tail : {true, false})
                ASSERT_NO_FATAL_FAILURE(
                    check(avx512_all, {DotKind::bf16, rows, panels, DataType::bf16, DataType::bf16, dense, tail},
                          {{.steps = 3}, {6, 9, true, true}}));
}

TEST(DotTile, bf16_by_fma) {
    EXPECT_FALSE(can_build_dot(avx512, {DotKind::bf16_fma, 1, 1, DataType::bf16, DataType::f32}));
    for (const Target& target : {avx2, avx512})
        for (DataType a : {DataType::f32, DataType::bf16})
            for (int panels = 1; panels <= 4; ++panels)
                for (bool dense : {true, false}) {
                    DotSpec spec{DotKind::bf16_fma, 1, panels, a, DataType::bf16, dense, target.masks && dense};
                    for (int rows : {1, most_rows(target, spec)}) {
                        spec.rows = rows;
                        if (!can_build_dot(target, spec)) continue;
                        ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 3}, {6, 9, true, true}}));
                    }
                }
}

TEST(DotTile, loops_over_k) {
    const DotSpec kinds[] = {{},
                             {DotKind::bf16, 1, 1, DataType::bf16, DataType::bf16},
                             {DotKind::u8s8, 1, 1, DataType::u8, DataType::s8},
                             {DotKind::s8_exact, 1, 1, DataType::s8, DataType::u8}};
    for (const Target& target : {avx2, avx512, avx512_all})
        for (const DotSpec& kind : kinds)
            for (int panels : {1, 3})
                for (bool dense : {true, false})
                    for (int loops : {2, 3, most_loops}) {
                        DotSpec spec = kind;
                        spec.panels = panels, spec.a_dense = dense, spec.loops = loops;
                        const int most = most_rows(target, spec);
                        for (int rows : {1, most}) {
                            spec.rows = rows;
                            if (!can_build_dot(target, spec)) continue;
                            Shape shape{.steps = 5, .accumulate = rows == 1, .panels = dense, .outer = {3}};
                            for (int i = 2; i < loops; ++i) shape.outer.push_back(i == 3 ? 1 : 2);
                            Shape short_one = shape, gaps = shape;
                            short_one.steps = 1, short_one.outer[0] = 1, gaps.b_gaps = true;
                            ASSERT_NO_FATAL_FAILURE(check(target, spec, {shape, short_one, gaps}));
                        }
                    }
    EXPECT_FALSE(can_build_dot(avx512, {.loops = most_loops + 1}));
}

} // namespace tessera::cpu
