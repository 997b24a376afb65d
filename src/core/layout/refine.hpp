// SPDX-License-Identifier: Apache-2.0
// refine: cuts one dimension, seen by several views, into pieces in which every view is affine in the same loops.
//
// `views` are mode lists of one dimension (of src, dst, scales, ...). The range [begin, end) of its coordinate is cut
// so that inside a piece each view's offset is base + sum of index * stride over the piece's loops. Views whose
// blocks divide each other need one piece; others are cut at the block boundaries, period by period:
//
//   [3:24 24:1] and [5:16 16:1] over [0, 72):  period 48 -> pieces 16, 8, 8, 16 under a loop of 1, then 16, 8
//
// A view may be shifted: a source that goes into the middle of dst starts at 0 where dst starts at 20.
//
//   [2:32 16:1] and [3:48 16:1] shifted by 20 over [0, 32):  pieces 12, 4 under a loop of 2
//
// Law: the pieces visit each coordinate of [begin, end) once, and at coordinate i the address of view v is
// offset_in(view, i + shift[v]). No result when there would be more than `most` pieces.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/plan/nest.hpp"

namespace tessera {

// Loops and bases hold one entry per view; tables are not used.
std::optional<std::vector<Nest>> refine(std::span<const Modes> views, int64_t begin, int64_t end, size_t most,
                                        std::span<const int64_t> shift = {}); // by view; empty: zeros

} // namespace tessera
