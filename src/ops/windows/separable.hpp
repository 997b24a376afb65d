// SPDX-License-Identifier: Apache-2.0
// Windows that are combined along one dim after the other: sums of 5 x 5 elements as 5 and 5, in a group over the dims
// that no window crosses. What a pass leaves for the next one is in memory of a point of the group, with a border along
// the next dim, so that there is one step for all windows.
//
//   Separable steps(src.dims_span(), layout_of(src), layouts);
//   steps.passes = {{2, along h, ..}, {3, along w, ..}};
//   steps.add(program, 1).combine(steps.passes[0], range, false, {src});  // outputs along h, inputs along w
//   steps.add_to(plan, dst.dims_span());
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/plan/plan.hpp"
#include "ops/windows/ranges.hpp"

namespace tessera::ops {

// Output o of a pass reads elements before - window.left + o * window.stride + ... of what it combines.
struct Pass {
    size_t dim;
    Window window;
    int64_t before = 0; // elements of the border in front
    int64_t extent = 0; // with the border
};

// By which dims of temporary memory are ordered like `like`: blocks that windows cross lie innermost, as one dim.
int64_t order_stride(const Layout& like, size_t d);
// The densest last: vectors run along it, so what it combines has its border around it.
void order_passes(std::vector<Pass>& passes, const Layout& like);

// What Moves refer to. Behind the dims of the tensors there is one for the elements that a result combines.
struct SeparableStep {
    Program program;
    std::vector<int> operands;
    std::vector<int64_t> dims;
    std::vector<Layout> layouts;             // by operand of the step
    std::vector<std::vector<int64_t>> first; // coordinates at which it begins in each
    bool reduces = false;

    size_t combined() const { return dims.size() - 1; }
    void shift(int operand, size_t d, int64_t by); // where it begins
    // Outputs of the range alone, each of which combines its taps of the operands of `read`. `bordered`: these have the
    // border of the pass.
    void combine(const Pass& pass, const OutputRange& range, bool bordered, std::initializer_list<int> read);
};

class Separable {
public:
    // `dims`: of what the first pass reads; `like`: the layout whose order temporary values have; `layouts`: those of
    // all operands.
    Separable(std::span<const int64_t> dims, Layout like, const std::vector<Layout>& layouts)
        : dims_(dims.begin(), dims.end()), like_(std::move(like)), layouts_(layouts) {}

    // Memory for what pass `w` combines, with its border and without blocks along the dims of windows; or, without a
    // pass, for a value at each element.
    struct Memory {
        Layout layout;
        int64_t elements;
    };
    static constexpr size_t no_pass = size_t(-1);
    Memory memory(size_t w) const;

    // A step that writes outputs of the passes before `w`, and as much of the others as there is. Valid until the next.
    SeparableStep& add(const Program& program, size_t w);
    // Appends all steps, as a group, or apart: where points of the group (dims of the results) would be too few for
    // threads.
    void add_to(Plan& plan, std::span<const int64_t> results, bool apart = false) const;

    std::vector<Pass> passes; // in their order

private:
    std::vector<int64_t> dims_;
    Layout like_;
    const std::vector<Layout>& layouts_;
    std::vector<SeparableStep> steps_;
};

} // namespace tessera::ops
