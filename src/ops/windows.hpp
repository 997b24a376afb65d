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
#include <utility>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/plan/moves.hpp"
#include "core/plan/plan.hpp"
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

// The other way round: which outputs read each input. Inputs of one range are read through equally many taps:
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

// A loop whose index i stands for coordinate first + i * step of a dimension, for operands with any layouts.
class CoordinateLoop {
public:
    CoordinateLoop(int64_t extent, LoopKind kind) { loop.extent = extent, loop.kind = kind; }
    void set(size_t operand, const Modes& modes, int64_t first, int64_t step);
    Loop loop;
    PerOperand<int64_t> base; // of operands with a stride: the offset of coordinate `first`
};

// Steps whose dims of `mask` are loops of their own, over the same operands; the others are cut into boxes as usual.
struct LoopedMoves {
    int program;
    std::vector<int> operands;   // of the plan
    std::vector<Layout> layouts; // of each; along dims of `mask` they are not looked at
    std::vector<int64_t> dims;
    int mask;
    std::vector<CoordinateLoop> loops;
    int order_by;                       // index into operands
    int64_t most_in_order = few_points; // as of arrange_sums()
};
void add_looped(const LoopedMoves& moves, Plan& plan);

// f(range of each dimension) for all combinations; `ranges_of_dim(d)` gives those of a dimension.
template <typename Range, typename F> void each_combination(const std::vector<const std::vector<Range>*>& dims, F&& f) {
    std::vector<const Range*> choice(dims.size());
    const auto choose = [&](auto& self, size_t d) -> void {
        if (d == dims.size()) return f(std::as_const(choice));
        for (const Range& range : *dims[d]) {
            choice[d] = &range;
            self(self, d + 1);
        }
    };
    choose(choose, 0);
}

} // namespace tessera::ops
