// SPDX-License-Identifier: Apache-2.0
// Which calls go to the library's own helpers, because a member of the OpenMP team was preempted a while ago: 4 calls
// after one stall, four times as many after each further one up to 256, and 4 again once the team had 64 calls without
// any. Two threads beside a program whose OpenMP threads spin, 1024^3 of bytes, another process taking a core for 15 ms
// now and then: with 256 calls each time, five of six processes ran at half speed, now none. Counts that threads lose
// by racing are as good.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

namespace tessera::cpu {

class Stalls {
public:
    static constexpr int fewest = 4, most = 256, calm = 64;

    // Whether this call may go to the team.
    bool allow_team() {
        const int left = left_.load(relaxed);
        if (left > 0 && left != never) left_.store(left - 1, relaxed);
        return left == 0;
    }
    // What a call of the team was like.
    void note(bool stalled) {
        const int calls = next_.load(relaxed);
        if (stalled) {
            quiet_.store(0, relaxed);
            next_.store(std::min(4 * calls, most), relaxed);
            int left = left_.load(relaxed);
            while (left < calls && !left_.compare_exchange_weak(left, calls, relaxed)) {}
        } else if (calls > fewest && quiet_.fetch_add(1, relaxed) + 1 >= calm) {
            quiet_.store(0, relaxed);
            next_.store(fewest, relaxed);
        }
    }
    void forbid_team() { left_.store(never, relaxed); } // for good

private:
    static constexpr auto relaxed = std::memory_order_relaxed;
    static constexpr int never = std::numeric_limits<int>::max();
    std::atomic<int> left_{0}, next_{fewest}, quiet_{0};
};

} // namespace tessera::cpu
