// SPDX-License-Identifier: Apache-2.0
// Problems as keys of a cache: equality of everything that decides the result, and a hash that goes with it.
//
// Law: same_problem(a, b) == (a.text() == b.text()), and then hash(a) == hash(b). Printing the text takes microseconds;
// these two take tens of nanoseconds, which is all that a cache hit may cost.
#pragma once

#include <cstdint>
#include <memory>

#include "core/problem/problem.hpp"

namespace tessera {

uint64_t hash(const Problem& problem);
bool same_problem(const Problem& a, const Problem& b);

struct ProblemKey {
    std::shared_ptr<const Problem> problem; // shared with its implementation: it is 2 KiB with its tensors
    int threads;                            // number of threads the implementation is scheduled for
    uint64_t engine = 0;                    // Engine::id of the one that compiled it
    bool operator==(const ProblemKey& other) const {
        return threads == other.threads && engine == other.engine && same_problem(*problem, *other.problem);
    }
};

// Equality of all fields, strides of dims of extent 1 among them: true means equal, false means nothing.
bool same_fields(const MemoryDesc& a, const MemoryDesc& b);

} // namespace tessera
