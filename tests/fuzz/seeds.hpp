// SPDX-License-Identifier: Apache-2.0
// The seeds of a fuzz program: TESSERA_FUZZ_COUNT of them from TESSERA_FUZZ_SEED on, so that a failure is repeated by
// the seed that it prints and a count of 1.
#pragma once

#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

#include "core/status.hpp"

namespace tessera::fuzz {

inline uint64_t from_environment(const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Calls check(seed) until one fails; answers how many seeds there were to be.
template <typename Check> uint64_t each_seed(uint64_t usual_count, Check&& check) {
    const uint64_t first = from_environment("TESSERA_FUZZ_SEED", 1),
                   count = from_environment("TESSERA_FUZZ_COUNT", usual_count);
    for (uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) check(seed);
    return count;
}

// Calls check(problem, seed, random) for each seed that makes a valid problem; answers how many did.
template <typename Problem, typename Random, typename Check>
uint64_t each_problem(uint64_t usual_count, Result<Problem> (*make)(Random&), Check&& check) {
    uint64_t made = 0;
    const uint64_t count = each_seed(usual_count, [&](uint64_t seed) {
        Random r(seed);
        auto problem = make(r);
        if (!problem) return;
        ++made;
        check(std::move(*problem), seed, r);
    });
    if (count >= 100) { EXPECT_GT(made, count / 3) << "most random problems should be valid"; }
    return made;
}

} // namespace tessera::fuzz
