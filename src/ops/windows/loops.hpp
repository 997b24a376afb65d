// SPDX-License-Identifier: Apache-2.0
// Loops over the coordinates of a dimension, for steps in which windows move.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/plan/moves.hpp"
#include "core/plan/plan.hpp"

namespace tessera::ops {

// A loop along a dimension, for operands with any layouts: a stride where there is one, else an offset table.
class CoordinateLoop {
public:
    explicit CoordinateLoop(int64_t extent, LoopKind kind = LoopKind::map) { loop.extent = extent, loop.kind = kind; }
    // Index i stands for coordinate first + i * step.
    void set(size_t operand, const Modes& modes, int64_t first, int64_t step);
    // An offset for each index.
    void set(size_t operand, std::vector<int64_t> offsets);
    Loop loop;
    PerOperand<int64_t> base; // of operands with a stride: the offset of index 0
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

// f(range of each dimension) for all combinations; `of`: the ranges of a dimension, as a member or a function.
template <typename Dims, typename Of, typename F> void each_combination(const Dims& dims, Of of, F&& f) {
    using Range = std::decay_t<decltype(std::invoke(of, dims[0])[0])>;
    std::vector<const Range*> choice(dims.size());
    const auto choose = [&](auto& self, size_t d) -> void {
        if (d == dims.size()) return f(std::as_const(choice));
        for (const Range& range : std::invoke(of, dims[d])) {
            choice[d] = &range;
            self(self, d + 1);
        }
    };
    choose(choose, 0);
}

} // namespace tessera::ops
