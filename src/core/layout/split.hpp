// SPDX-License-Identifier: Apache-2.0
// split: one dimension seen as two, (outer, inner), the inner one of a given extent.
//
// Law: for all i in [0, extent), with (o, n) the result for inner extent e:
//   offset_in(o, i / e) + offset_in(n, i % e) == offset_in(modes, i)
// There is no result when a mode boundary would fall inside: 3 does not cut [5:48 16:1], 4 and 32 do.
//
//   split([5:1600 16:1], 4)  ->  [5:1600 4:4], [4:1]
#pragma once

#include <optional>
#include <utility>

#include "core/layout/layout.hpp"

namespace tessera {

std::optional<std::pair<Modes, Modes>> split(const Modes& modes, int64_t inner_extent);

} // namespace tessera
