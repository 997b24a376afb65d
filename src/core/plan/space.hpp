// Space: what a step covers, before it is cut into nests: coordinates, and where each operand lies over them.
//
// The address of operand o at coordinate x is layouts[o].at(x); where it does not vary along a dimension its stride
// there is 0. Steps of the dot tile are given so: what matters to it are matrices, which nests of blocked or padded
// layouts would cut to pieces.
//
//   2x128x64 sum 512 of src:(2:65536 128:512 64:0 512:1) weights:(2:0 128:0 64:1 512:64) dst:(...)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/layout/layout.hpp"

namespace tessera {

struct Space {
    std::vector<int64_t> dims;
    int reduce_mask = 0;         // dims that the program's reduce_* sums over
    std::vector<Layout> layouts; // by operand of the plan; those behind are not the step's
    bool bf16_factors = false;   // of a product, what is f32 may be rounded to bf16 before

    bool reduces(size_t d) const { return reduce_mask >> d & 1; }
    bool operator==(const Space&) const = default;
};

// The same points in an order in which matrices that lie densely have one stride: dimensions are cut at the blocks of
// operands `written` and `read`, where they divide, and sorted by descending stride, those of the output by that of
// `written`, behind them those of the sum by that of `read`.
//   sum over c, h, w of src nChw16c:   c/16, h, w, 16
Space arranged(Space space, size_t written, size_t read);

} // namespace tessera
