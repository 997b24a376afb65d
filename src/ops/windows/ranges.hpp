// SPDX-License-Identifier: Apache-2.0
// Windows: which elements of a dimension each output combines, and loops over outputs and taps without border tests.
//
//   output o reads input o * stride + k * step - left for the taps k of 0 .. kernel - 1, where that is inside
//
// Outputs with the same taps inside are one range, so that a plan has a step for each combination of ranges and no
// conditions. With 5 inputs, kernel 3, stride 1, left 1:
//
//   outputs 0: taps 1 2     1..3: taps 0 1 2     4: taps 0 1
//
// Large windows over small tensors (13 of 13) would have as many ranges as outputs. Then the input is copied into
// temporary memory with a border around it, in which every window lies as a whole.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/status.hpp"

namespace tessera::ops {

// A dimension of a copy that has a border: its element `before` is element 0 of the tensor.
struct Border {
    int64_t before = 0, extent = 0;
};

struct Window {
    int64_t inputs, outputs, kernel;
    int64_t stride = 1, step = 1, left = 0;

    // The taps of output `o` that lie inside: first .. end - 1.
    int64_t first_tap(int64_t o) const;
    int64_t end_tap(int64_t o) const;
};

// Outputs first .. first + count - 1, all with the taps tap .. tap + taps - 1.
struct OutputRange {
    int64_t first, count, tap, taps;
    bool operator==(const OutputRange&) const = default;
};
// All outputs, in order; none if there are more than `most` ranges.
std::optional<std::vector<OutputRange>> ranges_of(const Window& w, size_t most);

// A dimension of the plan: its ranges of outputs, and where they read.
struct WindowRange : OutputRange {
    int64_t start;                  // where the first tap of the first output reads, in the copy if there is one
    std::vector<float> inside = {}; // by output: how many taps lie inside, where the copy makes others of them
    bool operator==(const WindowRange&) const = default;
};
struct WindowView {
    bool copied = false;
    int64_t before = 0, extent = 0; // of the copy: its element `before` is input 0
    std::vector<WindowRange> ranges;
};

// The outputs with a tap inside, by how many: those whose windows lie inside as a whole are one range.
std::vector<WindowRange> counted_ranges(const Window& w);

// At most `most` combinations of ranges if copies make that possible, and a refusal beyond some thousands.
// `counts`: outputs of one range have as many taps inside, or WindowRange::inside says how many.
inline constexpr size_t most_steps = 32;    // 3 x 3 x 3 ranges are 27
inline constexpr size_t most_ranges = 4096; // steps of a plan at the very most: some milliseconds of creation
Result<std::vector<WindowView>> views_of(std::span<const Window> windows, bool counts, size_t most = most_steps);

} // namespace tessera::ops
