// SPDX-License-Identifier: Apache-2.0
#include "core/layout/coalesce.hpp"

namespace tessera {

Modes coalesce(const Modes& modes) {
    Modes result;
    for (const Mode& m : modes) {
        if (!result.empty() && m.extent == 1) continue;
        if (!result.empty() && result.back().extent == 1)
            result.back() = m; // an outermost mode of extent 1 is dropped
        else if (!result.empty() && result.back().stride == m.extent * m.stride)
            result.back() = {result.back().extent * m.extent, m.stride};
        else
            result.push_back(m);
    }
    return result;
}

Layout coalesce(const Layout& layout) {
    Layout result{layout.offset, {}};
    for (const Modes& modes : layout.dims) result.dims.push_back(coalesce(modes));
    return result;
}

} // namespace tessera
