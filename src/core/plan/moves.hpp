// From layouts to steps: rectangles of coordinates in which every operand is a nest of plain loops.
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
    bool accumulates = false; // the program adds to what it stored before: a sum may be put together from several boxes
    int order_by = 1;         // layout along whose addresses the loops are ordered
    std::vector<Loop> more = {};                  // loops that no layout describes (indexed), put innermost
    std::vector<int> operands = {};               // of the plan, one per layout; empty: layout o belongs to operand o
    std::vector<std::vector<int64_t>> first = {}; // coordinate where the layout's part begins, by layout; empty: zeros
};

// Appends steps that visit every point of `dims` once: one per box, loops joined and ordered. Reduce steps if any dim
// is reduced, map steps otherwise.
void add_moves(const Moves& moves, Plan& plan);

} // namespace tessera
