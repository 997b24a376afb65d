// Problems as keys of a cache: equality of everything that decides the result, and a hash that goes with it.
//
// Law: same_problem(a, b) == (a.text() == b.text()), and then hash(a) == hash(b). The text costs microseconds to print;
// these two cost some tens of nanoseconds, which is what a cache hit has to spend.
#pragma once

#include <cstdint>
#include <memory>

#include "core/problem/problem.hpp"

namespace tessera {

uint64_t hash(const Problem& problem);
bool same_problem(const Problem& a, const Problem& b);

struct ProblemKey {
    std::shared_ptr<const Problem> problem; // shared with its implementation: it is 2 KiB with its tensors
    int threads;                            // that the implementation is laid out for
    bool operator==(const ProblemKey& other) const {
        return threads == other.threads && same_problem(*problem, *other.problem);
    }
};

// Bit-for-bit equality of descriptors, the quick way to know that two are equal: false says nothing.
bool same_bits(const MemoryDesc& a, const MemoryDesc& b);

} // namespace tessera
