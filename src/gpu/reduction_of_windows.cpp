// SPDX-License-Identifier: Apache-2.0
// Reductions in order on a GPU: windows, whose few points a work-item combines alone, four results side by side, so
// that four reads are under way at the same time. Results are cut into units of columns, rows and more rows as maps
// are, whose place is searched once; neighbouring work-items have neighbouring results, and what their windows share is
// in the caches.
//
// Where what is read is dense along the columns, as channels of nhwc are, the four results are neighbours there, whose
// points are vectors: a quarter of the loads, of which a unit begins one for 32 work-items a cycle, and of the places.
//
// The text says nothing about strides or extents, so that the borders of an image are parts of one launch.
#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "gpu/reductions.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

constexpr int64_t results_at_once = 4; // of a work-item
constexpr int64_t long_sum = 16;       // longer than a row of most windows
constexpr size_t two_loops = 2;        // of a sum at least: a border of one tap has fewer than the rest of its image

struct WindowShape {
    std::vector<Loop> others;
    Loop columns, rows, more;
    int64_t lane_columns, lane_rows;       // of a group's work-items
    int64_t apart_columns, apart_rows;     // between the results of a work-item
    int64_t column_run, row_run, more_run; // of a unit
    int64_t results = results_at_once;     // of a work-item
    bool vectors = false;                  // which are neighbours along the columns
};

std::vector<size_t> loaded_by(const Reduction& r) {
    std::vector<size_t> loaded;
    for (const Op& op : r.parts.point.ops)
        if (op.code == OpCode::load && size_t(op.operand) < r.operands &&
            std::ranges::find(loaded, size_t(op.operand)) == loaded.end())
            loaded.push_back(size_t(op.operand));
    return loaded;
}

// Whether neighbouring results have neighbouring elements of an operand, at multiples of so many, or the same one.
bool has_vectors(const Reduction& r, const Loop& columns, size_t o) {
    if (columns.table[o] || columns.stride[o] > 1 || columns.stride[o] < 0) return false;
    if (columns.stride[o] == 0) return true;
    const int width = bits(r.plan.operands[o].type);
    if (width < 8 || width > 32 || r.nest.base[o] % results_at_once) return false;
    const auto stored = size_t(r.parts.outer.ops.back().operand); // along which no two loops are alike
    return std::ranges::all_of(r.nest.loops, [&](const Loop& loop) {
        if (loop.kind != LoopKind::reduce && loop.extent == columns.extent &&
            loop.stride[stored] == columns.stride[stored])
            return true;
        if (loop.table[o])
            return std::ranges::all_of(*loop.table[o], [](int64_t at) { return at % results_at_once == 0; });
        return loop.stride[o] % results_at_once == 0;
    });
}
bool takes_vectors(const Reduction& r, const Loop& columns) {
    const std::vector<size_t> loaded = loaded_by(r);
    return columns.extent > 1 && columns.extent % results_at_once == 0 &&
           std::ranges::all_of(loaded, [&](size_t o) { return has_vectors(r, columns, o); }) &&
           std::ranges::any_of(loaded, [&](size_t o) { return columns.stride[o] == 1; });
}

// Work-items beside each other along the columns: as many as leave the fewest without a column or a row, in whole
// sectors of memory, 32 bytes, or all columns.
int64_t lane_columns_of(int64_t lanes, int64_t columns) {
    constexpr int64_t sector = 8;
    const auto used = [&](int64_t n) {
        return double(columns) / double(round_up(columns, n)) * double(lanes / n * n) / double(lanes);
    };
    int64_t best = std::min(lanes, columns);
    for (int64_t n = best / sector * sector; n >= sector; n -= sector)
        if (used(n) > used(best)) best = n;
    return best;
}

// How a group's work-items lie along the rows.
void place_rows(WindowShape& s) {
    const bool along_rows = !s.vectors && s.rows.extent * s.more.extent >= s.results * s.lane_rows;
    s.apart_columns = along_rows ? 0 : s.vectors ? 1 : s.lane_columns, s.apart_rows = along_rows ? s.lane_rows : 0;
    s.column_run = s.lane_columns * (along_rows ? 1 : s.results);
    const int64_t all_rows = s.lane_rows * (along_rows ? s.results : 1);
    s.row_run = std::min(all_rows, s.rows.extent);
    s.more_run = std::min(all_rows / s.row_run, s.more.extent);
}
// The share of the results of a group's work-items that there are.
double used(const WindowShape& s) {
    double share = 1 / double(s.lane_columns * s.lane_rows * s.results);
    for (const auto& [extent, run] :
         {std::pair(s.columns.extent, s.column_run), {s.rows.extent, s.row_run}, {s.more.extent, s.more_run}})
        share *= double(extent) / double(ceil_div(extent, run));
    return share;
}

WindowShape shape_of(const DeviceRow& row, const Reduction& r) {
    WindowShape s;
    s.others = r.results;
    const auto take = [&](size_t k) {
        Loop loop = s.others[k];
        s.others.erase(s.others.begin() + long(k));
        return loop;
    };
    if (!s.others.empty()) {
        Nest outer;
        outer.loops = s.others;
        const size_t dense = dense_loop(outer, size_t(r.parts.outer.ops.back().operand));
        s.columns = take(std::min(dense, s.others.size() - 1));
    }
    if (!s.others.empty()) s.rows = take(s.others.size() - 1);
    // Long sums of few results, parts of statistics, leave units without work: a result each, and many points at once.
    if (r.sums.size() == 1 && r.count() >= long_sum && iterations(r.results) < row.units * row.lanes) s.results = 1;
    s.vectors = s.results > 1 && takes_vectors(r, s.columns);
    s.lane_columns = lane_columns_of(row.lanes, s.columns.extent / (s.vectors ? s.results : 1));
    s.lane_rows = row.lanes / s.lane_columns;
    // `more` is the innermost loop that is left, unless with one further out much fewer work-items have no result: the
    // two phases of a stride do not fill a group.
    constexpr double much = 1.25;
    size_t best = s.others.size();
    double most = 0;
    for (size_t k = s.others.size(); k-- > 0;) {
        s.more = s.others[k];
        place_rows(s);
        if (const double share = used(s); share > much * most) best = k, most = share;
    }
    if (best < s.others.size()) s.more = take(best);
    place_rows(s);
    return s;
}

// " + c * stride_column0"
std::string moved(const Loop& loop, std::string_view name, std::string_view number, size_t o) {
    if (loop.table[o]) return fmt::format(" + ALONG(stride_{0}{1}, table_{0}{1}, {2})", name, o, number);
    return fmt::format(" + {} * stride_{}{}", number, name, o);
}

std::string source_of_starts(const Reduction& r, const WindowShape& s) {
    std::string text = fmt::format(R"cl(    const int lane = (int)get_local_id(0);
    place unit = group;
    const place first_column = unit % column_units * column_run;
    unit /= column_units;
    const place first_row = unit % row_units * row_run;
    unit /= row_units;
    const place first_more = unit % more_units * more_run;
    place at[{0}] = {{{1}}};
    PLACE(at, {0}, loops, tables, others, unit / more_units);
    bool inside[{2}];
)cl",
                                   r.operands, bases(r), s.results);
    for (size_t o = 0; o < r.operands; ++o) text += fmt::format("    place in{}[{}];\n", o, s.results);
    text += fmt::format(R"cl(#pragma unroll
    for (int n = 0; n < {}; ++n) {{
        const place row = lane / (int)lane_columns + n * apart_rows, r = first_row + row % row_run;
        const place m = first_more + row / row_run, c = first_column + lane % (int)lane_columns{} + n * apart_columns;
        inside[n] = lane < (int)(lane_columns * lane_rows) && row / row_run < more_run && c < all_columns &&
                    r < all_rows && m < all_more;
        const place column = min(c, all_columns - {}), of_rows = min(r, all_rows - 1), of_more = min(m, all_more - 1);
)cl",
                        s.results, s.vectors ? fmt::format(" * {}", s.results) : "",
                        // Work-items without a result read, too: the last whole vector.
                        s.vectors ? fmt::format("{} + n", s.results) : "1");
    for (size_t o = 0; o < r.operands; ++o)
        text += fmt::format("        in{0}[n] = at[{0}]{1}{2}{3};\n", o, moved(s.columns, "column", "column", o),
                            moved(s.rows, "row", "of_rows", o), moved(s.more, "more", "of_more", o));
    return text + "    }\n";
}

// The point's elements of all results as x{o}, a vector of an operand that is dense along the columns.
std::string source_of_vectors(const Reduction& r, const WindowShape& s, Access& access) {
    std::string text;
    access.loaded.resize(r.operands);
    for (const size_t o : loaded_by(r)) {
        const DataType type = r.plan.operands[o].type;
        if (s.columns.stride[o] == 0) {
            text += fmt::format("        const place e{0} = in{0}[0] + tap{0};\n        const uint x{0} = {1};\n", o,
                                source_of_code(int(o), type));
            access.loaded[o] = fmt::format("x{}", o);
            continue;
        }
        const std::string element(c_name_of_bits(bits(type))), vector = element + std::to_string(s.results);
        std::string each;
        for (int64_t n = 0; n < s.results; ++n) each += fmt::format("{}x{}_at[{}]", n ? ", " : "", o, n);
        text += fmt::format("        global const {1}* const x{0}_at = (global const {1}*)o{0} + in{0}[0] + tap{0};\n"
                            "        const {2} x{0}_all = aligned ? *(global const {2}*)x{0}_at : ({2})({3});\n"
                            "        const {1} x{0}[{4}] = {{x{0}_all.s0, x{0}_all.s1, x{0}_all.s2, x{0}_all.s3}};\n",
                            o, element, vector, each, s.results);
        access.loaded[o] = fmt::format("x{}[n]", o);
    }
    return text;
}
// Whether the vectors are aligned.
std::string source_of_aligned(const Reduction& r, const WindowShape& s) {
    std::string text = "    const bool aligned = true";
    for (const size_t o : loaded_by(r))
        if (s.columns.stride[o] == 1)
            text += fmt::format(" && ((size_t)o{} & {}) == 0", o, bits(r.plan.operands[o].type) * s.results / 8 - 1);
    return text + ";\n";
}

std::string source_of_results(const Reduction& r, const WindowShape& s, std::span<const Loop> sums) {
    std::string text =
        fmt::format("    partial total[{0}];\n#pragma unroll\n    for (int n = 0; n < {0}; ++n) total[n] "
                    "= NOTHING;\n",
                    s.results);
    for (size_t k = 0; k < sums.size(); ++k) {
        const bool last = k + 1 == sums.size();
        text += fmt::format("{2}    for (place t{0} = 0; t{0} < window{0}; ++t{0}){1}\n", k, last ? " {" : "",
                            !last            ? ""
                            : s.results == 1 ? "#pragma unroll 16\n"
                            : s.vectors      ? "#pragma unroll 3\n"
                                             : ""); // as wide as most windows
    }
    for (size_t o = 0; o < r.operands; ++o) {
        text += fmt::format("        const place tap{} = 0", o);
        for (size_t k = 0; k < sums.size(); ++k)
            text += moved(sums[k], fmt::format("window{}_", k), fmt::format("t{}", k), o);
        text += ";\n";
    }
    Access access;
    if (s.vectors) text += source_of_vectors(r, s, access);
    return text + fmt::format(R"cl(#pragma unroll
        for (int n = 0; n < {0}; ++n) {{
{1}{2}{3}{4}            total[n] = combined(total[n], one);
        }}
    }}
#pragma unroll
    for (int n = 0; n < {0}; ++n) {{
        if (!inside[n]) continue;
{5}    {6} s0 = VALUE_OF(total[n]);
    {7} s1 = {8};
{9}    }}
}}
)cl",
                              s.results, each_operand(r, "            const place e{0} = in{0}[n] + tap{0};\n"),
                              point_variables(r), source_of_program(r.parts.point, r.plan, "v", access),
                              r.simple() ? "    const value one = (value)s0;\n" : point_as_partial(r),
                              each_operand(r, "    const place e{0} = in{0}[n];\n"), c_name(r.parts.type),
                              c_name(r.parts.second()), r.simple() ? "0" : "total[n].second", r.outer());
}

} // namespace

void reduce_windows(const DeviceRow& row, const Reduction& r, Header& h, Launch& launch) {
    const WindowShape s = shape_of(row, r);
    std::vector<Loop> sums = r.sums;
    if (sums.size() < two_loops) sums.insert(sums.begin(), two_loops - sums.size(), Loop{});
    const int64_t column_units = ceil_div(s.columns.extent, s.column_run);
    const int64_t row_units = ceil_div(s.rows.extent, s.row_run), more_units = ceil_div(s.more.extent, s.more_run);
    h.add("all_columns", s.columns.extent), h.add("column_run", s.column_run), h.add("column_units", column_units);
    h.add("all_rows", s.rows.extent), h.add("row_run", s.row_run), h.add("row_units", row_units);
    h.add("all_more", s.more.extent), h.add("more_run", s.more_run), h.add("more_units", more_units);
    h.add("lane_columns", s.lane_columns), h.add("lane_rows", s.lane_rows);
    h.add("apart_columns", s.apart_columns), h.add("apart_rows", s.apart_rows);
    h.add("others", int64_t(s.others.size()));
    h.add_loop("column", s.columns, r.operands), h.add_loop("row", s.rows, r.operands);
    h.add_loop("more", s.more, r.operands);
    for (size_t k = 0; k < sums.size(); ++k) {
        h.add(fmt::format("window{}", k), sums[k].extent);
        h.add_loop(fmt::format("window{}_", k), sums[k], r.operands);
    }
    h.add_loops(s.others, r.operands);
    launch.groups = iterations(s.others) * more_units * row_units * column_units;
    launch.source += source_of_sums(r) + fmt::format(R"cl(
__attribute__((reqd_work_group_size({}, 1, 1)))
kernel void {}({}) {{
{})cl",
                                                     row.lanes, kernel_name, source_of_arguments(r.plan), h.text());
    launch.source +=
        source_of_starts(r, s) + (s.vectors ? source_of_aligned(r, s) : "") + source_of_results(r, s, sums);
}

} // namespace tessera::gpu
