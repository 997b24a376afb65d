// SPDX-License-Identifier: Apache-2.0
#include "core/plan/moves.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/layout/boxes.hpp"
#include "core/sort_few.hpp"

namespace tessera {

namespace {

void add_bases(std::span<const Layout> layouts, Nest& nest) {
    for (size_t o = 0; o < layouts.size(); ++o)
        if (layouts[o].offset) nest.base[o] += layouts[o].offset;
}

// Renumbers a nest over some layouts to the operands of the plan they belong to.
Nest of_operands(const Nest& nest, std::span<const int> operands) {
    Nest result;
    result.loops.reserve(nest.loops.size());
    for (size_t v = 0; v < operands.size(); ++v) result.base.set(size_t(operands[v]), nest.base[v]);
    for (const Loop& loop : nest.loops) {
        Loop& to = result.loops.emplace_back();
        to.extent = loop.extent;
        to.kind = loop.kind;
        for (size_t v = 0; v < operands.size(); ++v) {
            to.stride.set(size_t(operands[v]), loop.stride[v]);
            if (loop.table[v]) to.table.set(size_t(operands[v]), *loop.table[v]);
        }
    }
    return result;
}

// The reduced dims as a single nest: a sum that is stored once cannot be accumulated over several boxes.
Nest reduction_nest(std::span<const Dimension> dims) {
    Nest result;
    for (const Dimension& dim : dims) {
        std::vector<Nest> pieces = boxes({&dim, 1});
        if (pieces.size() != 1) {
            pieces.assign(1, {});
            pieces[0].loops.push_back(indexed_loop(dim));
        }
        result.base += pieces[0].base;
        result.loops.insert(result.loops.end(), pieces[0].loops.begin(), pieces[0].loops.end());
    }
    return result;
}

// Reduce loops by descending stride of the first operand that is loaded, tables outermost: vectors run along the last.
void order_sums(Nest& nest, const Program& program) {
    const auto load = std::ranges::find(program.ops, OpCode::load, &Op::code);
    if (load == program.ops.end()) return;
    const auto o = size_t(load->operand);
    const auto stride = [&](const Loop& loop) {
        return loop.table[o] ? std::numeric_limits<int64_t>::max() : std::abs(loop.stride[o]);
    };
    sort_few(nest.loops.begin(), nest.loops.end(), [&](const Loop& a, const Loop& b) {
        const bool is_sum = a.kind == LoopKind::reduce;
        if (is_sum != (b.kind == LoopKind::reduce)) return !is_sum;
        return is_sum && stride(a) > stride(b);
    });
}

// Windows: few points, and vectors run along the results. Vectors along the sum where more of the operands that are
// read are dense there, in runs that are worth it.
constexpr int64_t worthwhile_run = 8;

bool combines_in_order(const Nest& nest, const Program& program, int64_t most) {
    int64_t points = 1;
    for (const Loop& loop : nest.loops)
        if (loop.kind == LoopKind::reduce) points *= loop.extent;
    if (points > most) return false;
    int along_sum = 0;
    for (const Op& op : program.ops) {
        if (is_reduction(op.code)) break;
        if (op.code != OpCode::load) continue;
        for (const Loop& loop : nest.loops)
            if (!loop.table[size_t(op.operand)] && loop.stride[size_t(op.operand)] == 1 &&
                loop.extent >= worthwhile_run)
                along_sum += loop.kind == LoopKind::reduce ? 1 : -1;
    }
    return along_sum <= 0;
}

std::vector<Nest> reductions_of(std::span<const Dimension> dims, bool accumulates) {
    std::vector<Nest> nests = accumulates ? boxes(dims) : std::vector<Nest>{reduction_nest(dims)};
    for (Nest& nest : nests)
        for (Loop& loop : nest.loops) loop.kind = LoopKind::reduce;
    return nests;
}

} // namespace

void arrange_sums(Step& step, const Plan& plan, int64_t most_in_order) {
    const Program& program = plan.programs[size_t(step.program)];
    order_sums(step.nest, program);
    step.nest = coalesce(step.nest, int(plan.operands.size()));
    step.in_order = combines_in_order(step.nest, program, most_in_order);
}

void add_moves(const Moves& moves, Plan& plan) {
    const int operands = int(moves.layouts.size());
    // Reduced dims are refined apart from the others, so that a loop is either mapped or reduced.
    std::vector<Dimension> outer, inner;
    for (size_t d = 0; d < moves.dims.size(); ++d) {
        Dimension& dim = (moves.reduce_mask >> d & 1 ? inner : outer).emplace_back(Dimension{{}, 0, moves.dims[d]});
        dim.views.reserve(moves.layouts.size()), dim.shift.reserve(moves.first.size());
        for (const Layout& layout : moves.layouts) dim.views.push_back(layout.dims[d]);
        for (const auto& first : moves.first) dim.shift.push_back(first.empty() ? 0 : first[d]);
    }
    const std::vector<Nest> reductions = reductions_of(inner, moves.accumulates);
    for (const Nest& box : boxes(outer))
        for (const Nest& reduction : reductions) {
            Step step;
            step.program = moves.program;
            step.nest = box;
            step.nest.base += reduction.base;
            step.nest.loops.insert(step.nest.loops.end(), reduction.loops.begin(), reduction.loops.end());
            step.nest.loops.insert(step.nest.loops.end(), moves.more.begin(), moves.more.end());
            add_bases(moves.layouts, step.nest);
            step.nest = coalesce(order(coalesce(step.nest, operands), operands, moves.order_by), operands);
            if (!moves.operands.empty()) step.nest = of_operands(step.nest, moves.operands);
            step.kind = moves.reduce_mask ? StepKind::reduce : StepKind::map;
            if (moves.reduce_mask && !moves.as_given) arrange_sums(step, plan);
            plan.steps.push_back(std::move(step));
        }
}

void add_group(std::span<const Moves> moves, int shared, Plan& plan) {
    // Each operand of the moves once, over the shared dims.
    std::vector<int> operands;
    std::vector<const Layout*> layouts;
    for (const Moves& m : moves)
        for (size_t v = 0; v < m.operands.size(); ++v) {
            if (std::ranges::find(operands, m.operands[v]) != operands.end()) continue;
            operands.push_back(m.operands[v]);
            layouts.push_back(&m.layouts[v]);
        }
    std::vector<Dimension> dims;
    for (size_t d = 0; d < moves[0].dims.size(); ++d) {
        if (!(shared >> d & 1)) continue;
        Dimension& dim = dims.emplace_back(Dimension{{}, 0, moves[0].dims[d]});
        dim.views.reserve(layouts.size());
        for (const Layout* layout : layouts) dim.views.push_back(layout->dims[d]);
    }
    Plan inner; // the steps at the first point
    inner.programs = plan.programs, inner.operands = plan.operands;
    for (const Moves& m : moves) {
        Moves own = m;
        std::vector<int64_t> extents(m.dims.begin(), m.dims.end());
        for (size_t d = 0; d < extents.size(); ++d)
            if (shared >> d & 1) extents[d] = 1;
        own.dims = extents;
        add_moves(own, inner);
    }
    const auto group = std::make_shared<const Group>(Group{std::move(inner.steps)});
    const Moves& last = moves.back();
    const int written = last.operands[size_t(last.order_by)];
    const auto order_by = int(std::ranges::find(operands, written) - operands.begin());
    const int count = int(operands.size());
    for (const Nest& box : boxes(dims)) {
        Step step;
        step.kind = StepKind::group;
        step.nest = of_operands(coalesce(order(coalesce(box, count), count, order_by), count), operands);
        step.group = group;
        plan.steps.push_back(std::move(step));
    }
}

void add_padding(const MemoryDesc& md, int operand, Plan& plan) {
    const Layout layout = layout_of(md);
    // The padding of dimension k: earlier dimensions cover their elements, later ones also their padding, so that the
    // regions are disjoint.
    for (size_t k = 0; k < size_t(md.ndims); ++k) {
        if (md.padded_dims[k] == md.dims[k]) continue;
        std::vector<Dimension> dims;
        for (size_t d = 0; d < size_t(md.ndims); ++d) {
            Dimension dim{std::vector<Modes>(size_t(operand) + 1, Modes{{1, 0}}), 0, 0};
            dim.views.back() = layout.dims[d];
            dim.begin = d == k ? md.dims[d] : 0;
            dim.end = d < k ? md.dims[d] : md.padded_dims[d];
            dims.push_back(std::move(dim));
        }
        for (Nest nest : boxes(dims)) {
            nest.base[size_t(operand)] += layout.offset;
            Step step;
            step.kind = StepKind::fill;
            step.fill_operand = operand;
            step.nest = coalesce(order(coalesce(nest, operand + 1), operand + 1, operand), operand + 1);
            plan.steps.push_back(std::move(step));
        }
    }
}

// All elements, as if they were padding.
void add_zeros(const MemoryDesc& md, int operand, Plan& plan) {
    if (md.has_zero_dim()) return;
    MemoryDesc empty = md;
    empty.dims = md.padded_dims;
    empty.dims[0] = 0;
    add_padding(empty, operand, plan);
}

} // namespace tessera
