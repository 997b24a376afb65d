// SPDX-License-Identifier: Apache-2.0
// Windows (ranges.hpp) the other way round: which outputs read each input.
#pragma once

#include "ops/windows/ranges.hpp"

namespace tessera::ops {

// Inputs of one range are read through equally many taps:
//
//   input + r + b * stride, r = 0 .. residues - 1, b = 0 .. blocks - 1, is read by the outputs
//   output + b - t * output_step through the taps tap + r + t * tap_step, t = 0 .. taps - 1
//
//   5 inputs, kernel 3, stride 2, left 1: outputs 0 1 2 read  . 0 1 | 1 2 3 | 3 4 .
//     inputs 0 2 4: tap 1 of outputs 0 1 2      1 3: taps 0 and 2 of outputs 1 2 and 0 1
//   6 inputs, kernel 2, stride 2, left 1: outputs 0 .. 3 read  . 0 | 1 2 | 3 4 | 5 .
//     input 0: tap 1 of output 0     1 2, 3 4: taps 0 and 1 of outputs 1, 2     5: tap 0 of output 3
struct InputRange {
    int64_t input, residues, blocks, output, tap, taps;
    bool operator==(const InputRange&) const = default;
};
struct Readers {
    int64_t tap_step = 1, output_step = 1;
    std::vector<InputRange> ranges; // all inputs, in any order
    Border outputs; // of the copy of outputs that they read; before is 0 and extent that of outputs without
    bool copied = false;
};
// For each dimension as views_of(); `merges`: ranges may have several residues; `bordered`: all read copies.
Result<std::vector<Readers>> readers_of(std::span<const Window> windows, bool merges, bool bordered = false,
                                        size_t most = most_steps);

} // namespace tessera::ops
