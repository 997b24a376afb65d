// From layouts to steps: what every data-moving primitive's lowering is made of.
#pragma once

#include <span>
#include <vector>

#include "core/desc/memory_desc.hpp"
#include "core/layout/layout.hpp"
#include "core/plan/plan.hpp"

namespace tessera::ops {

struct Moves {
    std::span<const Layout> layouts; // one per operand, all over the same dims
    std::span<const int64_t> dims;   // logical extents; padding is never moved
    int program;
    int reduce_mask = 0;                          // dims that the program's reduce_* sums over
    int order_by = 1;                             // layout along whose addresses the loops are ordered
    std::vector<Loop> more = {};                  // loops that no layout describes (indexed), put innermost
    std::vector<int> operands = {};               // of the plan, one per layout; empty: layout o belongs to operand o
    std::vector<std::vector<int64_t>> first = {}; // coordinate where the layout's part begins, by layout; empty: zeros
};

// Appends run steps that visit every point of `dims` once: one per box, loops joined and ordered, tile chosen.
void add_moves(const Moves& moves, Plan& plan);

// Appends fill steps that zero the padding of `md` (elements of padded_dims outside of dims), each element once.
void add_padding(const MemoryDesc& md, int operand, Plan& plan);

} // namespace tessera::ops
