// SPDX-License-Identifier: Apache-2.0
#include "cpu/runtime/succession.hpp"

#include <atomic>
#include <chrono>

#include <pthread.h>

namespace tessera::cpu {

namespace {

// libgomp's team looks for work for milliseconds, the library's own helpers for 205 us (pool.cpp).
constexpr auto awake = std::chrono::microseconds(200);

std::atomic<pthread_t> last_caller{};
std::atomic<std::chrono::steady_clock::rep> last_start{};

} // namespace

bool in_quick_succession() {
    const pthread_t caller = pthread_self();
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const auto before =
        std::chrono::steady_clock::duration(last_start.exchange(now.count(), std::memory_order_relaxed));
    const bool same = pthread_equal(last_caller.exchange(caller, std::memory_order_relaxed), caller);
    return same && now - before < awake;
}

} // namespace tessera::cpu
