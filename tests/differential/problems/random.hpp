// SPDX-License-Identifier: Apache-2.0
// The generator's source of random choices. No standard distributions: their results differ between libraries.
#pragma once
#include <cstdint>
#include <iterator>
#include <random>

namespace differential {

struct Random {
    std::mt19937_64 engine;
    uint64_t below(uint64_t n) { return engine() % n; }
    int64_t between(int64_t low, int64_t high) { return low + int64_t(below(uint64_t(high - low + 1))); }
    bool one_in(uint64_t n) { return below(n) == 0; }
    bool percent(uint64_t p) { return below(100) < p; }
    template <typename List> const auto& pick(const List& list) { return list[below(std::size(list))]; }
};

} // namespace differential
