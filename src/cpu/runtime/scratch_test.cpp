// SPDX-License-Identifier: Apache-2.0
// Which thread gets which idle buffer.
#include <array>
#include <barrier>
#include <thread>

#include <gtest/gtest.h>

#include "cpu/runtime/scratch.hpp"

namespace tessera::cpu {

TEST(Scratch, returns_to_the_thread_that_had_it_last) {
    constexpr int rounds = 20, threads = 2;
    std::barrier all(threads);
    std::array<std::array<char*, rounds>, threads> had{};
    const auto work = [&](int self) {
        for (int round = 0; round < rounds; ++round) {
            {
                const Scratch scratch(64 << 10);
                had[size_t(self)][size_t(round)] = scratch.data();
                all.arrive_and_wait();
                if (round % threads != self) all.arrive_and_wait(); // the other one gives its buffer back first
            }
            if (round % threads == self) all.arrive_and_wait();
            all.arrive_and_wait();
        }
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    for (const auto& mine : had)
        for (char* const data : mine) EXPECT_EQ(data, mine[0]);
    EXPECT_NE(had[0][0], had[1][0]);
}

TEST(Scratch, of_an_ended_thread_is_used_again) {
    char* first = nullptr;
    std::thread([&] { first = Scratch(1 << 20).data(); }).join();
    const Scratch scratch(1 << 20);
    EXPECT_EQ(scratch.data(), first);
}

} // namespace tessera::cpu
