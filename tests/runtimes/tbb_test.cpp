// SPDX-License-Identifier: Apache-2.0
// What oneTBB alone has: arenas, limits, groups of tasks.
// covers: THR-03
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "cpu/runtime/threads.hpp"

namespace tessera::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// More threads than this machine may have processors.
class Tbb : public testing::Test {
    tbb::global_control many_{tbb::global_control::max_allowed_parallelism, 8};
};

struct Work {
    std::set<std::thread::id> threads;
    int runs = 0, most = 0; // chunks in all, and at once
};

Work work_of(int64_t chunks) {
    Work w;
    std::mutex mutex;
    int now = 0;
    for_chunks(chunks, 64, Threads{}, [&](int64_t) {
        {
            const std::lock_guard lock(mutex);
            w.threads.insert(std::this_thread::get_id());
            ++w.runs;
            w.most = std::max(w.most, ++now);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        const std::lock_guard lock(mutex);
        --now;
    });
    return w;
}

TEST_F(Tbb, AnArenaHasTheThreadsItHas) {
    for (const int slots : {1, 2, 3, 5}) {
        tbb::task_arena arena(slots);
        arena.execute([&] {
            EXPECT_EQ(max_threads(), slots);
            const Work w = work_of(100);
            EXPECT_EQ(w.runs, 100);
            EXPECT_LE(w.most, slots);
        });
    }
}

// Chunks that wait for each other end only if as many threads as chunks take part.
TEST_F(Tbb, AllSlotsTakePart) {
    for (const int slots : {2, 4}) {
        tbb::task_arena arena(slots);
        std::atomic<int> inside{0};
        std::atomic<bool> late{false};
        const auto end = Clock::now() + std::chrono::seconds(20);
        arena.execute([&] {
            for_chunks(slots, 64, Threads{}, [&](int64_t) {
                ++inside;
                while (inside < slots && !late) late = Clock::now() > end;
            });
        });
        EXPECT_FALSE(late) << slots << " slots";
    }
}

TEST_F(Tbb, TheProgramsLimitHolds) {
    tbb::task_arena arena(4);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    arena.execute([&] {
        EXPECT_EQ(max_threads(), 1);
        EXPECT_EQ(work_of(50).threads.size(), 1u);
    });
}

// The tasks of a program that call the library get no threads besides their arena's.
TEST_F(Tbb, CallsFromTasksShareTheArena) {
    constexpr int slots = 3;
    tbb::task_arena arena(slots);
    std::atomic<int> now{0}, most{0}, runs{0};
    arena.execute([&] {
        tbb::parallel_for(0, 12, [&](int) {
            for_chunks(20, 64, Threads{}, [&](int64_t) {
                const int n = ++now;
                for (int seen = most; n > seen && !most.compare_exchange_weak(seen, n);) {}
                std::this_thread::sleep_for(std::chrono::microseconds(50));
                --now;
                ++runs;
            });
        });
    });
    EXPECT_EQ(runs, 240);
    EXPECT_LE(most, slots);
}

// A caller that waits for the others' chunks holds what it holds: a lock that another task of the program wants, too.
TEST_F(Tbb, AWaitingCallerBeginsNothingElse) {
    constexpr int slots = 4;
    tbb::task_arena arena(slots);
    thread_local static bool calling = false;
    std::atomic<int> within{0}, ran{0};
    arena.execute([&] {
        tbb::task_group group;
        for (int t = 0; t < 64; ++t)
            group.run([&] {
                within += calling;
                ++ran;
                calling = true;
                for_chunks(8, 64, Threads{}, [&](int64_t c) {
                    std::this_thread::sleep_for(std::chrono::microseconds(c % 2 ? 300 : 20));
                });
                calling = false;
            });
        group.wait();
    });
    EXPECT_EQ(ran, 64);
    EXPECT_EQ(within, 0) << "tasks that began while their thread waited inside of the library";
}

// Whatever becomes of the program's tasks: a call that returns has run every chunk, on all threads.
TEST_F(Tbb, ACancelledGroupCancelsNoChunk) {
    constexpr int slots = 3;
    tbb::task_arena arena(slots);
    std::atomic<int> inside{0};
    std::atomic<bool> late{false};
    const auto end = Clock::now() + std::chrono::seconds(20);
    arena.execute([&] {
        tbb::task_group group;
        group.run_and_wait([&] {
            group.cancel();
            for_chunks(slots, 64, Threads{}, [&](int64_t) {
                ++inside;
                while (inside < slots && !late) late = Clock::now() > end;
            });
        });
    });
    EXPECT_EQ(inside, slots);
    EXPECT_FALSE(late);
}

#if defined(__SSE__)
// TBB carries the setting that the thread had when it entered its arena; what counts is that of the call.
TEST_F(Tbb, ChunksComputeInTheSettingOfTheCall) {
    tbb::task_arena arena(4);
    const unsigned before = _mm_getcsr() & ~0x3fu;
    std::atomic<int> wrong{0};
    arena.execute([&] {
        for (int i = 0; i < 50; ++i) {
            const unsigned control = i % 2 ? before : before | 0xe040; // toward zero, denormals as zeros
            _mm_setcsr(control);
            for_chunks(16, 64, Threads{}, [&](int64_t) {
                wrong += (_mm_getcsr() & ~0x3fu) != control;
                std::this_thread::sleep_for(std::chrono::microseconds(20));
            });
            wrong += (_mm_getcsr() & ~0x3fu) != control;
        }
        _mm_setcsr(before);
    });
    EXPECT_EQ(wrong, 0);
}
#endif

// The threads of TBB stay with the parent, and so may its locks: the child works alone.
TEST_F(Tbb, AForkedChildAsksTbbNothing) {
    EXPECT_EQ(work_of(20).runs, 20);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        const Work w = work_of(20);
        _exit(max_threads() == 1 && w.runs == 20 && w.threads.size() == 1 ? 0 : 1);
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    EXPECT_EQ(status, 0);
    EXPECT_GT(max_threads(), 1);
}

} // namespace
} // namespace tessera::cpu
