// SPDX-License-Identifier: Apache-2.0
// Products, C[b][m][n] = outer(sum over k of A[b][m][k] * B[b][k][n]), each sum in the order that a reduction has
// (core/program/reduction.hpp): 16 partial sums, point k in partial sum k mod 16 of its block of 4096. Products are
// rounded before they are added, as in the interpreter of plans, so that results are equal bit for bit.
//
// A group of work-items computes a block of results. Its rows of A and columns of B go through local memory, `chunk`
// points of k at a time, converted to the type of the sum. There a row has its points of k side by side, so that the 16
// partial sums are a vector on a processor and 16 neighbouring work-items, a team, on a GPU:
//
//   a processor:  float16 sum_i_j += a_i * b_j      a tile of results in registers, then the next tile of the block
//   a GPU:        float   sum_i_j += a_i * b_j      a tile for each team, all of the block at once
//
// Zeros behind the end of k change no sum: partial sums start from +0, and +0 added to anything else leaves it.
#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/steps/matrices.hpp"
#include "gpu/header.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

constexpr int64_t most_table = 1 << 20; // entries

struct Blocking {
    int64_t tile_rows = 4, tile_columns = 4; // results of a vector's tile, or a team's
    int64_t rows = 32, columns = 32;         // of a block
    int64_t chunk = 512;                     // of k; divides 4096
    int64_t pitch = 528;                     // between rows in local memory
};

Blocking blocking_of(const DeviceRow& row, const Matrices& m) {
    Blocking b;
    if (row.processor()) {
        // A row or column alone takes no registers for three more.
        b.tile_rows = m.rows == 1 ? 1 : 4, b.tile_columns = m.columns == 1 ? 1 : 4;
        if (row.vector_floats < 16 && b.tile_rows == 4) b.tile_rows = 2; // of 16 registers a sum takes two
        b.rows = b.tile_rows == 1 ? 1 : 32, b.columns = b.tile_columns == 1 ? 1 : 32;
        return b;
    }
    const int64_t teams = row.lanes / 16, side = teams >= 16 ? 4 : teams >= 4 ? 2 : 1;
    b.tile_rows = b.tile_columns = side == 4 ? 8 : 4;
    b.rows = side * b.tile_rows, b.columns = teams / side * b.tile_columns;
    b.chunk = 64;
    b.pitch = b.chunk + 16 / b.tile_columns; // two teams side by side read from different banks
    return b;
}

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

struct Printer {
    const DeviceRow& row;
    const Plan& plan;
    const Matrices& matrices;
    Blocking block;
    Loop batches, rows, columns, depth;
    size_t operands;

    std::string value() const { return matrices.type == ValueType::f32 ? "float" : "uint"; }
    bool uses(const Program& p, size_t o) const {
        return std::ranges::any_of(p.ops, [&](const Op& op) { return op.operand == int(o); });
    }
    // The elements of the operands of a program at row (or column) i and point k.
    std::string elements(const Program& p, const Loop& loop, std::string_view name, std::string_view i) const {
        std::string text;
        for (size_t o = 0; o < operands; ++o)
            if (uses(p, o))
                text += fmt::format("    const place e{0} = in_batch{0}{1}{2};\n", o, along(loop, name, i, o),
                                    along(depth, "depth", "k", o));
        return text;
    }
    // A factor into local memory: rows first_row.., points first_k...
    std::string packed(const MatrixFactor& f, const Loop& loop, std::string_view name, std::string_view to,
                       int64_t rows_of_block) const {
        const auto s0 = fmt::format("    {} s0;\n", c_name(matrices.type));
        const std::string element = elements(f.program, loop, name, "i") + s0 + source_of_program(f.program, plan, "v");
        const bool rows_are_dense = loop.stride[size_t(f.factor.operand)] == 1 && !loop.table[size_t(f.factor.operand)];
        if (!row.processor())
            return fmt::format(
                R"cl(
        for (int n = lane; n < {0} * {1}; n += {2}) {{
            const int r = {3}, c = {4};
            const place i = first_{5} + r, k = first_k + c;
            {6} packed = 0;
            if (i < all_{5} && k < depth) {{
{7}            packed = ({6})s0;
            }}
            {8}[r * {9} + c] = packed;
        }}
)cl",
                rows_of_block, block.chunk, row.lanes,
                rows_are_dense ? fmt::format("n % {}", rows_of_block) : fmt::format("n / {}", block.chunk),
                rows_are_dense ? fmt::format("n / {}", rows_of_block) : fmt::format("n % {}", block.chunk), name,
                value(), element, to, block.pitch);
        if (rows_are_dense && rows_of_block % 8 == 0)
            return fmt::format(R"cl(
        for (place c = 0; c < padded_points; c += 8) {{
            {0} buffered[8 * {1}];
            for (int n = 0; n < 8; ++n) {{
                const place k = first_k + c + n;
                for (place r = 0; c + n < points && r < {2}s; ++r) {{
                    const place i = first_{2} + r;
{3}                    buffered[n * {1} + r] = ({0})s0;
                }}
                for (place r = c + n < points ? {2}s : 0; r < ({2}s + 7) / 8 * 8; ++r) buffered[n * {1} + r] = 0;
            }}
            for (place r = 0; r < {2}s; r += 8)
                transposed((uint*)(buffered + r), {1}, (local uint*)({4} + r * {5} + c), {5});
        }}
)cl",
                               value(), rows_of_block, name, element, to, block.pitch);
        const std::string one = fmt::format(R"cl(            {{
{0}            {1}[r * {2} + c] = ({3})s0;
            }}
)cl",
                                            element, to, block.pitch, value());
        const std::string over_rows = fmt::format(
            "        for (place r = 0; r < {0}s; ++r) {{\n            const place i = first_{0} + r;\n", name);
        const std::string over_depth =
            "        for (place c = 0; c < points; ++c) {\n            const place k = first_k + c;\n";
        return (rows_are_dense ? over_depth + over_rows : over_rows + over_depth) + one + "        }}\n" +
               fmt::format(
                   "        for (place r = 0; r < padded_{0}s; ++r)\n"
                   "            for (place c = r < {0}s ? points : 0; c < padded_points; ++c) {1}[r * {2} + c] = 0;\n",
                   name, to, block.pitch);
    }
    template <typename F> std::string each_of_tile(F f) const {
        std::string text;
        for (int64_t i = 0; i < block.tile_rows; ++i)
            for (int64_t j = 0; j < block.tile_columns; ++j) text += f(i, j);
        return text;
    }
    // The products of a tile at `k`: T is the type of a value or of 16.
    std::string multiplied(std::string_view type, std::string_view load) const {
        std::string text;
        for (int64_t i = 0; i < block.tile_rows; ++i)
            text += fmt::format("                const {0} a{1} = {2}(a + {3} + k);\n", type, i, load, i * block.pitch);
        for (int64_t j = 0; j < block.tile_columns; ++j) {
            text += fmt::format("                const {0} b{1} = {2}(b + {3} + k);\n", type, j, load, j * block.pitch);
            for (int64_t i = 0; i < block.tile_rows; ++i)
                text += fmt::format("                sum{0}_{1} += a{0} * b{1};\n", i, j);
        }
        return text;
    }
    std::string on_processor() const {
        const std::string type = value() + "16";
        return fmt::format(
            R"cl(
    local {0} partial[{1} * {2}];
    for (place first_k = 0; first_k < depth; first_k += {3}) {{
        const place points = min(depth - first_k, (place){3}), padded_points = (points + 15) & ~15;
        const bool starts = first_k % 4096 == 0, ends = (first_k + {3}) % 4096 == 0 || first_k + {3} >= depth;
{4}{5}
        for (place i = 0; i < rows; i += {6})
            for (place j = 0; j < columns; j += {7}) {{
            local const {8}* const a = a_tile + i * {9};
            local const {8}* const b = b_tile + j * {9};
            local {0}* const partials = partial + i * {2} + j;
{10}            for (place k = 0; k < padded_points; k += 16) {{
{11}            }}
            if (!ends) {{
{12}                continue;
            }}
            local {8}* const total = totals + i * {2} + j;
{13}        }}
    }}
)cl",
            type, block.rows, block.columns, block.chunk, packed(matrices.left, rows, "row", "a_tile", block.rows),
            packed(matrices.right, columns, "column", "b_tile", block.columns), block.tile_rows, block.tile_columns,
            value(), block.pitch, each_of_tile([&](int64_t i, int64_t j) {
                return fmt::format("            {0} sum{1}_{2} = starts ? ({0})0 : partials[{3}];\n", type, i, j,
                                   i * block.columns + j);
            }),
            multiplied(type, "LOADED16"), each_of_tile([&](int64_t i, int64_t j) {
                return fmt::format("                partials[{2}] = sum{0}_{1};\n", i, j, i * block.columns + j);
            }),
            each_of_tile([&](int64_t i, int64_t j) {
                return fmt::format("            JOINED(sum{0}_{1}, total[{2}]);\n", i, j, i * block.columns + j);
            }));
    }
    std::string on_gpu() const {
        const int64_t teams_beside = block.columns / block.tile_columns;
        std::string joins;
        for (int64_t i = 0; i < block.tile_rows; ++i) {
            for (int64_t j = 0; j < block.tile_columns; ++j)
                joins +=
                    fmt::format("        joining[{0} * {1} + lane] = sum{2}_{0}, sum{2}_{0} = 0;\n", j, row.lanes, i);
            joins += fmt::format(R"cl(        barrier(CLK_LOCAL_MEM_FENCE);
        if (of_team < {0}) {{
            local {1}* const sums = joining + of_team * {2} + team * 16;
            JOINED_IN(sums, totals[(tile_row + {3}) * {4} + tile_column + of_team]);
        }}
        barrier(CLK_LOCAL_MEM_FENCE);
)cl",
                                 block.tile_columns, value(), row.lanes, i, block.columns);
        }
        return fmt::format(
            R"cl(
    const int team = lane / 16, of_team = lane % 16;
    const int tile_row = team / {0} * {1}, tile_column = team % {0} * {2};
    local const {3}* const a = a_tile + tile_row * {4} + of_team;
    local const {3}* const b = b_tile + tile_column * {4} + of_team;
    local {3}* const joining = a_tile; // which is not read at that time
{5}    for (place first_k = 0; first_k < depth; first_k += {6}) {{
{7}{8}        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < {6}; k += 16) {{
{9}        }}
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((first_k + {6}) % 4096 != 0 && first_k + {6} < depth) continue;
        const bool starts = first_k < 4096;
{10}    }}
)cl",
            teams_beside, block.tile_rows, block.tile_columns, value(), block.pitch,
            each_of_tile([&](int64_t i, int64_t j) { return fmt::format("    {} sum{}_{} = 0;\n", value(), i, j); }),
            block.chunk, packed(matrices.left, rows, "row", "a_tile", block.rows),
            packed(matrices.right, columns, "column", "b_tile", block.columns), multiplied(value(), "LOADED"), joins);
    }
    std::string epilogue() const {
        std::string element;
        for (size_t o = 0; o < operands; ++o)
            if (uses(matrices.outer, o))
                element += fmt::format("    const place e{0} = in_batch{0}{1}{2};\n", o, along(rows, "row", "i", o),
                                       along(columns, "column", "j", o));
        element += fmt::format("    const {} s0 = ({})totals[r * {} + c];\n", c_name(matrices.type),
                               c_name(matrices.type), block.columns);
        element += source_of_program(matrices.outer, plan, "w");
        if (row.processor())
            return fmt::format(R"cl(    for (place r = 0; r < rows; ++r)
        for (place c = 0; c < columns; ++c) {{
            const place i = first_row + r, j = first_column + c;
{}        }}
)cl",
                               element);
        return fmt::format(R"cl(    for (int n = lane; n < {0} * {1}; n += {2}) {{
        const int r = n / {1}, c = n % {1};
        const place i = first_row + r, j = first_column + c;
        if (i >= all_row || j >= all_column) continue;
{3}    }}
)cl",
                           block.rows, block.columns, row.lanes, element);
    }
};

// The pairs of JOINED are those of a reduction: 8 apart, 4, 2, 1.
constexpr std::string_view joining = R"cl(
#define LOADED16(from) vload16(0, from)
#define LOADED(from) *(from)
#define JOINED(sums, total)                                                                                            \
    do {                                                                                                               \
        const VALUE8 by8 = (sums).lo + (sums).hi;                                                                      \
        const VALUE4 by4 = by8.lo + by8.hi;                                                                            \
        const VALUE2 by2 = by4.lo + by4.hi;                                                                            \
        const VALUE one = by2.lo + by2.hi;                                                                             \
        total = first_k < 4096 ? one : total + one;                                                                    \
    } while (0)
#define JOINED_IN(from, total)                                                                                         \
    do {                                                                                                               \
        const VALUE8 low = vload8(0, from), high = vload8(1, from), by8 = low + high;                                  \
        const VALUE4 by4 = by8.lo + by8.hi;                                                                            \
        const VALUE2 by2 = by4.lo + by4.hi;                                                                            \
        const VALUE one = by2.lo + by2.hi;                                                                             \
        total = starts ? one : total + one;                                                                            \
    } while (0)
)cl";

} // namespace

bool has_product_kernel(const DeviceRow& row, const Plan& plan, const Step& step) {
    const auto m = matrices_of(plan, step);
    if (!m || m->batches == 0 || m->rows == 0 || m->columns == 0 || m->depth == 0) return false;
    return m->batches + m->rows + m->columns + m->depth <= most_table && row.local_bytes >= 24 << 10;
}

Launch launch_of_product(const DeviceRow& row, const Plan& plan, const Step& step) {
    const Matrices m = *matrices_of(plan, step);
    const Space space = with_all_layouts(step.product->space);
    const size_t operands = plan.operands.size();
    const Printer p{row,
                    plan,
                    m,
                    blocking_of(row, m),
                    loop_of(space, m.b, m.batches),
                    loop_of(space, m.m, m.rows),
                    loop_of(space, m.n, m.columns),
                    loop_of(space, m.k, m.depth),
                    operands};
    const Blocking& block = p.block;
    Nest nest;
    nest.loops = {p.batches, p.rows, p.columns, p.depth};
    for (size_t o = 0; o < operands; ++o) nest.base.set(o, space.layouts[o].offset);
    const int64_t row_blocks = ceil_div(m.rows, block.rows), column_blocks = ceil_div(m.columns, block.columns);
    Header h(plan);
    h.add("all_row", m.rows), h.add("all_column", m.columns), h.add("depth", m.depth);
    h.add("row_blocks", row_blocks), h.add("column_blocks", column_blocks);
    for (size_t o = 0; o < operands; ++o) h.add(fmt::format("base{}", o), nest.base[o]);
    h.add_loop("batch", p.batches, operands), h.add_loop("row", p.rows, operands);
    h.add_loop("column", p.columns, operands), h.add_loop("depth", p.depth, operands);

    Launch launch;
    launch.wide = needs_wide_places(plan, nest), launch.lanes = row.lanes;
    launch.groups = m.batches * row_blocks * column_blocks;
    const std::string v = p.value();
    launch.source =
        source_in_front(launch.wide) +
        fmt::format("#define VALUE {0}\n#define VALUE2 {0}2\n#define VALUE4 {0}4\n#define VALUE8 {0}8\n", v) +
        std::string(joining) + (row.processor() ? source_of_transposes(32, "") : "");
    launch.source +=
        fmt::format(R"cl(
__attribute__((reqd_work_group_size({0}, 1, 1)))
kernel void tessera_step({1}) {{
{2}    local {3} a_tile[{4}], b_tile[{5}], totals[{6}];
    place unit = (place)get_group_id(0);
    const place first_column = unit % column_blocks * {7};
    unit /= column_blocks;
    const place first_row = unit % row_blocks * {8};
    const place batch = unit / row_blocks;
)cl",
                    row.lanes, source_of_arguments(plan), h.text(), v,
                    std::max(block.rows * block.pitch, row.processor() ? 0 : block.tile_columns * row.lanes),
                    block.columns * block.pitch, block.rows * block.columns, block.columns, block.rows);
    for (size_t o = 0; o < operands; ++o)
        launch.source +=
            fmt::format("    const place in_batch{0} = base{0}{1};\n", o, along(p.batches, "batch", "batch", o));
    if (row.processor())
        launch.source += fmt::format(
            "    const place rows = min(all_row - first_row, (place){}), columns = min(all_column - first_column, "
            "(place){});\n"
            "    const place padded_rows = (rows + {}) / {} * {}, padded_columns = (columns + {}) / {} * {};\n",
            block.rows, block.columns, block.tile_rows - 1, block.tile_rows, block.tile_rows, block.tile_columns - 1,
            block.tile_columns, block.tile_columns);
    else
        launch.source += "    const int lane = (int)get_local_id(0);\n";
    launch.source += row.processor() ? p.on_processor() : p.on_gpu();
    launch.source += p.epilogue() + "}\n";
    launch.nest = std::move(h.numbers), launch.tables = std::move(h.tables);
    return launch;
}

} // namespace tessera::gpu
