// SPDX-License-Identifier: Apache-2.0
// Fills and maps; those of GPUs are in maps. On a processor work is cut into units of some rows and columns: columns
// are the loop along which the operand that is stored is dense, rows another loop, and the loops around them give each
// unit its place once. A work-item runs a unit, whose loop over columns the compiler vectorises, since it knows which
// operands are dense there.
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
#include "gpu/maps/view.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

struct Shape {
    std::vector<Loop> others;
    Loop rows, columns;
    int64_t row_run = 1, column_run = 1; // of a unit
    Access access;
    int64_t pitch = 0, tile = 0; // of the tile: elements between its rows, elements
};

int64_t power_of_two(int64_t at_least) { return int64_t(std::bit_ceil(uint64_t(at_least))); }

// The operand that is read through a tile: it is dense along another loop than the columns, and strided along those.
int staged_operand(const Plan& plan, const Step& step, const Nest& nest, size_t columns) {
    const Program* const program = step.kind == StepKind::fill ? nullptr : &plan.programs[size_t(step.program)];
    const auto rows = rows_of_tile(plan, program, nest, columns);
    return rows && nest.loops[*rows].extent >= 4 ? 0 : -1;
}

// Whether elements of 4 bits are stored two at a time: each pair along the columns is a byte.
bool is_paired(const Plan& plan, const Nest& nest, size_t columns, int stored) {
    if (columns == nest.loops.size() || bits(plan.operands[size_t(stored)].type) != 4) return false;
    return has_whole(nest, size_t(stored), columns, 2);
}

Shape shape_of(const Plan& plan, const Step& step, const Nest& nest, int stored) {
    Shape s;
    s.others = nest.loops;
    const auto take = [&](size_t k) {
        const Loop loop = s.others[k];
        s.others.erase(s.others.begin() + long(k));
        return loop;
    };
    if (s.others.empty()) return s;
    const size_t dense = dense_loop(nest, size_t(stored));
    s.access.staged = staged_operand(plan, step, nest, dense);
    const size_t columns = dense < nest.loops.size() ? dense : nest.loops.size() - 1;
    size_t rows = s.access.staged >= 0 ? dense_loop(nest, 0) : columns ? columns - 1 : columns + 1;
    if (is_paired(plan, nest, dense, stored)) s.access.paired = stored;
    s.columns = take(columns);
    rows -= rows > columns;
    if (rows < s.others.size()) s.rows = take(rows);
    constexpr int64_t points = 4096; // a few microseconds; a tile within L1
    const bool staged = s.access.staged >= 0;
    s.column_run =
        std::min(s.columns.extent, staged ? points / power_of_two(std::min<int64_t>(s.rows.extent, 64)) : points);
    s.pitch = s.column_run < 8 ? s.column_run : round_up(s.column_run, int64_t(16)); // transposed() wants that
    s.row_run = std::clamp<int64_t>(points / (staged ? s.pitch : s.column_run), 1, s.rows.extent);
    s.tile = points;
    return s;
}

std::string source_of_staging(const Plan& plan, const Shape& s) {
    const auto type = c_name_of_bits(bits(plan.operands[size_t(s.access.staged)].type));
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
    place at[{0}] = {{{1}}};
    PLACE(at, {0}, loops, tables, others, unit / row_units);
    const place columns = min(column_run, all_columns - first_column), rows = min(row_run, all_rows - first_row);
)cl",
                                   operands, bases);
    for (size_t o = 0; o < operands; ++o) {
        const std::string row = fmt::format("(table_row{0} < 0 ? first_row * stride_row{0} : 0)", o);
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
std::string source_of_points(const Shape& s, size_t operands, std::string_view body) {
    const bool paired = s.access.paired >= 0;
    std::string rows = "    const place r = n_row;\n", elements;
    for (size_t o = 0; o < operands; ++o) {
        if (int(o) == s.access.staged) continue;
        rows += fmt::format("    const place row{0} = start{0} + (table_row{0} < 0 ? r * stride_row{0} : "
                            "tables[table_row{0} + first_row + r]);\n",
                            o);
        elements += fmt::format("    const place e{} = {};\n", o, element(s.columns, o));
    }
    if (s.access.staged >= 0) elements += "    const place in_tile = r * pitch + c;\n";
    std::string text =
        fmt::format("    for (place n_row = 0; n_row < rows; ++n_row) {{\n{}    for (place n = 0; n < {}; ++n) {{\n",
                    rows, paired ? "columns / 2" : "columns");
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
    if (!row.processor()) return launch_on_gpu(view_of(row, plan, step, nest, stored));
    const Shape s = shape_of(plan, step, nest, stored);
    const int64_t row_units = ceil_div(s.rows.extent, s.row_run);
    const int64_t column_units = ceil_div(s.columns.extent, s.column_run);
    Header h(plan);
    h.add("all_rows", s.rows.extent), h.add("row_run", s.row_run), h.add("row_units", row_units);
    h.add("all_columns", s.columns.extent), h.add("column_run", s.column_run), h.add("column_units", column_units);
    h.add("pitch", s.pitch), h.add("others", int64_t(s.others.size()));
    for (size_t o = 0; o < operands; ++o) h.add(fmt::format("base{}", o), nest.base[o]);
    h.add_loop("row", s.rows, operands), h.add_loop("column", s.columns, operands);
    h.add_loops(s.others, operands);

    Launch launch;
    launch.wide = needs_wide_places(row, plan, nest), launch.lanes = row.lanes;
    launch.groups = iterations(s.others) * row_units * column_units;
    std::string& text = launch.source = source_in_front(launch.wide, row.converts_f16());
    const bool staged = s.access.staged >= 0;
    const int staged_bits = staged ? bits(plan.operands[size_t(s.access.staged)].type) : 0;
    if (staged) text += source_of_transposes(staged_bits, "global");
    text += fmt::format("\n__attribute__((reqd_work_group_size({}, 1, 1)))\nkernel void tessera_step({}) {{\n{}",
                        row.lanes, source_of_arguments(plan), h.text());
    if (staged)
        text +=
            fmt::format("    local {} tile[{}] __attribute__((aligned(16)));\n", c_name_of_bits(staged_bits), s.tile);
    text += source_of_unit(s, operands);
    if (staged) text += source_of_staging(plan, s);
    text += source_of_points(
        s, operands, fills ? source_of_fill(plan, stored, s.access) : source_of_program(*program, plan, "v", s.access));
    text += "}\n";
    launch.nest = std::move(h.numbers), launch.tables = std::move(h.tables);
    return launch;
}

} // namespace tessera::gpu
