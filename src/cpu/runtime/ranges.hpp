// SPDX-License-Identifier: Apache-2.0
// The chunks of a call, split into one contiguous range for each member of a team: a member takes the chunks of its own
// range first, then steals from the others. Neighbouring chunks share cache lines and pages, so they should run on one
// core, and on the same one in the next call.
//
//   Ranges ranges(chunks, team);              // on the caller's stack, until no member works any more
//   ranges.work(member, body, context);       // on each member's thread: 0 <= member; the number of chunks it ran
//
// Each chunk is run once, however many members come, in whichever order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "cpu/runtime/threads.hpp"

namespace tessera::cpu {

class Ranges {
public:
    Ranges(int64_t chunks, int team) : chunks_(chunks), count_(std::min(team, most)) {
        for (int r = 0; r < count_; ++r) range_[r].next.store(begin(r), std::memory_order_relaxed);
    }
    int64_t work(int member, ChunkBody body, const void* context) {
        int64_t done = 0;
        for (int i = 0; i < count_; ++i) {
            const int r = (member + i) % count_;
            auto& next = range_[r].next;
            const int64_t end = begin(r + 1);
            for (int64_t c; (c = next.fetch_add(1, std::memory_order_relaxed)) < end; ++done) body(context, c);
        }
        return done;
    }

private:
    static constexpr int most = 64; // more members share ranges
    int64_t begin(int r) const { return chunks_ * r / count_; }
    int64_t chunks_;
    int count_;
    struct alignas(64) Range {
        std::atomic<int64_t> next;
    } range_[most];
};

inline void run_here(int64_t chunks, ChunkBody body, const void* context) {
    for (int64_t c = 0; c < chunks; ++c) body(context, c);
}

} // namespace tessera::cpu
