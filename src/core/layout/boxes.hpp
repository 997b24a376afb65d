// SPDX-License-Identifier: Apache-2.0
// boxes: cuts the domain of several layouts into boxes inside which every layout is an affine loop nest.
//
// The cross product of refine() over the dimensions. Where the cross product would exceed `max_boxes` the
// dimension with the most pieces becomes one indexed loop, an offset table per view instead of strides, unless it is
// so long that the tables would cost more than the boxes.
//
//   abcd and aBcd16b of 2x17x5x5  ->  channels 0..15 and channel 16: two boxes
//
// Law: every coordinate tuple of the ranges is visited once, and there view v's address is
// sum over d of offset_in(views[v][d], i_d + shift[v][d]). (Layout offsets are not included.)
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/plan/nest.hpp"

namespace tessera {

inline constexpr size_t max_boxes = 24;

struct Dimension {
    std::vector<Modes> views; // one per operand
    int64_t begin, end;
    std::vector<int64_t> shift = {}; // of the coordinate, one per view; empty: zeros
};

std::vector<Nest> boxes(std::span<const Dimension> dims);

// A loop over [begin, end) with an offset table for every view (gather and scatter): for ranges without strides.
Loop indexed_loop(const Dimension& dim);

} // namespace tessera
