// SPDX-License-Identifier: Apache-2.0
// Loops over k that both factors share.
// covers: MAT-01
#include "cpu/tiles/dot/loops.hpp"

#include <gtest/gtest.h>

namespace tessera::cpu {

TEST(DotLoops, are_the_refinement_of_both) {
    const auto of = [](const Modes& a, const Modes& b) { return common_loops(a, b).value_or(DotLoops{}); };
    EXPECT_EQ(of({{2, 6720}, {1920, 1}}, {{3840, 16}}).a, (Modes{{2, 6720}, {1920, 1}}));
    EXPECT_EQ(of({{2, 6720}, {1920, 1}}, {{3840, 16}}).b, (Modes{{2, 1920 * 16}, {1920, 16}}));
    EXPECT_EQ(of({{6, 1}}, {{2, 30}, {3, 5}}).a, (Modes{{2, 3}, {3, 1}}));
    EXPECT_EQ(of({{2, 100}, {12, 1}}, {{6, 90}, {4, 16}}).a, (Modes{{2, 100}, {3, 4}, {4, 1}}));
    EXPECT_EQ(of({{2, 100}, {12, 1}}, {{6, 90}, {4, 16}}).b, (Modes{{2, 270}, {3, 90}, {4, 16}}));
    EXPECT_FALSE(common_loops({{2, 100}, {3, 1}}, {{3, 100}, {2, 1}}));
    EXPECT_FALSE(common_loops({{4, 1}}, {{2, 1}}));
}

TEST(DotLoops, go_on_where_the_modes_do) {
    const Modes a{{2, 1000}, {6, 70}, {8, 1}}, b{{4, 5000}, {24, 16}};
    const auto loops = common_loops(a, b);
    ASSERT_TRUE(loops);
    for (int64_t k = 0; k < 96; ++k) {
        EXPECT_EQ(offset_in(loops->a, k), offset_in(a, k));
        EXPECT_EQ(offset_in(loops->b, k), offset_in(b, k));
    }
    EXPECT_EQ(dense_loops(b), (Modes{{4, 24}, {24, 1}}));
}

TEST(DotLoops, steps_of_panels) {
    EXPECT_EQ(without_steps({{2, 46080}, {960, 32}, {2, 1}}, 2), (Modes{{2, 46080}, {1920, 16}}));
    EXPECT_EQ(without_steps({{3, 960}, {60, 16}}, 1), (Modes{{3, 960}, {60, 16}}));
    EXPECT_FALSE(without_steps({{60, 32}, {2, 1}}, 4));
    EXPECT_FALSE(without_steps({{60, 48}, {2, 1}}, 2));
    EXPECT_FALSE(without_steps({{60, 1}}, 1));
    EXPECT_FALSE(without_steps({}, 1));
}

} // namespace tessera::cpu
