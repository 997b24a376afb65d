// SPDX-License-Identifier: Apache-2.0
// Space: the iteration space of a step before it is cut into loop nests, with the layout of each operand over it.
//
// The address of operand o at coordinate x is layouts[o].at(x); along a dimension that the operand lacks its stride is
// 0. Products are given in this form, because they need whole matrices, which the nests of blocked or padded layouts
// would cut into pieces.
//
//   2x128x64 sum 512 of src:(2:65536 128:512 64:0 512:1) weights:(2:0 128:0 64:1 512:64) dst:(...)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attr/fpmath.hpp"
#include "core/layout/layout.hpp"

namespace tessera {

struct Space {
    std::vector<int64_t> dims;
    int reduce_mask = 0;         // dims that the program's reduce_* sums over
    std::vector<Layout> layouts; // by operand of the plan; those beyond the end, or without dims, are not used
    FpmathMode fpmath = FpmathMode::strict; // what factors that are f32 when multiplied may be rounded to

    bool reduces(size_t d) const { return reduce_mask >> d & 1; }
    bool operator==(const Space&) const = default;
};

// Operands that are not used get stride 0 in all dims, so that nests can be made of all layouts.
Space with_all_layouts(Space space);

// The same points with dimensions cut and sorted so that dense matrices have a single stride: dimensions are cut at the
// blocks of operands `written` and `read`, where they divide, and sorted by descending stride; those of the output come
// first, by the strides of `written`, then those of the sum, by the strides of `read`.
//   sum over c, h, w of src nChw16c:   c/16, h, w, 16
Space arranged(Space space, size_t written, size_t read);

// The same points with fewer dims: neighbours that all operands see as one are one, and dims of extent 1 go, but not
// the last dim and not the last one of a sum. Law: the same tuples of addresses in the same order.
//   4x256 sum 1x64 of gates:(4:256 256:1) ..   ->   1024 sum 64 of gates:(1024:1) ..
Space joined(Space space);

} // namespace tessera
