// boxes: several layouts of the same dimensions, covered by rectangles in which all of them are plain loops.
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

// The loop over [begin, end) with a table for every view: for ranges that no strides describe.
Loop indexed_loop(const Dimension& dim);

} // namespace tessera
