// SPDX-License-Identifier: Apache-2.0
// for_chunks: each chunk exactly once, whoever calls, from wherever, however many at once.
// covers: THR-02 THR-05
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu/runtime/float_environment.hpp"
#include "cpu/runtime/ranges.hpp"
#include "cpu/runtime/threads.hpp"
#include "once_each.hpp"
#include "this_runtime.hpp"

namespace tessera::cpu {
namespace {

using test::once_each;
using test::set_threads;
using test::spend;

class Pool : public testing::Test {
protected:
    void SetUp() override { set_threads(4); }
};

TEST_F(Pool, EachChunkOnce) {
    for (int threads : {1, 2, 3, 8, 4})
        for (int64_t chunks : {0, 1, 2, 3, 16, 1000}) {
            set_threads(threads);
            for (int i = 0; i < 50; ++i)
                ASSERT_TRUE(once_each(chunks)) << chunks << " chunks, " << threads << " threads";
        }
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(once_each(8, std::chrono::microseconds(100)));
}

TEST_F(Pool, ManyCallersAtOnce) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 24; ++t) // more than there is room for: the others work alone
        callers.emplace_back([&wrong, t] {
            set_threads(1 + t % 5);
            for (int i = 0; i < 300; ++i) wrong += !once_each(i % 40, std::chrono::microseconds(i % 3));
        });
    for (std::thread& t : callers) t.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(Pool, NestedCallsStayOnTheirThread) {
    if (runtime() == Runtime::tbb) GTEST_SKIP() << "an arena's threads share nested calls";
    std::atomic<int> moved{0}, runs{0};
    for (int i = 0; i < 50; ++i)
        for_chunks(8, 64, Threads{}, [&](int64_t) {
            const auto self = std::this_thread::get_id();
            for_chunks(5, 64, Threads{}, [&](int64_t) {
                moved += std::this_thread::get_id() != self;
                ++runs;
            });
        });
    EXPECT_EQ(moved, 0);
    EXPECT_EQ(runs, 50 * 8 * 5);
}

// Teams have a range of chunks for each member, up to 64; more members share them, and nothing lies behind the last.
TEST(Ranges, MoreThan64Members) {
    for (const int team : {1, 2, 63, 64, 65, 200})
        for (const int64_t chunks : {1, 64, 65, 199, 1000}) {
            constexpr size_t behind = 64 * 256;
            alignas(64) unsigned char place[sizeof(Ranges) + behind];
            std::memset(place, 0xa5, sizeof place);
            Ranges& ranges = *new (place) Ranges(chunks, team);
            std::vector<int> runs(static_cast<size_t>(chunks));
            const auto body = [](const void* context, int64_t c) {
                ++(*static_cast<std::vector<int>*>(const_cast<void*>(context)))[size_t(c)];
            };
            int64_t done = 0;
            for (const int member : {team - 1, team / 2, 0}) done += ranges.work(member, body, &runs);
            EXPECT_EQ(done, chunks);
            EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), chunks) << team << " members";
            EXPECT_TRUE(std::all_of(place + sizeof(Ranges), place + sizeof place, [](int b) { return b == 0xa5; }))
                << team << " members";
        }
}

TEST_F(Pool, MoreThan64Members) {
    if (!test::threads_can_be_set()) GTEST_SKIP() << "the caller has no setting";
    for (const int threads : {63, 64, 65, 100, 200}) {
        set_threads(threads);
        for (const int64_t chunks : {64, 65, 100, 199, 1000})
            ASSERT_TRUE(once_each(chunks)) << chunks << " chunks, " << threads << " threads";
    }
}

// Chunks that wait for each other: they end only if as many threads as chunks take part.
TEST_F(Pool, TheTeamIsTheCallersSetting) {
    if (!test::threads_can_be_set()) GTEST_SKIP() << "the caller has no setting";
    for (int threads : {2, 4}) {
        set_threads(threads);
        std::atomic<int> inside{0};
        std::atomic<bool> late{false};
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        for_chunks(threads, 64, Threads{}, [&](int64_t) {
            ++inside;
            while (inside < threads && !late) late = std::chrono::steady_clock::now() > end;
        });
        EXPECT_FALSE(late) << threads << " threads";
    }
    set_threads(2); // there are three helpers by now, and one may help
    std::atomic<int> inside{0}, most{0};
    for_chunks(64, 64, Threads{}, [&](int64_t) {
        const int now = ++inside;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {}
        spend(std::chrono::microseconds(200));
        --inside;
    });
    EXPECT_LE(most, 2);
}

#if defined(__SSE__)
// Two callers with different settings at once; the helpers compute in the setting of whom they work for.
TEST_F(Pool, HelpersComputeInTheCallersEnvironment) {
    constexpr unsigned to_zero = 0x6000, flush = 0x8040, rest = 0x1f80;
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (unsigned control : {rest, rest | to_zero | flush})
        callers.emplace_back([&wrong, control] {
            set_threads(3);
            _mm_setcsr(control);
            for (int i = 0; i < 200; ++i)
                for_chunks(16, 64, Threads{}, [&](int64_t) {
                    spend(std::chrono::microseconds(5));
                    wrong += (_mm_getcsr() & ~0x3fu) != control;
                });
            wrong += (_mm_getcsr() & ~0x3fu) != control;
        });
    for (std::thread& t : callers) t.join();
    EXPECT_EQ(wrong, 0);
}
#endif

TEST_F(Pool, BorrowedFloatsGoBack) {
    const auto third = [] {
        volatile float one = 1, three = 3;
        return one / three;
    };
    const float nearest = third();
    std::fesetround(FE_UPWARD);
    const FloatEnvironment up;
    std::fesetround(FE_DOWNWARD);
    const float down = third();
    {
        const BorrowedFloats floats(up);
        EXPECT_GT(third(), down);
    }
    EXPECT_EQ(third(), down);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(third(), nearest);
}

TEST_F(Pool, ThrowingChunksThrowOnceAtTheCaller) {
    for (int i = 0; i < 50; ++i) {
        std::atomic<int> inside{0};
        const auto call = [&] {
            for_chunks(16, 64, Threads{}, [&](int64_t c) {
                ++inside;
                spend(std::chrono::microseconds(5));
                --inside;
                if (c % 3 == 1) throw std::runtime_error("chunk");
            });
        };
        EXPECT_THROW(call(), std::runtime_error);
        EXPECT_EQ(inside, 0);
    }
    EXPECT_TRUE(once_each(100));
}

// 0 when the child, which has none of the parent's threads, ran every chunk and ended within 20 s.
int run_child(bool destructors) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        for (int i = 0; i < 20; ++i)
            if (!once_each(16, std::chrono::microseconds(20))) _exit(1);
        if (destructors) std::exit(0);
        _exit(0); // what the other threads of the parent held is nobody's here: a leak to leak checkers
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

TEST_F(Pool, ChildrenHaveTheirOwnHelpers) {
    EXPECT_TRUE(once_each(16, std::chrono::microseconds(50)));
    EXPECT_EQ(run_child(true), 0);
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> busy; // forks in the middle of the work of others
    for (int t = 0; t < 2; ++t)
        busy.emplace_back([&] {
            set_threads(3);
            while (!stop) wrong += !once_each(16, std::chrono::microseconds(3));
        });
    for (int i = 0; i < 10; ++i) EXPECT_EQ(run_child(false), 0);
    stop = true;
    for (std::thread& t : busy) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(once_each(16, std::chrono::microseconds(50)));
}

} // namespace
} // namespace tessera::cpu
