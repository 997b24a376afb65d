// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/view.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "gpu/parts.hpp"

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

bool needs_table(const Space& space, std::span<const size_t> group) {
    return std::ranges::any_of(space.layouts, [&](const Layout& layout) {
        const auto modes = flat(layout, space.dims, group);
        return !modes || !is_strided(*modes);
    });
}

// Rows or columns that need a table give their outer dims to the batches while their blocks stay many, so that all but
// one in 64 of them are full: the tables of large images stay short, 12,544 places for any number of 112x112.
void shorten(const Space& space, std::vector<size_t>& group, int64_t& extent, Matrices& m) {
    constexpr int64_t full_blocks = 64, rows = 128;
    while (group.size() > 1 && extent / space.dims[group[0]] >= full_blocks * rows && needs_table(space, group)) {
        const int64_t outer = space.dims[group[0]];
        m.b.push_back(group[0]), m.batches *= outer;
        group.erase(group.begin()), extent /= outer;
    }
}
struct Seen {
    Space space;
    Matrices matrices;
};
std::optional<Seen> seen(const Plan& plan, const Step& step) {
    auto m = matrices_of(plan, step);
    if (!m) return std::nullopt;
    Seen all{with_all_layouts(step.product->space), std::move(*m)};
    shorten(all.space, all.matrices.m, all.matrices.rows, all.matrices);
    shorten(all.space, all.matrices.n, all.matrices.columns, all.matrices);
    return all;
}

// Dims of the layout are taken in the order of their strides: one that begins within those before it overlaps them, and
// adds what it reaches beyond their end.
double reads_of_value(const Space& space, std::span<const size_t> rows, std::span<const size_t> depth, int operand) {
    std::vector<Mode> modes;
    for (const auto& group : {rows, depth})
        for (const size_t d : group)
            for (const Mode& mode : space.layouts[size_t(operand)].dims[d])
                if (mode.extent > 1) modes.push_back({mode.extent, std::abs(mode.stride)});
    std::ranges::sort(modes, [](const Mode& a, const Mode& b) {
        return a.stride != b.stride ? a.stride < b.stride : a.extent > b.extent;
    });
    double reads = 1, values = 1, reach = 1;
    for (const auto& [extent, stride] : modes) {
        const double further = reach + double(extent - 1) * double(stride);
        reads *= double(extent), values *= double(stride) >= reach ? double(extent) : further / reach;
        reach = further;
    }
    return reads / values;
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

bool has_product_kernel(const DeviceRow& row, const Plan& plan, const Step& step) {
    constexpr int64_t most_table = 1 << 20; // entries
    const auto all = seen(plan, step);
    if (!all) return false;
    const auto& [space, m] = *all;
    if (m.batches == 0 || m.rows == 0 || m.columns == 0 || m.depth == 0) return false;
    const auto is_wide = [&](const MatrixFactor& f) { return bits(plan.operands[size_t(f.factor.operand)].type) > 32; };
    if (!row.processor() && (is_wide(m.left) || is_wide(m.right))) return false;
    int64_t entries = 0;
    for (const auto& [group, extent] : {std::pair(&m.b, m.batches), {&m.m, m.rows}, {&m.n, m.columns}, {&m.k, m.depth}})
        if (needs_table(space, *group)) entries += extent;
    return entries <= most_table && row.local_bytes >= 24 << 10;
}

ProductView view_of(const DeviceRow& row, const Plan& plan, const Step& step) {
    const auto [space, m] = *seen(plan, step);
    Nest nest;
    nest.loops = {loop_of(space, m.b, m.batches), loop_of(space, m.m, m.rows), loop_of(space, m.n, m.columns),
                  loop_of(space, m.k, m.depth)};
    for (size_t o = 0; o < plan.operands.size(); ++o) nest.base.set(o, space.layouts[o].offset);
    const auto ways = [&](size_t k) { return ways_of(nest.loops[k], plan.operands.size()); };
    ProductView view{row, plan, m, ways(0), ways(1), ways(2), ways(3)};
    view.parts.push_back({nest.loops[0], nest.loops[1], nest.loops[2], nest.loops[3], nest.base});
    view.wide = needs_wide_elements(row, plan, nest) || m.batches * m.rows * m.columns > (1 << 30);
    view.fpmath = space.fpmath;
    view.left_reads = reads_of_value(space, m.m, m.k, m.left.factor.operand);
    view.right_reads = reads_of_value(space, m.n, m.k, m.right.factor.operand);
    return view;
}

void turn(ProductView& view) {
    std::swap(view.matrices.left, view.matrices.right);
    std::swap(view.matrices.m, view.matrices.n);
    std::swap(view.matrices.rows, view.matrices.columns);
    std::swap(view.rows, view.columns);
    std::swap(view.left_reads, view.right_reads);
    for (ProductLoops& part : view.parts) std::swap(part.rows, part.columns);
}

bool join(ProductView& view, const ProductView& given) {
    ProductView other = given;
    const Matrices &a = view.matrices, &b = other.matrices;
    if (a.left.factor != b.left.factor) turn(other);
    if (a.left.factor != b.left.factor || a.right.factor != b.right.factor || a.type != b.type) return false;
    if (a.outer != b.outer || a.left.operand != b.left.operand || a.right.operand != b.right.operand) return false;
    if (view.fpmath != other.fpmath) return false;
    view.batches = joined(view.batches, other.batches), view.rows = joined(view.rows, other.rows);
    view.columns = joined(view.columns, other.columns), view.depth = joined(view.depth, other.depth);
    view.parts.insert(view.parts.end(), other.parts.begin(), other.parts.end());
    view.wide |= other.wide;
    return true;
}

std::vector<Extents> extents_of(const ProductView& view) {
    std::vector<Extents> all;
    for (const ProductLoops& p : view.parts) all.push_back({p.batches.extent, p.rows.extent, p.columns.extent});
    return all;
}

bool has_dense_rows(const ProductView& view, const Side& side, int64_t rows) {
    return side.way().is_dense(rows) && !view.depth[size_t(side.matrix())].is_dense(rows);
}

bool has_whole(const ProductView& view, int operand, Loop ProductLoops::*along, Loop ProductLoops::*across,
               int64_t width) {
    const auto o = size_t(operand);
    const auto steps_by_width = [&](const Loop& loop) {
        if (loop.table[o]) return std::ranges::all_of(*loop.table[o], [&](int64_t at) { return at % width == 0; });
        return loop.extent == 1 || loop.stride[o] % width == 0;
    };
    const int bytes = bits(view.plan.operands[o].type) / 8; // of an element
    return view.row.aligned && bytes > 0 && view.plan.operands[o].bytes % (width * bytes) == 0 &&
           std::ranges::all_of(view.parts, [&](const ProductLoops& p) {
               return way_of(p.*along, o).is_dense(width) && (p.*along).extent % width == 0 && p.base[o] % width == 0 &&
                      steps_by_width(p.batches) && steps_by_width(p.*across);
           });
}

bool rows_are_near(const ProductView& view, const Side& side) {
    return side.way().near && !view.depth[size_t(side.matrix())].near;
}

std::string source_of_places(const ProductView& view, const Side& side, Of of) {
    std::string text;
    for (size_t o = 0; o < view.operands(); ++o)
        if (uses(side.factor.program, o) && (of == Of::all || (of == Of::matrix) == (int(o) == side.matrix())))
            text += fmt::format("    const place e{0} = in_batch{0}{1}{2};\n", o, along(side.ways, side.name, "i", o),
                                along(view.depth, "depth", "k", o));
    return text;
}

std::string source_of_value(const ProductView& view, const Side& side, Access access) {
    return fmt::format("    {} s0;\n", c_name(view.matrices.type)) +
           source_of_program(side.factor.program, view.plan, "v", access);
}

std::string source_of_outer(const ProductView& view, std::string_view sum, const Access& access) {
    std::string text;
    for (size_t o = 0; o < view.operands(); ++o)
        if (uses(view.matrices.outer, o))
            text += fmt::format("    const place e{0} = in_batch{0}{1}{2};\n", o, along(view.rows, "row", "i", o),
                                along(view.columns, "column", "j", o));
    const std::string_view type = c_name(view.matrices.type);
    return text + fmt::format("    const {0} s0 = ({0}){1};\n", type, sum) +
           source_of_program(view.matrices.outer, view.plan, "w", access);
}

Launch begun(const ProductView& view, const Block& block, std::string_view front, std::string_view local,
             std::string_view attribute) {
    const size_t operands = view.operands();
    std::vector<LaunchPart> parts;
    std::string header;
    for (const ProductLoops& part : view.parts) {
        const int64_t row_blocks = ceil_div(part.rows.extent, block.rows);
        const int64_t column_blocks = ceil_div(part.columns.extent, block.columns);
        Header h(view.plan);
        h.add("all_row", part.rows.extent), h.add("all_column", part.columns.extent);
        h.add("depth", part.depth.extent);
        h.add("row_blocks", row_blocks), h.add("column_blocks", column_blocks);
        for (size_t o = 0; o < operands; ++o) h.add(fmt::format("base{}", o), part.base[o]);
        h.add_loop("batch", part.batches, operands), h.add_loop("row", part.rows, operands);
        h.add_loop("column", part.columns, operands), h.add_loop("depth", part.depth, operands);
        header = h.text();
        parts.push_back({std::move(h.numbers), std::move(h.tables), part.batches.extent * row_blocks * column_blocks});
    }
    Launch launch;
    launch.wide = view.wide, launch.lanes = block.lanes;
    launch.source = source_in_front(launch.wide, view.row.converts_f16()) + std::string(front);
    launch.source += fmt::format(R"cl(
{}__attribute__((reqd_work_group_size({}, 1, 1)))
kernel void {}({}) {{
{}{}    const int lane = (int)get_local_id(0);
    place unit = group;
{})cl",
                                 attribute, block.lanes, kernel_name, source_of_arguments(view.plan), header, local,
                                 source_of_unit(view, block));
    for (size_t o = 0; o < operands; ++o)
        launch.source +=
            fmt::format("    const place in_batch{0} = base{0}{1};\n", o, along(view.batches, "batch", "batch", o));
    set_parts(launch, parts);
    return launch;
}

} // namespace tessera::gpu
