// SPDX-License-Identifier: Apache-2.0
// covers: MAT-01
// Blocks of AMX tiles, through the interpreter where the processor has none.
#include "dot_block.hpp"

namespace tessera::cpu {

using namespace dot_test;

TEST(AmxTile, loops_over_k) {
    EXPECT_FALSE(can_build_dot(
        amx, {.kind = DotKind::amx_bf16, .rows = 16, .a = DataType::bf16, .b = DataType::bf16, .loops = 0}));
    for (const auto& [rows, panels] : {std::pair{16, 4}, {32, 2}})
        for (int loops : {2, 3, most_loops}) {
            DotSpec spec{DotKind::amx_int8, rows, panels, DataType::u8, DataType::s8};
            spec.loops = loops;
            Shape shape{.steps = 2, .panels = true, .rows = rows - 3, .outer = {3}};
            for (int i = 2; i < loops; ++i) shape.outer.push_back(2);
            Shape gaps = shape;
            gaps.b_gaps = true, gaps.outer[0] = 2;
            ASSERT_NO_FATAL_FAILURE(check_tiles(spec, {shape, gaps}));
        }
}

TEST(AmxTile, every_block) {
    const DotSpec good{DotKind::amx_bf16, 32, 2, DataType::bf16, DataType::bf16};
    EXPECT_TRUE(can_build_dot(amx, good));
    EXPECT_FALSE(can_build_dot(avx512_all, good));
    Target without_f16 = amx;
    without_f16.amx_f16 = false;
    EXPECT_FALSE(can_build_dot(without_f16, {DotKind::amx_f16, 32, 2, DataType::f16, DataType::f16}));
    for (const auto& [rows, panels] : {std::pair{32, 3}, {16, 5}, {20, 1}, {48, 1}, {0, 1}})
        EXPECT_FALSE(can_build_dot(amx, {DotKind::amx_bf16, rows, panels, DataType::bf16, DataType::bf16}));
    for (const auto& [rows, panels] : {std::pair{16, 1}, {16, 2}, {16, 3}, {16, 4}, {32, 1}, {32, 2}}) {
        DotSpec spec{DotKind::amx_bf16, rows, panels, DataType::bf16, DataType::bf16};
        EXPECT_EQ(dot_tiles(spec, rows, 16), dot_tiles(good, 32, 16));
        const std::vector<Shape> shapes{{.steps = 1, .panels = true},
                                        {3, 16, true, true},
                                        {2, 5, false, true, rows - 5},
                                        {2, 1, true, true, rows - 15},
                                        {.steps = 1, .columns = 7, .panels = true, .groups = 3}};
        for (bool passes : {false, true}) {
            spec.a_transient = passes, spec.ahead = passes && panels <= 2 ? 4 : 0;
            ASSERT_NO_FATAL_FAILURE(check_tiles(spec, shapes));
        }
        spec.a_transient = false, spec.ahead = 0, spec.b_transient = true;
        ASSERT_NO_FATAL_FAILURE(check_tiles(spec, shapes));
        ASSERT_NO_FATAL_FAILURE(check_tiles({DotKind::amx_f16, rows, panels, DataType::f16, DataType::f16}, shapes));
        for (DataType a : {DataType::u8, DataType::s8})
            for (DataType b : {DataType::u8, DataType::s8})
                ASSERT_NO_FATAL_FAILURE(check_tiles({DotKind::amx_int8, rows, panels, a, b}, shapes));
    }
}

} // namespace tessera::cpu
