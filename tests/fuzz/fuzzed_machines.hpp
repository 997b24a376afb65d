// SPDX-License-Identifier: Apache-2.0
// Which machines a random plan is compiled for: two of those that generate code, in turns, so that a run of many seeds
// meets all. Machines that this processor has to interpret take part in one plan of sixteen.
#pragma once

#include <array>

#include "machines.hpp"

namespace tessera::fuzz {

inline std::vector<Context> machines_of(uint64_t seed) {
    const auto pick = [&](bool interpreted, uint64_t number) -> std::vector<Context> {
        static const auto split = [] {
            std::array<std::vector<Context>, 2> lists;
            for (const Context& m : generating_machines())
                lists[execution_of(m) == Execution::interpreted].push_back(m);
            return lists;
        }();
        const auto& list = split[interpreted];
        if (list.empty()) return {};
        Context m = list[number % list.size()];
        constexpr int threads[] = {2, 1, 3, 7};
        m.threads = threads[number / list.size() % 4];
        m.stream_bytes = 512;                          // streams wherever they are possible, in spite of small problems
        if (number / 3 % 2 == 0) m.l2_bytes = 4 << 10; // groups of steps in several chunks
        if (number / 5 % 2 == 0) m.l3_bytes = 1 << 10; // results and weights that no cache holds
        if (number / 7 % 2 == 0) m.parallel_bytes = 1; // whatever has two units is shared
        return {m};
    };
    std::vector<Context> all = pick(false, seed);
    const auto add = [&](const std::vector<Context>& more) { all.insert(all.end(), more.begin(), more.end()); };
    add(pick(false, seed * 5 + 4));
    if (seed % 16 == 0) add(pick(true, seed / 16));
    return all;
}

} // namespace tessera::fuzz
