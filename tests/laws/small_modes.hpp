// SPDX-License-Identifier: Apache-2.0
// Mode lists to check laws over: every list of up to three modes with small extents, dense and with gaps.
#pragma once

#include <vector>

#include "core/layout/layout.hpp"

namespace tessera::laws {

inline std::vector<Modes> small_modes() {
    std::vector<Modes> all;
    const int64_t extents[] = {1, 2, 3, 4, 6};
    for (int64_t a : extents) {
        for (int64_t s : {1, 2, 7}) all.push_back({{a, s}});
        for (int64_t b : extents) {
            all.push_back({{a, b}, {b, 1}});     // dense
            all.push_back({{a, 5 * b}, {b, 2}}); // gaps
            all.push_back({{a, 1}, {b, a}});     // inner mode outside in memory
            all.push_back({{a, 0}, {b, 3}});     // broadcast
            for (int64_t c : {1, 2, 3}) {
                all.push_back({{a, b * c}, {b, c}, {c, 1}});
                all.push_back({{a, 100}, {b, c}, {c, 1}});
            }
        }
    }
    return all;
}

} // namespace tessera::laws
