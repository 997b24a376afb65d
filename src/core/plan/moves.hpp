// SPDX-License-Identifier: Apache-2.0
// From layouts to steps: boxes of the iteration space in which the address of every operand is affine in the loops.
#pragma once

#include <span>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/plan/plan.hpp"

namespace tessera {

struct Moves {
    std::span<const Layout> layouts; // one per operand, all over the same dims
    std::span<const int64_t> dims;   // logical extents; padding is never moved
    int program;
    int reduce_mask = 0;      // dims that the program's reduce_* sums over
    bool accumulates = false; // the program adds to what it stored before, so that a sum may be cut into several boxes
    bool as_given = false;    // the sum's dims one inside the other as they come, 16 partial results (products)
    int order_by = 1;         // layout by whose strides the loops are ordered, largest outermost
    std::vector<Loop> more = {};                  // additional loops with offset tables, put innermost
    std::vector<int> operands = {};               // operand of the plan for each layout; empty: operand o for layout o
    std::vector<std::vector<int64_t>> first = {}; // start coordinate in each layout (a slice of it); empty: zeros
};

// Appends steps that visit every point of `dims` once: one per box, loops joined and ordered. Reduce steps if any dim
// is reduced, map steps otherwise.
void add_moves(const Moves& moves, Plan& plan);

// Orders the reduce loops of a step for vectors, and decides whether it combines in order (Step::in_order). add_moves()
// has done it where `reduce_mask` names dims, but not for loops of `more`. `most_in_order` points of a result: sums
// lose digits with each, maxima none.
inline constexpr int64_t few_points = 64;
void arrange_sums(Step& step, const Plan& plan, int64_t most_in_order = few_points);

// Appends groups of these moves: the dims of `shared` (a mask), whose extents are the same in all of them, become the
// loops that their steps share, ordered by what the last one writes. An operand of several moves lies alike in them
// along those dims. Layouts have operands (Moves::operands).
void add_group(std::span<const Moves> moves, int shared, Plan& plan);

// Appends fill steps that zero the padding of `md` (elements of padded_dims outside of dims), each element once.
void add_padding(const MemoryDesc& md, int operand, Plan& plan);
// The same for all of `md`: the result of a sum over no terms.
void add_zeros(const MemoryDesc& md, int operand, Plan& plan);

} // namespace tessera
