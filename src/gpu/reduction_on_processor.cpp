// SPDX-License-Identifier: Apache-2.0
// Reductions on a processor: a work-item has a run of results along a loop, and either takes each point of the sum for
// all of them (results that lie beside each other: columns of a matrix) or each result's points one after the other,
// where a vector holds the 16 partial results.
#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "gpu/reductions.hpp"

namespace tessera::gpu {

namespace {

constexpr int64_t most_results = 64; // of a work-item: 16 partial results of each are 4 KiB

// Each point of the sum for all results of the run.
std::string across_results(const Reduction& r, const Loop& columns, const Loop& inner) {
    return fmt::format(R"cl(    value parts[PARTIALS * {0}], totals[{0}];
    for (place p = 0; p < count;) {{
        place row[{1}];
        for (int o = 0; o < {1}; ++o) row[o] = at[o];
        PLACE(row, {1}, sums, tables, other_sums, p / inner);
        for (place i = 0; i < inner; ++i, ++p) {{
            if (p % 4096 == 0)
                for (int k = 0; k < PARTIALS * {0}; ++k) parts[k] = {2};
{3}            value* const part = parts + p % PARTIALS * {0};
            #pragma clang loop interleave_count(1) // runs may have 16 results
            for (place c = 0; c < columns; ++c) {{
{4}{5}{6}                part[c] = COMBINED(part[c], (value)s0);
            }}
            if (p % 4096 != 4095 && p + 1 != count) continue;
            for (int apart = PARTIALS / 2 * {0}; apart >= {0}; apart /= 2)
                for (int k = 0; k < apart; ++k) parts[k] = COMBINED(parts[k], parts[k + apart]);
            for (int k = 0; k < {0}; ++k) totals[k] = p < 4096 ? parts[k] : COMBINED(totals[k], parts[k]);
        }}
    }}
    for (place c = 0; c < columns; ++c) {{
        value total = totals[c];
)cl",
                       most_results, r.operands, r.nothing(),
                       [&] {
                           std::string text;
                           for (size_t o = 0; o < r.operands; ++o)
                               text += fmt::format("    const place in_row{0} = row[{0}]{1};\n", o,
                                                   along(inner, "inner", "i", o));
                           return text;
                       }(),
                       elements(r, "in_row", columns, "column", "c"), point_variables(r), r.point());
}

// Results one after the other; values go to the partial results 16 at a time.
std::string along_sums(const Reduction& r, const Loop& columns, const Loop& inner) {
    std::string own;
    for (size_t o = 0; o < r.operands; ++o)
        own += fmt::format("    const place of{0} = at[{0}]{1};\n", o, along(columns, "column", "c", o));
    return fmt::format(R"cl(    for (place c = 0; c < columns; ++c) {{
{0}        value parts[PARTIALS], buffered[256], total = {1};
        for (place p = 0; p < count;) {{
            place row[{2}] = {{{3}}};
            PLACE(row, {2}, sums, tables, other_sums, p / inner);
{4}            for (place first = 0; first < inner;) {{
                if (p % 4096 == 0)
                    for (int k = 0; k < PARTIALS; ++k) parts[k] = {1};
                const int run = (int)min(min(inner - first, 4096 - p % 4096), (place)256);
                for (int k = 0; k < run; ++k) {{
                    const place i = first + k;
{5}{6}{7}                    buffered[k] = (value)s0;
                }}
                int k = 0;
#if PARTIALS == 16
                for (; k < run && (p + k) % 16; ++k) parts[(p + k) % 16] = COMBINED(parts[(p + k) % 16], buffered[k]);
                values16 all = vload16(0, parts);
                for (; k + 16 <= run; k += 16) {{
                    const values16 more = vload16(0, buffered + k);
                    all = COMBINED(all, more);
                }}
                vstore16(all, 0, parts);
#endif
                for (; k < run; ++k) parts[(p + k) % PARTIALS] = COMBINED(parts[(p + k) % PARTIALS], buffered[k]);
                first += run, p += run;
                if (p % 4096 != 0 && p != count) continue;
                for (int apart = PARTIALS / 2; apart; apart /= 2)
                    for (int n = 0; n < apart; ++n) parts[n] = COMBINED(parts[n], parts[n + apart]);
                total = p <= 4096 ? parts[0] : COMBINED(total, parts[0]);
            }}
        }}
)cl",
                       own, r.nothing(), r.operands,
                       [&] {
                           std::string text;
                           for (size_t o = 0; o < r.operands; ++o) text += fmt::format("{}of{}", o ? ", " : "", o);
                           return text;
                       }(),
                       each_operand(r, "            const place in_row{0} = row[{0}];\n"),
                       elements(r, "in_row", inner, "inner", "i"), point_variables(r), r.point());
}

// Partial results of two values.
std::string pairs_along_sums(const Reduction& r, const Loop& columns, const Loop& inner) {
    std::string own;
    for (size_t o = 0; o < r.operands; ++o)
        own += fmt::format("{}at[{}]{}", o ? ", " : "", o, along(columns, "column", "c", o));
    return fmt::format(R"cl(    for (place c = 0; c < columns; ++c) {{
        const place of[{0}] = {{{1}}};
        partial parts[PARTIALS], total = nothing();
        for (place p = 0; p < count;) {{
            place row[{0}];
            for (int o = 0; o < {0}; ++o) row[o] = of[o];
            PLACE(row, {0}, sums, tables, other_sums, p / inner);
{2}            for (place i = 0; i < inner; ++i, ++p) {{
                if (p % 4096 == 0)
                    for (int k = 0; k < PARTIALS; ++k) parts[k] = nothing();
{3}{4}{5}{6}                parts[p % PARTIALS] = combined(parts[p % PARTIALS], one);
                if (p % 4096 != 4095 && p + 1 != count) continue;
                for (int apart = PARTIALS / 2; apart; apart /= 2)
                    for (int k = 0; k < apart; ++k) parts[k] = combined(parts[k], parts[k + apart]);
                total = p < 4096 ? parts[0] : combined(total, parts[0]);
            }}
        }}
)cl",
                       r.operands, own, each_operand(r, "            const place in_row{0} = row[{0}];\n"),
                       elements(r, "in_row", inner, "inner", "i"), point_variables(r), r.point(), point_as_partial(r));
}

} // namespace

void reduce_on_processor(const Reduction& r, Header& h, Launch& launch) {
    const int stored = r.parts.outer.ops.back().operand;
    std::vector<Loop> others = r.results;
    Loop columns, inner;
    if (!others.empty()) {
        Nest outer;
        outer.loops = others;
        size_t k = dense_loop(outer, size_t(stored));
        if (k == others.size()) --k;
        columns = others[k], others.erase(others.begin() + long(k));
    }
    if (!r.sums.empty()) inner = r.sums.back();
    // The program's loads are dense along the results rather than along the sum.
    int along_results = 0;
    for (const Op& op : r.parts.point.ops)
        if (op.code == OpCode::load && size_t(op.operand) < r.operands && inner.stride[size_t(op.operand)] != 1)
            along_results += columns.extent > 1 && columns.stride[size_t(op.operand)] == 1;
    const bool across = r.simple() && along_results > 0 && r.count() > 0;
    // A few thousand points for each unit.
    const int64_t run = std::clamp<int64_t>(8192 / std::max<int64_t>(r.count(), 1), across ? 16 : 1, most_results);
    const int64_t column_run = std::min(run, std::max<int64_t>(columns.extent, 1));
    const int64_t column_units = ceil_div(columns.extent, column_run);
    h.add("all_columns", columns.extent), h.add("column_run", column_run), h.add("column_units", column_units);
    h.add("count", r.count()), h.add("inner", inner.extent);
    h.add("others", int64_t(others.size())), h.add("other_sums", std::max<int64_t>(int64_t(r.sums.size()) - 1, 0));
    h.add_loop("column", columns, r.operands), h.add_loop("inner", inner, r.operands);
    std::vector<Loop> all = others;
    if (!r.sums.empty()) all.insert(all.end(), r.sums.begin(), r.sums.end() - 1);
    h.add_loops(all, r.operands);
    launch.groups = iterations(others) * column_units;
    std::string& text = launch.source;
    text += r.simple() ? source_of_values(r) : source_of_partial(r);
    text += fmt::format(R"cl(
__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void tessera_step({0}) {{
{1}    global const place* const sums = loops + others * NUMBERS_OF_LOOP({2});
    const place unit = group, first_column = unit % column_units * column_run;
    const place columns = min(column_run, all_columns - first_column);
    place at[{2}] = {{{3}}};
    PLACE(at, {2}, loops, tables, others, unit / column_units);
)cl",
                        source_of_arguments(r.plan), h.text(), r.operands, bases(r));
    for (size_t o = 0; o < r.operands; ++o) // a table is moved instead
        text += columns.table[o] ? fmt::format("    const place table_of_run{0} = table_column{0} + first_column;\n", o)
                                 : fmt::format("    at[{0}] += first_column * stride_column{0};\n", o);
    std::string body = !r.simple() ? pairs_along_sums(r, columns, inner)
                       : across    ? across_results(r, columns, inner)
                                   : along_sums(r, columns, inner);
    for (size_t o = 0; o < r.operands; ++o) {
        const std::string from = fmt::format("table_column{}, c)", o), to = fmt::format("table_of_run{}, c)", o);
        for (size_t place; (place = body.find(from)) != std::string::npos;) body.replace(place, from.size(), to);
    }
    text += body;
    for (size_t o = 0; o < r.operands; ++o)
        text += fmt::format("        const place e{0} = at[{0}]{1};\n", o,
                            columns.table[o] ? fmt::format(" + tables[table_of_run{} + c]", o)
                                             : along(columns, "column", "c", o));
    text +=
        fmt::format("        {} s0 = total{};\n        {} s1 = {};\n{}    }}\n}}\n", c_name(r.parts.type),
                    r.simple() ? "" : ".value", c_name(r.parts.second()), r.simple() ? "0" : "total.second", r.outer());
}

} // namespace tessera::gpu
