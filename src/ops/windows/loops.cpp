// SPDX-License-Identifier: Apache-2.0
#include "ops/windows/loops.hpp"

#include <new>

#include "core/layout/coalesce.hpp"

namespace tessera::ops {

namespace {

// Entries of a table, 32 MiB, some milliseconds: only spatial dims in blocks have tables.
constexpr int64_t longest_table = int64_t(1) << 22;

} // namespace

void CoordinateLoop::set(size_t operand, const Modes& all, int64_t first, int64_t step) {
    const Modes modes = coalesce(all);
    if (modes.empty()) return;
    if (modes.size() == 1 || loop.extent == 1) {
        base.set(operand, offset_in(modes, first));
        if (modes.size() == 1) loop.stride.set(operand, step * modes[0].stride);
        return;
    }
    if (loop.extent > longest_table) throw std::bad_alloc();
    std::vector<int64_t> offsets;
    offsets.reserve(size_t(loop.extent));
    for (int64_t i = 0; i < loop.extent; ++i) offsets.push_back(offset_in(modes, first + i * step));
    loop.table.set(operand, std::move(offsets));
}

void CoordinateLoop::set(size_t operand, std::vector<int64_t> offsets) {
    const int64_t first = offsets.front(), step = offsets.size() > 1 ? offsets[1] - first : 0;
    for (size_t i = 2; i < offsets.size(); ++i)
        if (offsets[i] - offsets[i - 1] != step) return loop.table.set(operand, std::move(offsets));
    loop.stride.set(operand, step);
    base.set(operand, first);
}

void add_looped(const LoopedMoves& m, Plan& plan) {
    std::vector<Layout> layouts = m.layouts;
    std::vector<int64_t> dims = m.dims;
    for (size_t d = 0; d < dims.size(); ++d) {
        if (!(m.mask >> d & 1)) continue;
        dims[d] = 1;
        for (Layout& layout : layouts) layout.dims[d] = {{1, 0}};
    }
    std::vector<Loop> loops;
    bool reduces = false;
    for (const CoordinateLoop& c : m.loops) {
        loops.push_back(c.loop);
        reduces = reduces || c.loop.kind == LoopKind::reduce;
        for (size_t v = 0; v < layouts.size(); ++v) layouts[v].offset += c.base[v];
    }
    const size_t before = plan.steps.size();
    add_moves({.layouts = layouts,
               .dims = dims,
               .program = m.program,
               .order_by = m.order_by,
               .more = loops,
               .operands = m.operands},
              plan);
    for (size_t s = before; reduces && s < plan.steps.size(); ++s) {
        plan.steps[s].kind = StepKind::reduce;
        arrange_sums(plan.steps[s], plan, m.most_in_order);
    }
}

} // namespace tessera::ops
