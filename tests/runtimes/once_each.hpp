// SPDX-License-Identifier: Apache-2.0
// What for_chunks promises, looked at from outside.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "cpu/runtime/threads.hpp"

namespace tessera::test {

inline void spend(std::chrono::microseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {}
}

// Whether each of `chunks` ran once. `work` is spent in each, so that others have the time to take part.
inline bool once_each(int64_t chunks, std::chrono::microseconds work = {}) {
    std::vector<std::atomic<int>> runs(size_t(chunks) + 1);
    cpu::for_chunks(chunks, 64, Threads{}, [&](int64_t c) {
        spend(work);
        ++runs[size_t(c)];
    });
    for (size_t c = 0; c < size_t(chunks); ++c)
        if (runs[c] != 1) return false;
    return runs[size_t(chunks)] == 0;
}

} // namespace tessera::test
