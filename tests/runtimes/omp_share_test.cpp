// SPDX-License-Identifier: Apache-2.0
// share(): the library's own helpers, asked for without OpenMP's team in front of them. for_chunks() comes to them only
// after a stall or in a forked child, so its tests (src/cpu/runtime/pool_test.cpp) seldom do.
// covers: THR-02
#include "cpu/runtime/pool.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace tessera::cpu {
namespace {

using std::chrono::milliseconds;

template <typename Body> void shared(int64_t chunks, int helpers, const Body& body) {
    share(
        chunks, helpers, [](const void* context, int64_t c) { (*static_cast<const Body*>(context))(c); }, &body);
}

// Whether two chunks can run at once: each waits for the other one to begin, for 20 s at most.
bool two_meet(int helpers) {
    std::atomic<int> inside{0};
    std::atomic<bool> late{false};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    shared(2, helpers, [&](int64_t) {
        ++inside;
        while (inside < 2 && !late) late = std::chrono::steady_clock::now() > end;
    });
    return !late;
}

} // namespace

// Helpers sleep some 200 us after their last job.
TEST(Share, sleeping_helpers_are_woken) {
    for (int round = 0; round < 3; ++round) {
        EXPECT_TRUE(two_meet(1)) << "round " << round;
        std::this_thread::sleep_for(milliseconds(20));
    }
}

// The caller has nothing left to do while a helper works on: it sleeps until that one has ended.
TEST(Share, the_caller_waits_for_the_last_chunk) {
    for (int round = 0; round < 3; ++round) {
        std::atomic<int> inside{0}, ended{0};
        const auto caller = std::this_thread::get_id();
        shared(2, 1, [&](int64_t) {
            ++inside;
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (inside < 2 && std::chrono::steady_clock::now() < end) {}
            if (std::this_thread::get_id() != caller) std::this_thread::sleep_for(milliseconds(20));
            ++ended;
        });
        EXPECT_EQ(ended, 2);
        std::this_thread::sleep_for(milliseconds(30)); // what would still run reads this frame
    }
}

TEST(Share, each_chunk_once) {
    for (const int64_t chunks : {1, 2, 3, 64, 1000})
        for (const int helpers : {0, 1, 3})
            for (int round = 0; round < 20; ++round) {
                std::vector<std::atomic<int>> runs(size_t(chunks) + 1);
                shared(chunks, helpers, [&](int64_t c) { ++runs[size_t(c)]; });
                for (int64_t c = 0; c < chunks; ++c) ASSERT_EQ(runs[size_t(c)], 1) << c << " of " << chunks;
            }
}

// There are three helpers after the first call; the second one asks for one of them.
TEST(Share, no_more_helpers_than_asked_for) {
    shared(64, 3, [](int64_t) { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
    std::atomic<int> inside{0}, most{0};
    shared(64, 1, [&](int64_t) {
        const int now = ++inside;
        for (int known = most; now > known && !most.compare_exchange_weak(known, now);) {}
        std::this_thread::sleep_for(std::chrono::microseconds(500));
        --inside;
    });
    EXPECT_EQ(most, 2);
}

// A chunk that shares chunks of its own does them alone: helpers that wait for helpers could wait for each other.
TEST(Share, chunks_of_chunks_stay_on_their_thread) {
    std::atomic<int> moved{0}, runs{0};
    for (int round = 0; round < 20; ++round)
        shared(4, 3, [&](int64_t) {
            EXPECT_TRUE(inside_shared_chunk());
            const auto self = std::this_thread::get_id();
            shared(5, 3, [&](int64_t) {
                moved += std::this_thread::get_id() != self;
                std::this_thread::sleep_for(std::chrono::microseconds(20));
                ++runs;
            });
        });
    EXPECT_EQ(moved, 0);
    EXPECT_EQ(runs, 20 * 4 * 5);
    EXPECT_FALSE(inside_shared_chunk());
}

// Signals of the program are for its own threads; making helpers leaves the mask of the one who asked as it was.
TEST(Share, helpers_take_no_signals) {
    sigset_t mine, before, after;
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR2);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &mine, &before), 0);
    constexpr int helpers = 6; // more than other tests ask for: some are made now
    const auto caller = std::this_thread::get_id();
    std::atomic<int> by_helpers{0}, open{0}, inside{0};
    shared(helpers + 1, helpers, [&](int64_t) { // one each
        ++inside;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (inside < helpers + 1 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        if (std::this_thread::get_id() == caller) return;
        ++by_helpers;
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        for (const int signal :
             {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCHLD, SIGPROF, SIGWINCH})
            open += sigismember(&blocked, signal) == 0;
    });
    pthread_sigmask(SIG_SETMASK, &before, &after);
    EXPECT_EQ(by_helpers, helpers);
    EXPECT_EQ(open, 0);
    for (int signal = 1; signal < 32; ++signal)
        EXPECT_EQ(sigismember(&after, signal), sigismember(&mine, signal)) << "signal " << signal;
}

// Callers and helpers that sleep and wake in every order, more of them than processors: all chunks are done, and nobody
// waits for ever.
TEST(Share, nobody_sleeps_for_ever) {
    alarm(60); // ends a process that hangs
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    const auto now_before_end = [&] { return std::chrono::steady_clock::now() < end; };
    std::atomic<int> wrong{0};
    std::vector<std::thread> all;
    for (int t = 0; t < 2; ++t) // take processors away in the middle of everything
        all.emplace_back([&] {
            while (now_before_end()) {}
        });
    for (int t = 0; t < 5; ++t)
        all.emplace_back([&, t] {
            std::minstd_rand random(static_cast<unsigned>(t + 1));
            while (now_before_end()) {
                const int64_t chunks = 2 + int64_t(random() % 4);
                std::atomic<int64_t> done{0};
                shared(chunks, 3, [&](int64_t c) { // shorter and longer than a caller looks before it sleeps
                    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(c * 7 % 19);
                    while (std::chrono::steady_clock::now() < until) {}
                    ++done;
                });
                wrong += done != chunks;
                if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 400));
            }
        });
    for (std::thread& t : all) t.join();
    alarm(0);
    EXPECT_EQ(wrong, 0);
}

#if defined(__SSE__)
TEST(Share, helpers_compute_in_the_callers_environment) {
    constexpr unsigned to_zero = 0x6000, flush = 0x8040, rest = 0x1f80, sticky = 0x3f;
    const unsigned before = _mm_getcsr();
    std::atomic<int> wrong{0}, by_helpers{0};
    const auto caller = std::this_thread::get_id();
    for (const unsigned control : {rest, rest | to_zero, rest | flush, rest}) {
        _mm_setcsr(control);
        std::atomic<int> inside{0};
        shared(2, 1, [&](int64_t) { // one each
            ++inside;
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (inside < 2 && std::chrono::steady_clock::now() < end) {}
            by_helpers += std::this_thread::get_id() != caller;
            wrong += (_mm_getcsr() & ~sticky) != control;
        });
    }
    _mm_setcsr(before);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(by_helpers, 4);
}
#endif

} // namespace tessera::cpu
