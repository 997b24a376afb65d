// One product for a whole image, instead of one for each combination of borders.
//
// Where windows move by one pixel, a copy of the image with a border around it is read as one long line of pixels: the
// sum at pixel i of the line reads pixels i + constants. Of each line of the image a few sums, as many as windows are
// wide less one, begin beyond its end; they are computed, and not stored.
//
//   7 x 7 pixels, 3 x 3 taps    borders: nine products of 25, 5 or 1 pixels, in lines of 5 at most
//                               flat: a copy, 9 x 9; one product, 7 x 9 in a line; a map of 7 x 7 sums
#pragma once

#include "ops/convolution/sweeps.hpp"

namespace tessera::ops {

struct FlatCosts {
    int64_t batch;           // images, of each group
    int64_t inputs, columns; // channels of a group: summed over, of the result
    int64_t bytes;           // of an element of what is read
};

// The sweeps of the whole image, or nothing where it cannot be read so, or where that takes longer. `sweeps`: those of
// its borders.
std::optional<std::vector<Sweeps>> flat_sweeps(std::span<const Window> windows, SweepOver over,
                                               const std::vector<Sweeps>& sweeps, const FlatCosts& costs);

} // namespace tessera::ops
