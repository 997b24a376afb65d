// SPDX-License-Identifier: Apache-2.0
// How many calls keep away from the OpenMP team after it stalled.
#include <gtest/gtest.h>

#include "cpu/runtime/stalls.hpp"

namespace tessera::cpu {

namespace {

int calls_without_team(Stalls& stalls) {
    int calls = 0;
    while (calls < 1000 && !stalls.allow_team()) ++calls;
    return calls;
}

} // namespace

TEST(Stalls, one_costs_few_calls) {
    Stalls stalls;
    EXPECT_TRUE(stalls.allow_team());
    stalls.note(true);
    EXPECT_EQ(calls_without_team(stalls), Stalls::fewest);
    EXPECT_TRUE(stalls.allow_team());
}

TEST(Stalls, each_further_one_costs_more) {
    Stalls stalls;
    for (const int expected : {4, 16, 64, 256, 256}) {
        stalls.note(true);
        EXPECT_EQ(calls_without_team(stalls), expected);
        for (int i = 1; i < Stalls::calm; ++i) stalls.note(false);
    }
}

TEST(Stalls, calm_calls_make_up_for_them) {
    Stalls stalls;
    for (int i = 0; i < 3; ++i) stalls.note(true);
    EXPECT_EQ(calls_without_team(stalls), 64);
    for (int i = 0; i < Stalls::calm; ++i) stalls.note(false);
    stalls.note(true);
    EXPECT_EQ(calls_without_team(stalls), Stalls::fewest);
}

TEST(Stalls, two_at_once_do_not_shorten_the_first) {
    Stalls stalls;
    for (int i = 0; i < 4; ++i) stalls.note(true);
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(stalls.allow_team());
    stalls.note(true);
    EXPECT_EQ(calls_without_team(stalls), Stalls::most);
}

TEST(Stalls, a_forked_child_never_asks_the_team) {
    Stalls stalls;
    stalls.forbid_team();
    stalls.note(false);
    EXPECT_EQ(calls_without_team(stalls), 1000);
}

} // namespace tessera::cpu
