// SPDX-License-Identifier: Apache-2.0
// inside: which loops of a nest are constants of a gather kernel, and which ones it walks along. A pure function.
//
//   nchw -> nhwc, 3 channels of 4096 pixels     inside 3, points 4096
//   3 groups of 80 channels, nhwc, 49 pixels    inside 3, points 80, rows 49
//   12 of 16 channels, rows of 48 bytes         inside 12 contiguous elements and the shorter loop whose rows touch
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/nest.hpp"

namespace tessera::cpu {

struct GatherLoops {
    std::vector<bool> inside; // by loop
    size_t points, rows;      // loops; their number: none
};

// Bytes of a point, without loops with offset tables: its code is a few KiB.
inline constexpr int64_t most_point_bytes = 1 << 10;

// Operand 0 is read and operand 1 written, `size` bytes are permuted an element. `row`: the loop behind which `zeros`
// elements of dst are zero, inside; the number of loops: a row is one point. `copies`: no program. `most`: bytes of a
// point without tables.
GatherLoops gather_loops(const std::vector<Loop>& loops, int64_t size, int64_t width, bool copies, size_t row,
                         int64_t zeros, int64_t most = most_point_bytes);

// Rows that are contiguous on both sides, and short.
bool is_short_row(const Loop& loop, int64_t size);

} // namespace tessera::cpu
