// SPDX-License-Identifier: Apache-2.0
// The copy that all printed fractions refer to: it is never slower than that of one thread, however busy the host is.
#include <algorithm>

#include <gtest/gtest.h>

#include "copy_limit.hpp"
#include "core/machine.hpp"

namespace tessera {
namespace {

static_assert(copy_team_bytes == Machine{}.parallel_bytes);

// A team of 64 on fewer cores waits milliseconds at its barrier, as one of 2 does beside busy neighbours; a copy on
// one thread takes 1 to 100 us here. Best of 20 each, in turns.
TEST(CopyLimit, never_waits_for_a_team) {
    for (const int64_t bytes :
         {int64_t(2000), int64_t(60 << 10), copy_team_bytes, copy_team_bytes + 4096, int64_t(2 << 20)}) {
        CopyLimit team(bytes, 64), alone(bytes, 1);
        double best_of_team = 1, best_alone = 1;
        for (int turn = 0; turn < 20; ++turn) {
            best_of_team = std::min(best_of_team, team.best_seconds(4));
            best_alone = std::min(best_alone, alone.best_seconds(4));
        }
        EXPECT_LT(best_of_team, 3 * best_alone) << bytes << " bytes";
    }
}

} // namespace
} // namespace tessera
