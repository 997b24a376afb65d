// SPDX-License-Identifier: Apache-2.0
// One problem, made and executed by two libraries in turns, on the same buffers.
//
// Creation is timed once for each library, cold: the process has made two other problems of the primitive before, so
// that the code of the library is in memory, and neither this problem nor (but for chance) its kernels. The first of
// two is slower: against itself a library had 0.97 of its speed, and 1.01 since each is first in half of a hunt's
// problems. Of executions the libraries take turns of some milliseconds, each of them first in half of the rounds; the
// speed is the median over the rounds of peer's time by ours, so that what slows both down for a while falls out. What
// `any` becomes is each library's choice. A library that needs more than half a second runs once.
#pragma once
#include <string>
#include <vector>

#include "tests/differential/problems/problem.hpp"

namespace hunt {

// Plain data, in memory that the process that asks shares: what was known is there when the contest crashes or hangs.
struct Outcome {
    char stage[32]{};      // what was being done
    char refusal[2][64]{}; // of ours and the peer, empty: taken
    bool done = false;
    double speed = 0;                     // peer's time by ours
    double execution[2]{}, creation[2]{}; // seconds, of ours and the peer: the least, the only
    char line[4096]{};                    // the problem as our library prints it in verbose mode
};

struct Contest {
    differential::Problem problem;
    std::vector<differential::Problem> before; // made first
    std::string ours, peer;                    // the libraries' files
    bool peer_first = false;                   // in creating
    double seconds = 0.08;                     // to spend on executions
};
void run(const Contest& contest, Outcome& outcome);

} // namespace hunt
