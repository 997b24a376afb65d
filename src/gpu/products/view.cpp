// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/view.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"

namespace tessera::gpu {

namespace {

// A group of dims as one loop: strides where one describes it, else a table.
Loop loop_of(const Space& space, std::span<const size_t> group, int64_t extent) {
    Loop loop;
    loop.extent = extent;
    for (size_t o = 0; o < space.layouts.size(); ++o) {
        const Layout& layout = space.layouts[o];
        const auto modes = flat(layout, space.dims, group);
        if (modes && is_strided(*modes)) {
            loop.stride.set(o, stride_of(*modes));
            continue;
        }
        std::vector<int64_t> table(static_cast<size_t>(extent));
        for (int64_t i = 0; i < extent; ++i) {
            int64_t rest = i, at = 0;
            for (size_t g = group.size(); g-- > 0; rest /= space.dims[group[g]])
                at += offset_in(layout.dims[group[g]], rest % space.dims[group[g]]);
            table[size_t(i)] = at;
        }
        loop.table.set(o, std::move(table));
    }
    return loop;
}

bool uses(const Program& p, size_t operand) {
    return std::ranges::any_of(p.ops, [&](const Op& op) { return op.operand == int(operand); });
}

// On a GPU neighbouring groups go down a band of a few blocks of rows before they go on to the next columns, so that
// those at work at the same time share both rows of A and columns of B.
std::string source_of_unit(const ProductView& view, const Block& block) {
    if (view.row.processor())
        return fmt::format(R"cl(    const place first_column = unit % column_blocks * {};
    unit /= column_blocks;
    const place first_row = unit % row_blocks * {};
    const place batch = unit / row_blocks;
)cl",
                           block.columns, block.rows);
    return fmt::format(R"cl(    const place batch = unit / (row_blocks * column_blocks);
    unit -= batch * row_blocks * column_blocks;
    const place band = unit / (8 * column_blocks) * 8, of_band = min(row_blocks - band, (place)8);
    unit -= band * column_blocks;
    const place first_row = (band + unit % of_band) * {}, first_column = unit / of_band * {};
)cl",
                       block.rows, block.columns);
}

} // namespace

ProductView view_of(const DeviceRow& row, const Plan& plan, const Step& step) {
    const Matrices m = *matrices_of(plan, step);
    const Space space = with_all_layouts(step.product->space);
    ProductView view{row,
                     plan,
                     m,
                     loop_of(space, m.b, m.batches),
                     loop_of(space, m.m, m.rows),
                     loop_of(space, m.n, m.columns),
                     loop_of(space, m.k, m.depth)};
    Nest nest;
    nest.loops = {view.batches, view.rows, view.columns, view.depth};
    for (size_t o = 0; o < view.operands(); ++o) nest.base.set(o, space.layouts[o].offset);
    view.base = nest.base, view.wide = needs_wide_elements(plan, nest) || m.batches * m.rows * m.columns > (1 << 30);
    view.bf16_factors = space.bf16_factors;
    return view;
}

std::string source_of_places(const ProductView& view, const Side& side, Of of) {
    std::string text;
    for (size_t o = 0; o < view.operands(); ++o)
        if (uses(side.factor.program, o) && (of == Of::all || (of == Of::matrix) == (int(o) == side.matrix())))
            text += fmt::format("    const place e{0} = in_batch{0}{1}{2};\n", o, along(side.loop, side.name, "i", o),
                                along(view.depth, "depth", "k", o));
    return text;
}

std::string source_of_value(const ProductView& view, const Side& side, Access access) {
    return fmt::format("    {} s0;\n", c_name(view.matrices.type)) +
           source_of_program(side.factor.program, view.plan, "v", access);
}

std::string source_of_outer(const ProductView& view, std::string_view sum) {
    std::string text;
    for (size_t o = 0; o < view.operands(); ++o)
        if (uses(view.matrices.outer, o))
            text += fmt::format("    const place e{0} = in_batch{0}{1}{2};\n", o, along(view.rows, "row", "i", o),
                                along(view.columns, "column", "j", o));
    const std::string_view type = c_name(view.matrices.type);
    return text + fmt::format("    const {0} s0 = ({0}){1};\n", type, sum) +
           source_of_program(view.matrices.outer, view.plan, "w");
}

Launch begun(const ProductView& view, const Block& block, std::string_view front, std::string_view local) {
    const Matrices& m = view.matrices;
    const size_t operands = view.operands();
    const int64_t row_blocks = ceil_div(m.rows, block.rows), column_blocks = ceil_div(m.columns, block.columns);
    Header h(view.plan);
    h.add("all_row", m.rows), h.add("all_column", m.columns), h.add("depth", m.depth);
    h.add("row_blocks", row_blocks), h.add("column_blocks", column_blocks);
    for (size_t o = 0; o < operands; ++o) h.add(fmt::format("base{}", o), view.base[o]);
    h.add_loop("batch", view.batches, operands), h.add_loop("row", view.rows, operands);
    h.add_loop("column", view.columns, operands), h.add_loop("depth", view.depth, operands);

    Launch launch;
    launch.wide = view.wide, launch.lanes = block.lanes;
    launch.groups = m.batches * row_blocks * column_blocks;
    launch.source = source_in_front(launch.wide) + std::string(front);
    launch.source += fmt::format(R"cl(
__attribute__((reqd_work_group_size({}, 1, 1)))
kernel void {}({}) {{
{}{}    const int lane = (int)get_local_id(0);
    place unit = (place)get_group_id(0);
{})cl",
                                 block.lanes, kernel_name, source_of_arguments(view.plan), h.text(), local,
                                 source_of_unit(view, block));
    for (size_t o = 0; o < operands; ++o)
        launch.source +=
            fmt::format("    const place in_batch{0} = base{0}{1};\n", o, along(view.batches, "batch", "batch", o));
    launch.nest = std::move(h.numbers), launch.tables = std::move(h.tables);
    return launch;
}

} // namespace tessera::gpu
