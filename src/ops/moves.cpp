#include "ops/moves.hpp"

#include "core/layout/boxes.hpp"

namespace tessera::ops {

namespace {

// `map` when the same loop is dense on both sides (or no loop is), `transpose` when different loops are.
Tile tile_of(const Nest& nest) {
    const Loop* dense_src = nullptr;
    const Loop* dense_dst = nullptr;
    for (const Loop& loop : nest.loops) {
        if (loop.indexed()) continue;
        if (loop.stride[0] == 1) dense_src = &loop;
        if (loop.stride[1] == 1) dense_dst = &loop;
    }
    return dense_src && dense_dst && dense_src != dense_dst ? Tile::transpose : Tile::map;
}

void add_bases(std::span<const Layout> layouts, Nest& nest) {
    for (size_t o = 0; o < layouts.size(); ++o) nest.base[o] += layouts[o].offset;
}

} // namespace

void add_moves(const Moves& moves, Plan& plan) {
    const int operands = int(moves.layouts.size());
    std::vector<Dimension> dims;
    std::vector<bool> reduced;
    for (size_t d = 0; d < moves.dims.size(); ++d) {
        Dimension dim{{}, 0, moves.dims[d]};
        for (const Layout& layout : moves.layouts) dim.views.push_back(layout.dims[d]);
        dims.push_back(std::move(dim));
    }
    // Reduced dims are cut apart from the others, so that boxes never mix the two kinds of loops.
    std::vector<Dimension> outer, inner;
    for (size_t d = 0; d < dims.size(); ++d) (moves.reduce_mask >> d & 1 ? inner : outer).push_back(dims[d]);
    std::vector<Nest> reductions = boxes(inner);
    for (const Nest& box : boxes(outer))
        for (const Nest& reduction : reductions) {
            Step step;
            step.program = moves.program;
            step.nest = box;
            for (size_t o = 0; o < size_t(operands); ++o) step.nest.base[o] += reduction.base[o];
            for (Loop loop : reduction.loops) {
                loop.kind = LoopKind::reduce;
                step.nest.loops.push_back(loop);
            }
            step.nest.loops.insert(step.nest.loops.end(), moves.more.begin(), moves.more.end());
            add_bases(moves.layouts, step.nest);
            step.nest = coalesce(order(coalesce(step.nest, operands), operands, moves.order_by), operands);
            step.tile = moves.reduce_mask ? Tile::reduce : tile_of(step.nest);
            if (!step.nest.loops.empty() && step.nest.loops[0].kind == LoopKind::map)
                step.nest.loops[0].kind = LoopKind::parallel;
            plan.steps.push_back(std::move(step));
        }
}

void add_padding(const MemoryDesc& md, int operand, Plan& plan) {
    const Layout layout = layout_of(md);
    // Dimension k is padded here; earlier ones run over their elements, later ones over everything: disjoint.
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

} // namespace tessera::ops
