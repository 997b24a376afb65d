// SPDX-License-Identifier: Apache-2.0
// Reductions, in the order of core/program/reduction.hpp: point i goes to partial result i mod 16 of its block of 4096.
//
// On a processor a work-item has a run of results along a loop, and either takes each point of the sum for all of them
// (results that lie beside each other: columns of a matrix) or each result's points one after the other, where a vector
// holds the 16 partial results. On a GPU each partial result has a work-item of its own, so that a result has 16 or,
// where it is summed in order, one; a group takes several results or, where there are fewer, several blocks of the same
// one.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"
#include "core/program/reduction.hpp"
#include "gpu/header.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

struct Reduction {
    const Plan& plan;
    ReductionParts parts;
    Nest nest;
    std::vector<Loop> results, sums; // outer loops and those that are summed over
    size_t operands;
    int partials; // of a block of 4096

    int64_t count() const { return iterations(sums); }
    bool simple() const { return !parts.pairs(); } // a partial result is a value alone
    std::string nothing() const {
        const uint32_t value = of_nothing(parts.combine, parts.type).value;
        return parts.type == ValueType::f32 ? fmt::format("as_float(0x{:08x}u)", value)
                                            : fmt::format("(int)0x{:08x}u", value);
    }
    std::string point() const { return source_of_program(parts.point, plan, "v"); }
    std::string outer() const { return source_of_program(parts.outer, plan, "w"); }
};

// What two partial results give; core/program/reduction.cpp says it for the CPU.
std::string combined(const ReductionParts& parts) {
    const bool floats = parts.type == ValueType::f32;
    switch (parts.combine) {
    case OpCode::reduce_add:
        return floats ? "a.value += b.value;" : "a.value = (int)((uint)a.value + (uint)b.value);";
    case OpCode::reduce_mul:
        return floats ? "a.value *= b.value;" : "a.value = (int)((uint)a.value * (uint)b.value);";
    case OpCode::reduce_max: // b.value != b.value: a NaN
        return "a.value = a.value < b.value || b.value != b.value ? b.value : a.value;";
    case OpCode::reduce_min:
        return "a.value = b.value < a.value || b.value != b.value ? b.value : a.value;";
    case OpCode::reduce_max_at:
        return R"cl(if (a.count == 0) return b;
    if (b.count == 0) return a;
    const bool nan_a = a.value != a.value, nan_b = b.value != b.value;
    const bool above = b.value > a.value || (nan_b && !nan_a), below = b.value < a.value || (nan_a && !nan_b);
    if (above || (!below && b.second < a.second)) a.value = b.value, a.second = b.second;)cl";
    default:
        return R"cl(if (a.count == 0) return b;
    if (b.count == 0) return a;
    const float n = (float)(a.count + b.count), na = (float)a.count, nb = (float)b.count;
    const float difference = b.value - a.value;
    a.second = a.second + b.second + difference * difference * (na * (nb / n));
    a.value = a.value + difference * (nb / n);)cl";
    }
}
std::string source_of_partial(const Reduction& r) {
    return fmt::format(R"cl(
typedef struct {{ {0} value; {1} second; long count; }} partial;
partial combined(partial a, partial b) {{
    {2}
    a.count += b.count;
    return a;
}}
partial nothing() {{
    partial none;
    none.value = {3}, none.second = 0, none.count = 0;
    return none;
}}
)cl",
                       c_name(r.parts.type), c_name(r.parts.second()), combined(r.parts), r.nothing());
}
// The variables that the program of a point stores, and the partial result that they are.
std::string point_variables(const Reduction& r) {
    return fmt::format("    {} s0 = 0;\n    {} s1 = 0;\n", c_name(r.parts.type), c_name(r.parts.second()));
}
std::string point_as_partial(const Reduction& r) {
    const bool numbered = r.parts.combine == OpCode::reduce_max_at;
    return fmt::format("    partial one;\n    one.value = s0, one.second = {}, one.count = 1;\n",
                       numbered ? "s1" : "0");
}

std::string each_operand(const Reduction& r, std::string_view pattern) {
    std::string text;
    for (size_t o = 0; o < r.operands; ++o) text += fmt::format(fmt::runtime(pattern), o);
    return text;
}
std::string bases(const Reduction& r) {
    std::string text;
    for (size_t o = 0; o < r.operands; ++o) text += fmt::format("{}base{}", o ? ", " : "", o);
    return text;
}
std::string elements(const Reduction& r, std::string_view from, const Loop& loop, std::string_view name,
                     std::string_view number) {
    std::string text;
    for (size_t o = 0; o < r.operands; ++o)
        text += fmt::format("    const place e{0} = {1}{0}{2};\n", o, from, along(loop, name, number, o));
    return text;
}

std::string source_of_values(const Reduction& r) {
    return fmt::format("typedef {0} value;\ntypedef {0}16 values16;\n#define COMBINED(a, b) ({1})\n",
                       type_of_values(r.parts), combination(r.parts));
}

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

void on_processor(const Reduction& r, Header& h, Launch& launch) {
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
{1}    global const place* const sums = loops + others * (1 + 2 * {2});
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

// The two kinds of partial results behind one name: a value alone where the combination is one of values.
std::string source_of_sums(const Reduction& r) {
    if (!r.simple()) return source_of_partial(r) + "#define NOTHING nothing()\n#define VALUE_OF(sum) (sum).value\n";
    return source_of_values(r) + fmt::format("typedef value partial;\n#define combined(a, b) COMBINED(a, b)\n"
                                             "#define NOTHING ((value){})\n#define VALUE_OF(sum) (sum)\n",
                                             r.nothing());
}

void on_gpu(const DeviceRow& row, const Reduction& r, Header& h, Launch& launch) {
    const int64_t results = iterations(r.results), teams = row.lanes / r.partials; // of work-items with a partial each
    const auto shared = int64_t(std::bit_ceil(uint64_t(std::max<int64_t>(ceil_div(results, row.units), 1))));
    const int64_t own = std::min(teams, shared); // results of a group; the other teams take further blocks
    const bool beside = results_are_beside(r.parts, r.results, r.sums, r.operands);
    Loop inner;
    if (!r.sums.empty()) inner = r.sums.back();
    h.add("results", results), h.add("own", own), h.add("count", r.count()), h.add("inner", inner.extent);
    h.add("apart_sums", beside ? own : 1), h.add("apart_results", beside ? 1 : r.partials);
    h.add("result_loops", int64_t(r.results.size()));
    h.add("other_sums", std::max<int64_t>(int64_t(r.sums.size()) - 1, 0));
    h.add_loop("inner", inner, r.operands);
    std::vector<Loop> all = r.results;
    if (!r.sums.empty()) all.insert(all.end(), r.sums.begin(), r.sums.end() - 1);
    h.add_loops(all, r.operands);
    launch.groups = ceil_div(results, own);
    launch.source += source_of_sums(r);
    // A work-item goes from point to point along the innermost loop, and looks for its place in the others at its end.
    const std::string next_row = r.sums.size() < 2 ? ""
                                                   : fmt::format(R"cl(            if (i < inner) continue;
            outer += i / inner, i %= inner;
            for (int o = 0; o < {0}; ++o) in[o] = at[o];
            PLACE(in, {0}, sums, tables, other_sums, outer);
)cl",
                                                                 r.operands);
    launch.source += fmt::format(
        R"cl(
__attribute__((reqd_work_group_size({0}, 1, 1)))
kernel void tessera_step({1}) {{
{2}    global const place* const sums = loops + result_loops * (1 + 2 * {3});
    const int lane = (int)get_local_id(0), team = PARTIALS * (int)own, teams = {0} / team;
    const int in_team = lane % team, block_of_lane = lane / team;
    const int sum = in_team / (int)apart_sums % PARTIALS, result_of_lane = in_team / (int)apart_results % (int)own;
    const place result = min(group * own + result_of_lane, results - 1);
    const bool writes = sum == 0 && block_of_lane == 0 && group * own + result_of_lane < results;
    local partial parts[{0}];
    place at[{3}] = {{{4}}};
    PLACE(at, {3}, loops, tables, result_loops, result);
    partial total = NOTHING;
    for (place first = 0; first < count; first += 4096 * teams) {{
        const place own_first = first + 4096 * block_of_lane, end = min(own_first + 4096, count);
        place i = own_first + sum, outer = 0, in[{3}];
        for (int o = 0; o < {3}; ++o) in[o] = at[o];
        if (other_sums > 0) {{
            outer = i / inner, i %= inner;
            PLACE(in, {3}, sums, tables, other_sums, outer);
        }}
        partial mine = NOTHING;
        #pragma unroll 4
        for (place p = own_first + sum; p < end; p += PARTIALS) {{
{5}{6}{7}{8}            mine = combined(mine, one);
            i += PARTIALS;
{9}        }}
        if (PARTIALS == 1 && teams == 1) {{
            total = first == 0 ? mine : combined(total, mine);
            continue;
        }}
        parts[lane] = mine;
        for (int apart = PARTIALS / 2; apart; apart /= 2) {{
            barrier(CLK_LOCAL_MEM_FENCE);
            if (sum < apart) parts[lane] = combined(parts[lane], parts[lane + apart * (int)apart_sums]);
        }}
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int b = 0; b < teams && first + 4096 * b < count; ++b)
            total = first + b == 0 ? parts[lane % team] : combined(total, parts[lane % team + b * team]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }}
    if (!writes) return;
{10}    {11} s0 = VALUE_OF(total);
    {12} s1 = {13};
{14}}}
)cl",
        row.lanes, source_of_arguments(r.plan), h.text(), r.operands, bases(r),
        each_operand(r, "            const place in_row{0} = in[{0}];\n") + elements(r, "in_row", inner, "inner", "i"),
        point_variables(r), r.point(), r.simple() ? "    const value one = (value)s0;\n" : point_as_partial(r),
        next_row, each_operand(r, "    const place e{0} = at[{0}];\n"), c_name(r.parts.type), c_name(r.parts.second()),
        r.simple() ? "0" : "total.second", r.outer());
}

} // namespace

std::string_view type_of_values(const ReductionParts& parts) {
    const bool wraps = parts.combine == OpCode::reduce_add || parts.combine == OpCode::reduce_mul;
    return parts.type == ValueType::f32 ? "float" : wraps ? "uint" : "int";
}
bool results_are_beside(const ReductionParts& parts, std::span<const Loop> results, std::span<const Loop> sums,
                        size_t operands) {
    int along_results = 0;
    for (const Op& op : parts.point.ops) {
        if (op.code != OpCode::load || size_t(op.operand) >= operands) continue;
        if (!results.empty() && results.back().stride[size_t(op.operand)] == 1) ++along_results;
        if (!sums.empty() && sums.back().stride[size_t(op.operand)] == 1) --along_results;
    }
    return along_results > 0;
}
std::string_view combination(const ReductionParts& parts) {
    return parts.combine == OpCode::reduce_add   ? "(a) + (b)"
           : parts.combine == OpCode::reduce_mul ? "(a) * (b)"
           : parts.combine == OpCode::reduce_max ? "(a) < (b) || (b) != (b) ? (b) : (a)"
                                                 : "(b) < (a) || (b) != (b) ? (b) : (a)";
}

Launch launch_of_reduction(const DeviceRow& row, const Plan& plan, const Step& step) {
    const Program& program = plan.programs[size_t(step.program)];
    Reduction r{plan,
                split_reduction(program, int(plan.operands.size())),
                {},
                {},
                {},
                plan.operands.size(),
                partials_of(step.in_order)};
    r.nest = coalesce(step.nest, int(r.operands));
    for (const Loop& loop : r.nest.loops) (loop.kind == LoopKind::reduce ? r.sums : r.results).push_back(loop);
    Header h(plan);
    for (size_t o = 0; o < r.operands; ++o) h.add(fmt::format("base{}", o), r.nest.base[o]);
    Launch launch;
    launch.wide = needs_wide_places(plan, r.nest), launch.lanes = row.lanes;
    launch.source = source_in_front(launch.wide) + fmt::format("#define PARTIALS {}\n", r.partials);
    row.processor() ? on_processor(r, h, launch) : on_gpu(row, r, h, launch);
    launch.nest = std::move(h.numbers), launch.tables = std::move(h.tables);
    return launch;
}

} // namespace tessera::gpu
