// SPDX-License-Identifier: Apache-2.0
// What OpenMP alone has: parallel regions of the caller and teams of its choice. The helpers of ours:
// omp_share_test.cpp. covers: THR-02
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "cpu/runtime/threads.hpp"
#include "once_each.hpp"

namespace tessera::cpu {
namespace {

using test::once_each;

// OpenMP may give fewer members than it was asked for: those that came do the ranges of all. With dynamic teams it
// gives no more than there are processors, so this thread keeps one of them.
TEST(Omp, ATeamSmallerThanAskedFor) {
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    CPU_ZERO(&one);
    for (size_t p = 0; p < CPU_SETSIZE && !CPU_COUNT(&one); ++p)
        if (CPU_ISSET(p, &before)) CPU_SET(p, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    omp_set_dynamic(1);
    int members = 0;
#pragma omp parallel num_threads(8)
    if (omp_get_thread_num() == 0) members = omp_get_num_threads();
    omp_set_num_threads(8);
    for (const int64_t chunks : {2, 8, 9, 1000}) EXPECT_TRUE(once_each(chunks)) << chunks << " chunks";
    omp_set_dynamic(0);
    ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
    if (members == 8) GTEST_SKIP() << "this run time of OpenMP gave all 8 members in spite of one processor";
}

#if defined(__SSE__)
// The threads of a team live on, with the setting they were made with; a caller may have changed its own since.
TEST(Omp, MembersComputeInTheSettingOfThisCall) {
    constexpr unsigned to_zero = 0x6000, flush = 0x8040, rest = 0x1f80, sticky = 0x3f;
    const unsigned before = _mm_getcsr();
    omp_set_num_threads(2);
    std::atomic<int> wrong{0};
    for (int round = 0; round < 20; ++round)
        for (const unsigned control : {rest, rest | to_zero, rest | flush}) {
            _mm_setcsr(control);
            std::atomic<int> inside{0};
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            for_chunks(2, 64, Threads{}, [&](int64_t) { // each waits for the other one: a thread each
                ++inside;
                while (inside < 2 && std::chrono::steady_clock::now() < end) {}
                wrong += (_mm_getcsr() & ~sticky) != control;
            });
        }
    _mm_setcsr(before);
    EXPECT_EQ(wrong, 0);
}
#endif

TEST(Omp, InsideOfAParallelRegionTheThreadIsAlone) {
    std::atomic<int> moved{0}, runs{0};
#pragma omp parallel num_threads(3)
    {
        const auto self = std::this_thread::get_id();
        for_chunks(16, 64, Threads{}, [&](int64_t) {
            moved += std::this_thread::get_id() != self;
            ++runs;
        });
    }
    EXPECT_EQ(moved, 0);
    EXPECT_EQ(runs % 16, 0);
    EXPECT_GT(runs, 0);
}

} // namespace
} // namespace tessera::cpu
