// SPDX-License-Identifier: Apache-2.0
// Fills and maps. Work is cut into units of some rows and columns: columns are the loop along which the operand that is
// stored is dense, rows another loop, and the loops around them give each unit its place once. A group of work-items
// runs a unit; on a processor that is one work-item, whose loop over columns the compiler vectorises, since it knows
// which operands are dense there.
//
// Where another operand is dense along another loop (nchw to nhwc), that loop is the rows and the operand is staged: a
// unit reads it along the rows into a tile in local memory, and the program takes it from there along the columns.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"
#include "gpu/header.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

struct Shape {
    std::vector<Loop> others;
    Loop rows, columns;
    Loop more;                                         // GPUs: rows of rows, where one loop's are too few for a group
    int64_t row_run = 1, column_run = 1, more_run = 1; // of a unit
    int64_t lane_columns = 1, read_rows = 1; // lanes beside each other, at points and reading a tile; powers of two
    Access access;
    int64_t pitch = 0, tile = 0; // of the tile: elements between its rows, elements
};

int64_t power_of_two(int64_t at_least) { return int64_t(std::bit_ceil(uint64_t(at_least))); }

// The operand that is read through a tile: it is dense along another loop than the columns, and strided along those.
int staged_operand(const DeviceRow& row, const Plan& plan, const Step& step, const Nest& nest, size_t columns) {
    if (step.kind == StepKind::fill || columns == nest.loops.size() || plan.operands.size() < 2) return -1;
    const Operand& first = plan.operands[0];
    if (first.counted || bits(first.type) < 8) return -1;
    for (const Op& op : plan.programs[size_t(step.program)].ops)
        if (op.code == OpCode::store && op.operand == 0) return -1;
    const size_t dense = dense_loop(nest, 0);
    if (dense == nest.loops.size() || dense == columns) return -1;
    const Loop& loop = nest.loops[columns];
    const bool strided = !loop.table[0] && loop.stride[0] != 0;
    // Blocks of fewer than two points for each work-item of a group on a GPU stay in caches without a tile.
    const bool small = !row.processor() && loop.extent * nest.loops[dense].extent < 2 * row.lanes;
    return strided && nest.loops[dense].extent >= 4 && !small ? 0 : -1;
}

// Whether elements of 4 bits are stored two at a time: each pair along the columns is a byte.
bool is_paired(const Plan& plan, const Nest& nest, size_t columns, int stored) {
    const auto o = size_t(stored);
    if (columns == nest.loops.size() || bits(plan.operands[o].type) != 4) return false;
    if (nest.loops[columns].extent % 2 || nest.base[o] % 2) return false;
    const auto keeps = [&](const Loop& loop) {
        if (&loop == &nest.loops[columns]) return true;
        if (!loop.table[o]) return loop.stride[o] % 2 == 0;
        return std::ranges::all_of(*loop.table[o], [](int64_t at) { return at % 2 == 0; });
    };
    return std::ranges::all_of(nest.loops, keeps);
}

// A work-item has 16 points, which pays for the divisions that find the place of its group: on an H200 copies of 205 MB
// take 132 us with 4 points, 112 with 8, 107 with 16; f32 nchw -> nhwc 280, 228 and 134. It has fewer where there would
// not be two groups for each unit.
constexpr int64_t most_points = 16, least_points = 4;
int64_t points_of_group(const DeviceRow& row, const Nest& nest) {
    const int64_t share = ceil_div(nest.points(), 2 * row.units * row.lanes);
    return row.lanes * std::clamp(power_of_two(share), least_points, most_points);
}

Shape shape_of(const DeviceRow& row, const Plan& plan, const Step& step, const Nest& nest, int stored) {
    Shape s;
    s.others = nest.loops;
    const auto take = [&](size_t k) {
        const Loop loop = s.others[k];
        s.others.erase(s.others.begin() + long(k));
        return loop;
    };
    if (s.others.empty()) return s;
    const size_t dense = dense_loop(nest, size_t(stored));
    s.access.staged = staged_operand(row, plan, step, nest, dense);
    const size_t columns = dense < nest.loops.size() ? dense : nest.loops.size() - 1;
    size_t rows = s.access.staged >= 0 ? dense_loop(nest, 0) : columns ? columns - 1 : columns + 1;
    if (is_paired(plan, nest, dense, stored)) s.access.paired = stored;
    s.columns = take(columns);
    rows -= rows > columns;
    if (rows < s.others.size()) s.rows = take(rows);
    if (row.processor()) {
        constexpr int64_t points = 4096; // a few microseconds; a tile within L1
        s.column_run =
            std::min(s.columns.extent,
                     s.access.staged >= 0 ? points / power_of_two(std::min<int64_t>(s.rows.extent, 64)) : points);
        s.pitch = s.column_run < 8 ? s.column_run : round_up(s.column_run, int64_t(16)); // transposed() wants that
        s.row_run = std::clamp<int64_t>(points / (s.access.staged >= 0 ? s.pitch : s.column_run), 1, s.rows.extent);
        s.tile = points;
    } else if (s.access.staged >= 0) {
        // Half of local memory, for two groups at a time; rows of an odd number of elements put neighbours into
        // different banks.
        constexpr int64_t most_rows = 512;
        const int64_t room = int64_t(std::bit_floor(uint64_t(row.local_bytes * 4 / bits(plan.operands[0].type))));
        const int64_t points = std::min(room, points_of_group(row, nest));
        s.column_run = std::min<int64_t>(s.columns.extent, 32);
        s.row_run = std::min({s.rows.extent, points / power_of_two(s.column_run), most_rows});
        s.column_run = std::min(s.columns.extent, points / power_of_two(s.row_run));
        s.lane_columns = std::min(row.lanes, power_of_two(s.column_run));
        s.read_rows = std::min({int64_t(32), row.lanes, power_of_two(s.row_run)});
        s.pitch = s.column_run | 1, s.tile = std::min(room, most_points * row.lanes) + most_rows;
    } else {
        // Points of a work-item, next to those of its neighbours.
        const int64_t points = points_of_group(row, nest) / row.lanes;
        s.lane_columns = std::min(row.lanes, power_of_two(s.columns.extent));
        s.column_run = std::min(s.columns.extent, points * s.lane_columns);
        const int64_t wanted = row.lanes / s.lane_columns * (s.column_run > s.lane_columns ? 1 : points);
        s.row_run = std::min(wanted, s.rows.extent);
        const auto longest =
            std::ranges::max_element(s.others, {}, [](const Loop& l) { return l.indexed() ? 0 : l.extent; });
        if (wanted > s.rows.extent && longest != s.others.end() && !longest->indexed()) {
            s.more_run = std::min(wanted / s.rows.extent, longest->extent);
            s.more = take(size_t(longest - s.others.begin()));
        }
    }
    return s;
}

std::string source_of_staging(const DeviceRow& row, const Plan& plan, const Shape& s) {
    const auto type = c_name_of_bits(bits(plan.operands[size_t(s.access.staged)].type));
    if (!row.processor())
        return fmt::format(R"cl(
    for (int c = lane / {3}; c < columns; c += {0} / {3})
        for (int r = lane % {3}; r < rows; r += {3})
            tile[r * pitch + c] = ((global const {1}*)o{2})[start{2} + r + c * stride_column{2}];
    barrier(CLK_LOCAL_MEM_FENCE);
)cl",
                           row.lanes, type, s.access.staged, s.read_rows);
    return fmt::format(R"cl(
    global const {0}* const from = (global const {0}*)o{1} + start{1};
    const place whole_columns = columns & -{2}, whole_rows = rows & -{2};
    for (place c = 0; c < whole_columns; c += {2}) {{
        for (place r = 0; r < whole_rows; r += {2})
            transposed(from + r + c * stride_column{1}, stride_column{1}, tile + r * pitch + c, pitch);
        for (place r = whole_rows; r < rows; ++r)
            for (place k = c; k < c + {2}; ++k) tile[r * pitch + k] = from[r + k * stride_column{1}];
    }}
    for (place c = whole_columns; c < columns; ++c)
        for (place r = 0; r < rows; ++r) tile[r * pitch + c] = from[r + c * stride_column{1}];
)cl",
                       type, s.access.staged, block_of_transposes(bits(plan.operands[size_t(s.access.staged)].type)));
}

// The element of operand o in this row and column.
std::string element(const Loop& columns, size_t o) {
    if (columns.table[o]) return fmt::format("row{0} + tables[table_of_unit{0} + c]", o);
    return fmt::format("row{}{}", o, along(columns, "column", "c", o));
}

// Where a unit is, and how large.
std::string source_of_unit(const Shape& s, size_t operands) {
    std::string bases;
    for (size_t o = 0; o < operands; ++o) bases += fmt::format("{}base{}", o ? ", " : "", o);
    std::string text = fmt::format(R"cl(    place unit = group;
    const place first_column = unit % column_units * column_run;
    unit /= column_units;
    const place first_row = unit % row_units * row_run;
    unit /= row_units;
    const place first_more = unit % more_units * more_run;
    place at[{0}] = {{{1}}};
    PLACE(at, {0}, loops, tables, others, unit / more_units);
    const place columns = min(column_run, all_columns - first_column), rows = min(row_run, all_rows - first_row);
    const place more = min(more_run, all_more - first_more);
)cl",
                                   operands, bases);
    for (size_t o = 0; o < operands; ++o) {
        const std::string row =
            fmt::format("(table_row{0} < 0 ? first_row * stride_row{0} : 0) + first_more * stride_more{0}", o);
        if (s.columns.table[o]) // the unit's part of the table instead
            text += fmt::format("    const place start{0} = at[{0}] + {1}, table_of_unit{0} = table_column{0} + "
                                "first_column;\n",
                                o, row);
        else
            text +=
                fmt::format("    const place start{0} = at[{0}] + {1} + first_column * stride_column{0};\n", o, row);
    }
    return text;
}

// `body` at every point of the unit.
std::string source_of_points(const DeviceRow& row, const Shape& s, size_t operands, std::string_view body) {
    const bool paired = s.access.paired >= 0, has_more = s.more.extent > 1;
    std::string rows =
                    has_more ? "    const place r = n_row % rows, m = n_row / rows;\n" : "    const place r = n_row;\n",
                elements;
    for (size_t o = 0; o < operands; ++o) {
        if (int(o) == s.access.staged) continue;
        rows += fmt::format("    const place row{0} = start{0} + (table_row{0} < 0 ? r * stride_row{0} : "
                            "tables[table_row{0} + first_row + r]){1};\n",
                            o, has_more ? fmt::format(" + m * stride_more{}", o) : "");
        elements += fmt::format("    const place e{} = {};\n", o, element(s.columns, o));
    }
    if (s.access.staged >= 0) elements += "    const place in_tile = r * pitch + c;\n";
    const std::string_view count = paired ? "columns / 2" : "columns";
    std::string text =
        row.processor()
            ? fmt::format(
                  "    for (place n_row = 0; n_row < rows; ++n_row) {{\n{}    for (place n = 0; n < {}; ++n) {{\n",
                  rows, count)
            : fmt::format(
                  R"cl(    const int lane_column = lane % (int)lane_columns, lane_rows = {0} / (int)lane_columns;
    for (place n_row = lane / (int)lane_columns; n_row < rows * more; n_row += lane_rows) {{
{1}    for (place n = lane_column; n < {2}; n += lane_columns) {{
)cl",
                  row.lanes, rows, count);
    if (paired) { // printed twice, because a loop over halves is not vectorised
        text += "    uint codes = 0;\n";
        for (int half = 0; half < 2; ++half)
            text += fmt::format(
                "    {{\n    const int half_of_byte = {0};\n    const place c = 2 * n + {0};\n{1}{2}    }}\n", half,
                elements, body);
        text += fmt::format("    o{0}[row{0} / 2 + n] = (uchar)codes;\n", s.access.paired);
    } else {
        text += "    const place c = n;\n" + elements + std::string(body);
    }
    return text + "    }\n    }\n";
}

std::string source_of_fill(const Plan& plan, int operand, Access access) {
    const int width = bits(plan.operands[size_t(operand)].type);
    if (width == 4) return access.paired >= 0 ? "" : fmt::format("    put_nibble(o{0}, e{0}, 0);\n", operand);
    return fmt::format("    put_bits_{0}(o{1}, e{1}, 0);\n", width, operand);
}

} // namespace

Launch launch_of_map(const DeviceRow& row, const Plan& plan, const Step& step) {
    const size_t operands = plan.operands.size();
    const bool fills = step.kind == StepKind::fill;
    const Program* const program = fills ? nullptr : &plan.programs[size_t(step.program)];
    const int stored = fills ? step.fill_operand : program->ops.back().operand;
    const Nest nest = coalesce(step.nest, int(operands));
    if (nest.points() == 0) return {};
    const Shape s = shape_of(row, plan, step, nest, stored);
    const int64_t row_units = ceil_div(s.rows.extent, s.row_run);
    const int64_t column_units = ceil_div(s.columns.extent, s.column_run);
    const int64_t more_units = ceil_div(s.more.extent, s.more_run);
    Header h(plan);
    h.add("all_more", s.more.extent), h.add("more_run", s.more_run), h.add("more_units", more_units);
    h.add("all_rows", s.rows.extent), h.add("row_run", s.row_run), h.add("row_units", row_units);
    h.add("all_columns", s.columns.extent), h.add("column_run", s.column_run), h.add("column_units", column_units);
    h.add("pitch", s.pitch), h.add("lane_columns", s.lane_columns), h.add("others", int64_t(s.others.size()));
    for (size_t o = 0; o < operands; ++o) h.add(fmt::format("base{}", o), nest.base[o]);
    h.add_loop("row", s.rows, operands), h.add_loop("column", s.columns, operands);
    h.add_loop("more", s.more, operands);
    h.add_loops(s.others, operands);

    Launch launch;
    launch.wide = needs_wide_places(plan, nest), launch.lanes = row.lanes;
    launch.groups = iterations(s.others) * more_units * row_units * column_units;
    std::string& text = launch.source = source_in_front(launch.wide);
    const bool staged = s.access.staged >= 0;
    const int staged_bits = staged ? bits(plan.operands[size_t(s.access.staged)].type) : 0;
    if (staged && row.processor()) text += source_of_transposes(staged_bits, "global");
    text += fmt::format("\n__attribute__((reqd_work_group_size({}, 1, 1)))\nkernel void tessera_step({}) {{\n{}",
                        row.lanes, source_of_arguments(plan), h.text());
    if (!row.processor()) text += "    const int lane = (int)get_local_id(0);\n";
    if (staged)
        text +=
            fmt::format("    local {} tile[{}] __attribute__((aligned(16)));\n", c_name_of_bits(staged_bits), s.tile);
    text += source_of_unit(s, operands);
    if (staged) text += source_of_staging(row, plan, s);
    text += source_of_points(row, s, operands,
                             fills ? source_of_fill(plan, stored, s.access)
                                   : source_of_program(*program, plan, "v", s.access));
    text += "}\n";
    launch.nest = std::move(h.numbers), launch.tables = std::move(h.tables);
    return launch;
}

} // namespace tessera::gpu
