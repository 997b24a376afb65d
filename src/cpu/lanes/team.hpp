// SPDX-License-Identifier: Apache-2.0
// Team: the threads of a call, where it is worth waking them, else the caller's alone.
#pragma once

#include "core/plan/cut.hpp"
#include "cpu/runtime/threads.hpp"

namespace tessera::cpu {

struct Team {
    const Threads& threads;
    int most; // threads

    // body(i) for every i < count, on any thread.
    template <typename Body> void run(int64_t count, const Body& body) const {
        if (most > 1 && count > 1) return for_chunks(count, most, threads, body);
        for (int64_t i = 0; i < count; ++i) body(i);
    }
    int64_t parts(int64_t items) const { return most > 1 ? chunks_of(items, most) : std::min<int64_t>(items, 1); }
};

} // namespace tessera::cpu
