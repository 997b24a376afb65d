// What OpenMP alone has: parallel regions of the caller and teams of its choice. The helpers of ours:
// omp_share_test.cpp. covers: THR-02
#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include "cpu/exec/threads.hpp"
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
