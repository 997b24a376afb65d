// SPDX-License-Identifier: Apache-2.0
// One product for a whole image, or for all taps, instead of one for each combination of borders.
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

// Of a gradient of weights: all taps as columns of one product, over a copy of the inputs with a border, instead of a
// product for each combination of taps that equal outputs read through. Nothing where that takes longer.
//
//   7 x 7 taps, 3 channels, stride 2     16 products of 3 to 12 columns, which take as long as of 16, and each of which
//                                        packs the gradient of dst; or one of 147
std::optional<std::vector<Sweeps>> taps_at_once(std::span<const Window> windows, const std::vector<Sweeps>& sweeps,
                                                const FlatCosts& costs);

} // namespace tessera::ops
