// SPDX-License-Identifier: Apache-2.0
// The loops of a step of a convolution along each spatial dimension: over points of what is written and over the terms
// of its sum, without border tests.
//
//   forward           points are outputs, terms are taps                 3x3, padding 1, 5 outputs:
//   backward data     points are inputs, terms the taps that reach them    points 0:   taps 1..2 of inputs 0..1
//   backward weights  points are taps, terms are outputs                   points 1-3: taps 0..2 of inputs 0.., 2
//                                                                          point  4:   taps 0..1 of inputs 3..4
#pragma once

#include "ops/convolution/convolution.hpp"

namespace tessera::ops {

// A coordinate at point u and term v: first + u * point + v * term.
struct Affine {
    int64_t first = 0, point = 0, term = 0;
};

struct Sweep {
    int64_t points, terms; // terms 0: nothing is summed
    Affine inputs, outputs, weights;
};

// Of a dimension: its sweeps, all points together once; and the border that the tensor of pixels which is read has to
// get, as a copy, where there would be too many of them otherwise.
struct Sweeps {
    std::vector<Sweep> all;
    bool copied = false;
    Border border;
};

enum class SweepOver { outputs, inputs, taps }; // which of them the points are

// For each dimension. `copies`: whether borders may be copies; a border counts as 0, which is wrong beside zero points.
// At most `most` combinations of sweeps, where copies make that possible.
Result<std::vector<Sweeps>> sweeps_of(std::span<const Window> windows, SweepOver over, bool copies,
                                      size_t most = most_steps);

} // namespace tessera::ops
