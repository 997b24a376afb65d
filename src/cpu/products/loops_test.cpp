// SPDX-License-Identifier: Apache-2.0
// Loops over k that both factors share.
// covers: MAT-01
#include "cpu/products/loops.hpp"

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
}

// What the kernel does with the arguments, step by step.
TEST(DotLoops, walks_go_where_the_loops_do) {
    const DotWalk walks[] = {{{{40, 4, 64}}},
                             {{{3, 1000, 7000}, {5, 4, 64}}},
                             {{{2, 90000, 10}, {3, 5000, 700}, {2, 100, 3000}, {4, 8, 128}}}};
    for (const DotWalk& walk : walks) {
        int64_t all = 1;
        for (const DotLoop& loop : walk.loops) all *= loop.count;
        int64_t inside = 1; // steps of a turn of a loop
        for (size_t loop = walk.loops.size(); loop-- > 0; inside *= walk.loops[loop].count)
            for (int64_t turns = 1; turns <= walk.loops[loop].count; ++turns)
                for (int64_t first = 0; first + turns * inside <= all; first += turns * inside) {
                    const bool crosses = first / inside % walk.loops[loop].count + turns > walk.loops[loop].count;
                    if (crosses && loop) continue; // no part of k
                    DotArgs args{};
                    walk.set(args, turns * inside);
                    int64_t steps = first;
                    DotLoop at = walk.at(first);
                    const auto run = [&](const auto& self, size_t around) -> void {
                        const int64_t count = around ? args.outer[around - 1].count : args.steps;
                        for (int64_t turn = 0; turn < count; ++turn) {
                            if (around) {
                                self(self, around - 1);
                                at.a += args.outer[around - 1].a, at.b += args.outer[around - 1].b;
                                continue;
                            }
                            const DotLoop expected = walk.at(steps++);
                            EXPECT_EQ(at.a, expected.a);
                            EXPECT_EQ(at.b, expected.b);
                            at.a += walk.loops.back().a, at.b += walk.loops.back().b;
                        }
                    };
                    run(run, walk.loops.size() - 1);
                    EXPECT_EQ(steps, first + turns * inside);
                }
    }
    const DotLoop end = walks[2].at(2 * 3 * 2 * 4 - 1);
    EXPECT_EQ(end.a, 90000 + 2 * 5000 + 100 + 3 * 8);
    EXPECT_EQ(end.b, 10 + 2 * 700 + 3000 + 3 * 128);
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
