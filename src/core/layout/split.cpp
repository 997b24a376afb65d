// SPDX-License-Identifier: Apache-2.0
#include "core/layout/split.hpp"

#include <algorithm>

#include "core/division.hpp"

namespace tessera {

std::optional<std::pair<Modes, Modes>> split(const Modes& modes, int64_t inner_extent) {
    Modes outer, inner;
    int64_t rest = inner_extent; // of the inner dimension, not yet covered by modes
    for (size_t k = modes.size(); k-- > 0;) {
        const Mode m = modes[k];
        if (rest == 1) {
            outer.push_back(m);
        } else if (k > 0 && rest % m.extent == 0) {
            inner.push_back(m);
            rest /= m.extent;
        } else if (k == 0 || m.extent % rest == 0) {
            // The outermost mode is not bounded by its extent, so it can always be cut.
            inner.push_back({rest, m.stride});
            outer.push_back({ceil_div(m.extent, rest), m.stride * rest});
            rest = 1;
        } else {
            return std::nullopt;
        }
    }
    if (inner.empty()) inner.push_back({1, 0});
    if (outer.empty()) outer.push_back({1, 0});
    std::reverse(outer.begin(), outer.end());
    std::reverse(inner.begin(), inner.end());
    return std::pair{outer, inner};
}

} // namespace tessera
