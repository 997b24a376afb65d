// for_chunks: each chunk exactly once, whoever calls, from wherever, however many at once.
// covers: THR-02 THR-05
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(TESSERA_RUNTIME_OMP)
#include <omp.h>
#endif

#include "cpu/exec/float_environment.hpp"
#include "cpu/exec/pool.hpp"
#include "cpu/exec/threads.hpp"

namespace tessera::cpu {
namespace {

void set_threads([[maybe_unused]] int threads) {
#if defined(TESSERA_RUNTIME_OMP)
    omp_set_num_threads(threads);
#endif
}

void spend(std::chrono::microseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {}
}

// Whether each of `chunks` ran once. `work` is spent in each, so that others have the time to take part.
bool once_each(int64_t chunks, std::chrono::microseconds work = {}) {
    std::vector<std::atomic<int>> runs(size_t(chunks) + 1);
    for_chunks(chunks, 64, Threads{}, [&](int64_t c) {
        spend(work);
        ++runs[size_t(c)];
    });
    for (size_t c = 0; c < size_t(chunks); ++c)
        if (runs[c] != 1) return false;
    return runs[size_t(chunks)] == 0;
}

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

#if defined(TESSERA_RUNTIME_OMP)
// Teams have a range of chunks for each member, up to 64; more members share them.
TEST_F(Pool, MoreThan64Members) {
    for (const int threads : {63, 64, 65, 100, 200}) {
        set_threads(threads);
        for (const int64_t chunks : {64, 65, 100, 199, 1000})
            ASSERT_TRUE(once_each(chunks)) << chunks << " chunks, " << threads << " threads";
    }
}

// OpenMP may give fewer members than it was asked for: those that came do the ranges of all. With dynamic teams it
// gives no more than there are processors, so this thread keeps one of them.
TEST_F(Pool, ATeamSmallerThanAskedFor) {
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
    set_threads(8);
    for (const int64_t chunks : {2, 8, 9, 1000}) EXPECT_TRUE(once_each(chunks)) << chunks << " chunks";
    omp_set_dynamic(0);
    ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
    if (members == 8) GTEST_SKIP() << "this run time of OpenMP gave all 8 members in spite of one processor";
}

// Helpers sleep some 200 us after their last job. Two chunks that wait for each other need one of them awake.
TEST_F(Pool, SleepingHelpersAreWoken) {
    for (int round = 0; round < 3; ++round) {
        std::atomic<int> inside{0};
        std::atomic<bool> late{false};
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        const auto meet = [&](int64_t) {
            ++inside;
            while (inside < 2 && !late) late = std::chrono::steady_clock::now() > end;
        };
        share(
            2, 1, [](const void* context, int64_t chunk) { (*static_cast<decltype(&meet)>(context))(chunk); }, &meet);
        EXPECT_FALSE(late) << "round " << round;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

TEST_F(Pool, InsideOfAParallelRegionTheThreadIsAlone) {
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

// Chunks that wait for each other: they end only if as many threads as chunks take part.
TEST_F(Pool, TheTeamIsTheCallersSetting) {
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
#endif

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
    {
#if defined(__SSE__)
        _mm_setcsr(_mm_getcsr() | 0x4000); // up
        const FloatEnvironment up;
        _mm_setcsr((_mm_getcsr() & ~0x6000u) | 0x2000); // down
        const float down = third();
        {
            const BorrowedFloats floats(up);
            EXPECT_GT(third(), down);
        }
        EXPECT_EQ(third(), down);
        _mm_setcsr(_mm_getcsr() & ~0x6000u);
#endif
    }
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
