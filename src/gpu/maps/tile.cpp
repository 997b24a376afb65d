// SPDX-License-Identifier: Apache-2.0
// Maps on GPUs that read one operand along other loops than they store along (nchw to nhwc): through a tile in local
// memory. The tile has rows, along which that operand is dense, and columns; tiles that are small come several at a
// time, along a third loop.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"
#include "gpu/maps/batches.hpp"

namespace tessera::gpu {

namespace {

int64_t power_of_two(int64_t at_least) { return int64_t(std::bit_ceil(uint64_t(at_least))); }

struct TileShape {
    Loop rows, columns, more;
    std::vector<Loop> others;
    // Powers of two: of a tile and, of columns, accesses of a row of it.
    int64_t row_slots = 1, column_slots = 1, access_slots = 1;
    int64_t more_run = 1;
    int64_t pitch = 1; // elements between rows of a tile
};

// Half of local memory, so that two groups fit.
int64_t most_elements(const MapView& view) {
    return int64_t(std::bit_floor(uint64_t(view.row.local_bytes * 4 / view.width_bits(size_t(view.staged)))));
}

// Rows begin in different banks of local memory, of 4 bytes each: work-items beside each other store to neighbouring
// rows of a column, and to the next columns where rows are few.
int64_t pitch_of(int64_t rows, int64_t columns, int bits) {
    const int64_t words = std::max<int64_t>(columns * bits / 32, 1);
    const int64_t beside = bits == 64 ? 1 : std::max<int64_t>(32 / std::min<int64_t>(rows, 32) * bits / 32, 1);
    return (words > 1 ? words + (bits == 64 ? 2 : beside) : words) * 32 / bits;
}

TileShape tile_shape_of(const MapView& view) {
    TileShape s;
    const auto o = size_t(view.staged);
    const size_t rows = dense_loop(view.nest, o);
    for (size_t k = 0; k < view.nest.loops.size(); ++k)
        if (k == rows)
            s.rows = view.nest.loops[k];
        else if (k == view.columns)
            s.columns = view.nest.loops[k];
        else
            s.others.push_back(view.nest.loops[k]);
    // As many bytes along rows as along columns.
    const int bits = view.width_bits(o), stored_bits = view.width_bits(size_t(view.stored));
    const int64_t lanes = view.row.lanes;
    const int64_t points = std::min(most_elements(view), view.points() * lanes);
    int64_t square = 4;
    while (2 * square * 2 * square * stored_bits <= points * bits) square *= 2;
    s.column_slots = std::min({power_of_two(s.columns.extent), square, lanes});
    s.row_slots = std::min({power_of_two(s.rows.extent), points / s.column_slots, lanes});
    s.column_slots = std::min({power_of_two(s.columns.extent), points / s.row_slots, lanes * view.width});
    s.access_slots = s.column_slots / view.width;
    s.pitch = pitch_of(s.row_slots, s.column_slots, bits);
    const auto longest =
        std::ranges::max_element(s.others, {}, [](const Loop& l) { return l.indexed() ? 0 : l.extent; });
    if (longest != s.others.end() && !longest->indexed()) {
        s.more = *longest;
        s.others.erase(longest);
        s.more_run =
            std::min(std::max<int64_t>(points / (s.row_slots * s.column_slots), 1), power_of_two(s.more.extent));
    }
    return s;
}

// Of the largest tile, with what is between its rows: a word for eight elements, or 32 for as many as there are
// work-items, which is what a tile has at least.
int64_t tile_words(const MapView& view) {
    const int bits = view.width_bits(size_t(view.staged));
    const int64_t most = std::min(most_elements(view), view.most_points() * view.row.lanes);
    return most * bits / 32 + most / std::min<int64_t>(8, view.row.lanes / 32) * std::max(bits / 32, 1);
}

// How the work-items of a group go over the tiles: `beside` of the `slots` rows (or columns) of a tile in each step,
// then the next tile.
struct Walk {
    int64_t slots, beside, tiles;
    int64_t of_tile() const { return std::max<int64_t>(slots / beside, 1); }
    int64_t steps() const { return of_tile() * tiles; }
    // Step `first + k`: how far it is in its tile, n, and the number of the tile, m.
    std::string number(bool clamped, std::string_view left) const {
        std::string n = fmt::format("{} * {}",
                                    tiles == 1 ? "(first + k)" : fmt::format("((first + k) & {})", of_tile() - 1),
                                    beside),
                    m = fmt::format("(first + k) >> {}", std::countr_zero(uint64_t(of_tile())));
        if (clamped) n = fmt::format("min({}, {} - 1)", n, left), m = fmt::format("min({}, more - 1)", m);
        return fmt::format("    const int n = {}{};\n", n, tiles == 1 ? "" : ", m = " + m);
    }
    // " + m * by": what the number of the tile adds.
    std::string of_tiles(std::string_view by) const { return tiles == 1 ? "" : fmt::format(" + m * {}", by); }
};
Walk reading(const MapView& view, const TileShape& s) {
    return {s.column_slots, std::max<int64_t>(view.row.lanes / s.row_slots, 1), s.more_run};
}
Walk writing(const MapView& view, const TileShape& s) {
    return {s.row_slots, std::max<int64_t>(view.row.lanes / s.access_slots, 1), s.more_run};
}

// All of the tiles' elements, in batches of loads. Beyond its last row and column a tile has that element again.
std::string source_of_reading(const MapView& view, const TileShape& s) {
    const auto o = size_t(view.staged);
    const Walk walk = reading(view, s);
    const auto type = c_name_of_bits(view.width_bits(o));
    const int64_t batch = std::min<int64_t>(view.width_bits(o) == 64 ? 8 : 16, walk.steps());
    const auto each = [&](const std::string& body, bool clamped) {
        return fmt::format("#pragma unroll\n    for (int k = 0; k < {}; ++k) {{\n{}        {}\n    }}\n", batch,
                           walk.number(clamped, "read_left"), body);
    };
    const std::string load = fmt::format("x[k] = ((global const {0}*)o{1})[read_start + n * stride_column{1}{2}];",
                                         type, o, walk.of_tiles(fmt::format("stride_more{}", o)));
    const std::string store = fmt::format("((local {}*)tile)[read_at + n{}] = x[k];", type,
                                          walk.of_tiles(std::to_string(s.row_slots * s.pitch)));
    return fmt::format(
        R"cl(
    const int read_r = lane & {1}, read_c = lane / {2}, read_at = read_r * {3} + read_c;
    const int read_left = max(columns - read_c, 1);
    const place read_start =
        start{0} + min(read_r, rows - 1) + (first_column + min(read_c, columns - 1)) * stride_column{0};
{4}    barrier(CLK_LOCAL_MEM_FENCE);
)cl",
        o, s.row_slots - 1, s.row_slots, s.pitch,
        source_of_loop(walk.steps(), batch,
                       fmt::format("    {} x[{}];\n{}{}", type, batch, each(load, true), each(store, false))));
}

std::string source_of_unit(const MapView& view, const TileShape& s, bool wide) {
    std::string text = "    place unit = group, next;\n";
    const auto number = [&](const std::string& name, const std::string& units, bool last) {
        text += last ? "    next = 0;\n" : fmt::format("    next = {};\n", divided("unit", units, wide));
        text += fmt::format("    const place {} = unit - next * {};\n    unit = next;\n", name, units);
    };
    number("column_unit", "column_units", false), number("row_unit", "row_units", false);
    number("more_unit", "more_units", s.others.empty());
    for (size_t k = s.others.size(); k-- > 0;) number(fmt::format("i{}", k), fmt::format("all{}", k), k == 0);
    text += fmt::format(R"cl(    const place first_column = column_unit * {0}, first_row = row_unit * {1};
    const place first_more = more_unit * {2};
    const int columns = (int)min((place){0}, all_columns - first_column);
    const int rows = (int)min((place){1}, all_rows - first_row), more = (int)min((place){2}, all_more - first_more);
)cl",
                        s.column_slots, s.row_slots, s.more_run);
    for (size_t o = 0; o < view.operands(); ++o) {
        std::string start = fmt::format("base{}", o);
        for (size_t k = 0; k < s.others.size(); ++k)
            start += along(s.others[k], fmt::format("other{}_", k), fmt::format("i{}", k), o);
        start += along(s.more, "more", "first_more", o);
        if (!s.rows.table[o]) start += along(s.rows, "row", "first_row", o);
        text += fmt::format("    const place start{} = {};\n", o, start);
    }
    return text;
}

// From the tiles to what is stored.
std::string source_of_writing(const MapView& view, const TileShape& s) {
    const Walk walk = writing(view, s);
    Steps steps{walk.steps(),
                "write_left > 0",
                walk.number(false, ""),
                walk.tiles == 1 ? "n < write_left" : "n < write_left && m < more",
                walk.number(true, "write_left"),
                {},
                {}};
    std::string starts = fmt::format(
        R"cl(    const int write_c = lane % {0} * {1}, write_r = lane / {0}, write_at = write_r * {2} + write_c;
    const int write_left = write_c < columns ? rows - write_r : 0;
    const place c = first_column + write_c;
)cl",
        s.access_slots, view.width, s.pitch);
    steps.rows = fmt::format("    const int in_tile = write_at + n * {}{};\n", s.pitch,
                             walk.of_tiles(std::to_string(s.row_slots * s.pitch)));
    for (size_t o = 0; o < view.operands(); ++o) {
        const std::string more = walk.tiles == 1 ? "" : along(s.more, "more", "m", o);
        const bool table = bool(s.rows.table[o]);
        starts += fmt::format("    const place write_start{0} = start{0}{1};\n", o,
                              table ? "" : along(s.rows, "row", "min(write_r, rows - 1)", o));
        steps.rows += fmt::format("    const place row{0} = write_start{0}{1}{2};\n", o, more,
                                  along(s.rows, "row", table ? "(first_row + write_r + n)" : "n", o));
        const auto keeps = [&](const Loop& loop) {
            return loop.extent == 1 || (!loop.table[o] && loop.stride[o] == 0);
        };
        steps.held.push_back(int(o) != view.staged && keeps(s.rows) && (walk.tiles == 1 || keeps(s.more)));
    }
    return starts + source_of_batches(view, steps);
}

} // namespace

Launch launch_of_tile(const MapView& view) {
    const TileShape s = tile_shape_of(view);
    const size_t operands = view.operands();
    const int64_t lanes = view.row.lanes;
    const int64_t column_units = ceil_div(s.columns.extent, s.column_slots),
                  row_units = ceil_div(s.rows.extent, s.row_slots), more_units = ceil_div(s.more.extent, s.more_run);
    Launch launch;
    launch.wide = needs_wide_places(view.row, view.plan, view.nest), launch.lanes = lanes;
    launch.groups = iterations(s.others) * column_units * row_units * more_units;
    Header h(view.plan);
    for (size_t o = 0; o < operands; ++o) h.add(fmt::format("base{}", o), view.nest.base[o]);
    h.add("all_columns", s.columns.extent), h.add("all_rows", s.rows.extent), h.add("all_more", s.more.extent);
    h.add_divisor("column_units", column_units), h.add_divisor("row_units", row_units);
    h.add_divisor("more_units", more_units);
    h.add_loop("row", s.rows, operands), h.add_loop("column", s.columns, operands),
        h.add_loop("more", s.more, operands);
    for (size_t k = 0; k < s.others.size(); ++k) {
        h.add_divisor(fmt::format("all{}", k), s.others[k].extent);
        h.add_loop(fmt::format("other{}_", k), s.others[k], operands);
    }

    launch.source = source_in_front_of_map(view, launch.wide);
    launch.source += fmt::format(R"cl(
__attribute__((reqd_work_group_size({0}, 1, 1)))
kernel void tessera_step({1}) {{
{2}    const int lane = (int)get_local_id(0);
    local uint tile[{3}] __attribute__((aligned(16)));
{4}{5}{6}{7}}}
)cl",
                                 lanes, source_of_arguments(view.plan, "constant"), h.text(), tile_words(view),
                                 source_of_alignments(view), source_of_unit(view, s, launch.wide),
                                 source_of_reading(view, s), source_of_writing(view, s));
    launch.nest = std::move(h.numbers), launch.tables = std::move(h.tables);
    return launch;
}

} // namespace tessera::gpu
