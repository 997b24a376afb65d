// SPDX-License-Identifier: Apache-2.0
// Which jobs count as following each other closely.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "cpu/runtime/succession.hpp"

namespace tessera::cpu {

using namespace std::chrono_literals;

TEST(Succession, is_quick_where_jobs_follow_each_other) {
    bool quick = false;
    for (int tries = 0; tries < 10000 && !quick; ++tries) quick = in_quick_succession(); // a busy machine may pause us
    EXPECT_TRUE(quick);
    std::this_thread::sleep_for(2ms);
    EXPECT_FALSE(in_quick_succession());
}

TEST(Succession, is_not_that_of_callers_in_turns) {
    for (int i = 0; i < 100; ++i) {
        in_quick_succession();
        bool other = true;
        std::thread([&] { other = in_quick_succession(); }).join();
        ASSERT_FALSE(other);
        ASSERT_FALSE(in_quick_succession());
    }
}

} // namespace tessera::cpu
