// SPDX-License-Identifier: Apache-2.0
// Reductions, in the order of core/program/reduction.hpp: point i goes to partial result i mod 16 of its block of 4096.
// On a GPU each partial result has a work-item of its own, so that a result has 16 or, where it is summed in order,
// one; a group takes several results or, where there are fewer, several blocks of the same one.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/division.hpp"
#include "gpu/reductions.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

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
    // Points on their way: where a unit has few groups, each of them waits for memory alone.
    constexpr int64_t full = 4; // groups of a unit
    const int at_once = launch.groups < full * row.units ? 16 : 4;
    // A work-item goes from point to point along the innermost loop, and looks for its place in the others at its end.
    const std::string next_row =
        r.sums.size() < 2
            ? ""
            : fmt::format(R"cl(            if (i < inner || p + PARTIALS >= end) continue; // tables end with the sum
            outer += i / inner, i %= inner;
            for (int o = 0; o < {0}; ++o) in[o] = at[o];
            PLACE(in, {0}, sums, tables, other_sums, outer);
)cl",
                          r.operands);
    launch.source += fmt::format(
        R"cl(
__attribute__((reqd_work_group_size({0}, 1, 1)))
kernel void tessera_step({1}) {{
{2}    global const place* const sums = loops + result_loops * NUMBERS_OF_LOOP({3});
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
        if (other_sums > 0 && i < end) {{
            outer = i / inner, i %= inner;
            PLACE(in, {3}, sums, tables, other_sums, outer);
        }}
        partial mine = NOTHING;
        #pragma unroll {15}
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
        r.simple() ? "0" : "total.second", r.outer(), at_once);
}

} // namespace

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
    launch.wide = needs_wide_places(row, plan, r.nest), launch.lanes = row.lanes;
    launch.source = source_in_front(launch.wide, row.converts_f16()) + fmt::format("#define PARTIALS {}\n", r.partials);
    if (row.processor())
        reduce_on_processor(r, h, launch);
    else if (step.in_order && r.count() <= reduction_block)
        reduce_windows(row, r, h, launch);
    else
        on_gpu(row, r, h, launch);
    launch.nest = std::move(h.numbers), launch.tables = std::move(h.tables);
    return launch;
}

} // namespace tessera::gpu
