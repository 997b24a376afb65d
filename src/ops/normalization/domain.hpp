// SPDX-License-Identifier: Apache-2.0
// Domain: the iteration space of some steps, with the layouts of their operands over it, and those steps.
//
//   Domain data(plan, dims);                     // N x C x H x W
//   const int src = data.add("src", type, arg::src, layout_of(md));
//   const int sums = data.scratch("sums", dense(dims, mask));
//   Program p;  p.store(sums, p.reduce_add(p.load(src, ValueType::f32)));
//   data.step({p, all, reduced});                // one step, or a part of a group with others
//
// A program's operands are numbered as in the plan; several domains of one plan share them.
#pragma once

#include <deque>

#include "core/layout/layout.hpp"
#include "core/plan/moves.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

class Domain {
public:
    // A step: its program at every point of the dims in `over` (a mask), of which those in `reduced` are summed over.
    // The other dims have one point there. Loops are ordered by what the program stores last.
    struct Part {
        Program program;
        int over = -1, reduced = 0;
    };

    Domain(Plan& plan, std::vector<int64_t> dims) : plan_(plan), dims_(std::move(dims)) {}

    const std::vector<int64_t>& dims() const { return dims_; }
    Plan& plan() { return plan_; }
    const Layout& layout(int operand) const { return layouts_[size_t(operand)]; }
    int add(std::string name, DataType type, int arg, Layout layout);
    int scratch(std::string name, Layout layout); // f32, dense
    int same(int operand, Layout layout);         // the operand once more, laid out differently
    void place(int operand, Layout layout);       // an operand of another domain
    Operands operands();                          // for finish()

    void step(Part part); // in two levels if it sums over many points
    // Steps one after the other at every point of the dims in `shared`.
    void group(std::vector<Part> parts, int shared);

private:
    Moves moves(Part& part);

    Plan& plan_;
    std::vector<int64_t> dims_;
    std::vector<Layout> layouts_; // by operand; without dims: of other domains
    // What Moves refer to.
    std::deque<std::vector<Layout>> used_layouts_;
    std::deque<std::vector<int64_t>> used_dims_;
};

// Dense over the dims in `mask`, row-major but for `last`, which is innermost; stride 0 along the others.
Layout dense(std::span<const int64_t> dims, int mask, int last = -1);
// The layout with dim d as two: `inner` elements of it, and what is left. Not for dims in blocks.
Layout cut(Layout layout, size_t d, int64_t inner);
bool can_be_cut(const Layout& layout, size_t d);

// The innermost of some dims, at most `limit` points together: the last of them whole, and a part of the one before.
struct Inner {
    std::vector<int64_t> dims; // of the domain, in which dim `split` is two
    int mask = 0;              // of the inner ones, among those
    int64_t points = 1;
    int split = -1;
    Layout of(Layout layout) const { return split < 0 ? layout : cut(std::move(layout), size_t(split), part); }
    int64_t part = 1;
};
// `among`: outermost first. Dims in blocks of a layout are not divided.
Inner inner_of(std::span<const int64_t> dims, std::span<const size_t> among, int64_t limit,
               std::span<const Layout> layouts);

// Points of a cell: 16 KB of f32 where a channel's pixels are dense. Where channels are, as many as all channels of
// them stay in a cache with, since 64 channels of each pixel are short runs a page apart. Cells of 512 pixels -> these,
// of the speed of oneDNN 3.2, f32 nhwc, one thread: gradients 1x1024x28x28 0.55 -> 1.06, 16x2048x7x7 0.50 -> 0.98,
// 2x256x32x32 0.70 -> 1.04; training 16x2048x7x7 0.72 -> 1.12, 8x512x14x14 0.79 -> 1.07, 2x256x32x32 0.63 -> 0.83.
int64_t points_of_cell(int64_t dense_channels); // 0: none are dense

// Programs of means and variances (decision 017). A mean is a number and a rest that f32 has no room for beside it.
struct Mean {
    int value, rest; // together what the sum is, as exactly as in twice the digits
};
Mean exact_sum(Program& program, int a, int b);
// Of the mean of squares of x - mean, where the mean lacks `rest`: what it is about mean + rest, and never negative.
int about_rest(Program& program, int variance, int rest);
// 1 / sqrt(v + epsilon)
int reciprocal_root(Program& program, int v, float epsilon);

} // namespace tessera::ops
