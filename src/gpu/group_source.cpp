// SPDX-License-Identifier: Apache-2.0
// Groups of steps on GPUs: softmax, normalizations and windows that overlap in one kernel. A group of work-items runs
// all steps of a point one after the other, with a barrier between two of them; what only they use, the exponentials of
// a row or the maxima along an image's columns, lies in local memory. So a point comes from memory once, where a kernel
// for each step reads it as often as there are steps.
//
// Sums keep the order of core/program/reduction.hpp. Many results of a point have 16 work-items each, or one where they
// are summed in order, as windows are. For few of them all work-items compute the next 4096 points into local memory,
// and 16 add these up.
#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/moves.hpp"
#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"
#include "core/program/reduction.hpp"
#include "gpu/header.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

constexpr int64_t fewest_lanes = 32; // the work-items that a GPU runs at once
constexpr int64_t bytes_of_sums = 4; // f32 and s32

// A step within a point: what its loops are for.
struct Phase {
    const Step* step;
    std::optional<ReductionParts> parts; // of a reduction
    std::vector<Loop> results, sums;     // outer loops and those that are summed over, a map's are all results
    int64_t first_loop = 0;              // where they stand in the kernel's list: outer loops but the last, then sums

    int partials() const { return partials_of(step->in_order); } // of a result
    int64_t points() const { return iterations(results) * iterations(sums); }
    // Few results go through local memory.
    bool staged(int64_t lanes) const {
        return parts && !step->in_order && iterations(results) * reduction_sums < lanes / 2;
    }
};

std::optional<Phase> phase_of(const Plan& plan, const Step& step) {
    if (step.kind != StepKind::map && step.kind != StepKind::reduce) return std::nullopt;
    Phase p{&step, {}, {}, {}};
    for (const Loop& loop : step.nest.loops) (loop.kind == LoopKind::reduce ? p.sums : p.results).push_back(loop);
    if (step.kind == StepKind::map) return p.sums.empty() ? std::optional(p) : std::nullopt;
    p.parts = split_reduction(plan.programs[size_t(step.program)], int(plan.operands.size()));
    const bool of_four_bytes = p.parts->type == ValueType::f32 || p.parts->type == ValueType::s32;
    return !p.parts->pairs() && of_four_bytes && p.points() > 0 ? std::optional(p) : std::nullopt;
}

// What stores to local memory converts nothing.
bool can_be_local(const Plan& plan, const Step& group, int operand) {
    const DataType type = plan.operands[size_t(operand)].type;
    const ValueType value = type == DataType::f32 ? ValueType::f32 : ValueType::s32;
    if (type != DataType::f32 && type != DataType::s32) return false;
    return std::ranges::all_of(group.group->steps, [&](const Step& step) {
        if (step.program < 0) return step.fill_operand != operand;
        return std::ranges::all_of(plan.programs[size_t(step.program)].ops, [&](const Op& op) {
            return op.code != OpCode::store || op.operand != operand || op.type == value || op.type == ValueType::bits;
        });
    });
}

int64_t lanes_of(const DeviceRow& row, std::span<const Phase> phases) {
    constexpr int64_t points = 8; // of a work-item at least, in the largest step
    int64_t most = 1;
    for (const Phase& p : phases) most = std::max(most, p.points());
    return std::clamp(int64_t(std::bit_floor(uint64_t(ceil_div(most, points)))), std::min(fewest_lanes, row.lanes),
                      row.lanes);
}

int64_t staged_points(std::span<const Phase> phases, int64_t lanes) {
    int64_t most = 0;
    for (const Phase& p : phases)
        if (p.staged(lanes))
            most = std::max(most, std::min(round_up(iterations(p.sums), fewest_lanes), reduction_block));
    return most;
}

class GroupPrinter {
public:
    GroupPrinter(const Plan& plan, const Step& group, std::span<const LocalScratch> local, std::vector<Phase> phases,
                 int64_t lanes)
        : plan_(plan), seen_(plan), group_(group), local_(local), phases_(std::move(phases)), lanes_(lanes),
          operands_(plan.operands.size()) {
        for (const LocalScratch& l : local) {
            access_.local.push_back(l.operand);
            seen_.operands[size_t(l.operand)].counted = true; // no argument of the kernel
        }
    }

    Launch launch() {
        Launch launch;
        launch.groups = iterations(group_.nest.loops), launch.lanes = lanes_;
        launch.wide = wide_ = is_wide();
        Header h(seen_);
        std::vector<Loop> loops = group_.nest.loops;
        for (size_t o = 0; o < operands_; ++o) h.add(fmt::format("base{}", o), group_.nest.base[o]);
        for (size_t k = 0; k < phases_.size(); ++k) add_numbers(h, phases_[k], k, loops);
        h.add_loops(loops, operands_);
        std::string body;
        for (size_t k = 0; k < phases_.size(); ++k) body += phases_[k].parts ? reduction(k) : map(k);
        launch.source = source_in_front(launch.wide, true) + types_ +
                        fmt::format(R"cl(
__attribute__((reqd_work_group_size({0}, 1, 1)))
kernel void tessera_step({1}) {{
{2}    const int lane = (int)get_local_id(0);
{3}    place at[{4}] = {{{5}}};
    PLACE(at, {4}, loops, tables, {6}, group);
{7}}}
)cl",
                                    lanes_, source_of_arguments(seen_), h.text(), memory(), operands_,
                                    each(", ", "base{0}"), group_.nest.loops.size(), body);
        launch.nest = std::move(h.numbers), launch.tables = std::move(h.tables);
        return launch;
    }

private:
    std::string each(std::string_view between, std::string_view pattern) const {
        std::string text;
        for (size_t o = 0; o < operands_; ++o)
            text += fmt::format("{}{}", o ? between : "", fmt::format(fmt::runtime(pattern), o));
        return text;
    }
    bool is_wide() const {
        return std::ranges::any_of(phases_, [&](const Phase& p) {
            Nest whole = group_.nest;
            whole.base += p.step->nest.base;
            whole.loops.insert(whole.loops.end(), p.step->nest.loops.begin(), p.step->nest.loops.end());
            return needs_wide_places(plan_, whole);
        });
    }

    // The last outer loop and the last one of a sum are known by name; those around them stand in the list.
    static Loop last(const std::vector<Loop>& loops) {
        Loop one;
        one.extent = 1;
        return loops.empty() ? one : loops.back();
    }
    static int64_t others(const std::vector<Loop>& loops) { return std::max<int64_t>(int64_t(loops.size()) - 1, 0); }
    void add_numbers(Header& h, Phase& p, size_t k, std::vector<Loop>& loops) const {
        p.first_loop = int64_t(loops.size());
        for (const auto* some : {&p.results, &p.sums})
            if (!some->empty()) loops.insert(loops.end(), some->begin(), some->end() - 1);
        h.add(fmt::format("results{}", k), iterations(p.results)), h.add(fmt::format("count{}", k), iterations(p.sums));
        h.add_divisor(fmt::format("inner{}", k), last(p.results).extent);
        h.add_divisor(fmt::format("run{}", k), last(p.sums).extent);
        for (size_t o = 0; o < operands_; ++o) h.add(fmt::format("base{}_{}", k, o), p.step->nest.base[o]);
        h.add_loop(fmt::format("inner{}_", k), last(p.results), operands_);
        h.add_loop(fmt::format("run{}_", k), last(p.sums), operands_);
    }
    std::string memory() const {
        std::string text;
        for (const LocalScratch& l : local_)
            text += fmt::format("    local uint o{}[{}];\n", l.operand, round_up(l.elements, fewest_lanes));
        if (const int64_t points = staged_points(phases_, lanes_))
            text += fmt::format("    local uint staged[{}];\n", points);
        return text + fmt::format("    local uint parts[{}];\n", lanes_);
    }

    // Moves the element numbers `at` to point `number` of some loops, the last of which has the name `inner`.
    std::string moved(std::string_view at, const std::vector<Loop>& loops, int64_t first, std::string_view inner,
                      size_t k, std::string_view number) const {
        std::string text, along_inner = std::string(number);
        if (others(loops) > 0) {
            const std::string name = fmt::format("{}{}", inner, k);
            text += fmt::format("    const place above_{0} = {1};\n    PLACE({0}, {2}, loops + {3} * "
                                "NUMBERS_OF_LOOP({2}), tables, {4}, above_{0});\n",
                                at, divided(number, name, wide_), operands_, first, others(loops));
            along_inner = fmt::format("({} - above_{} * {})", number, at, name);
        }
        for (size_t o = 0; o < operands_ && !loops.empty(); ++o) {
            const std::string step = along(last(loops), fmt::format("{}{}_", inner, k), along_inner, o);
            if (!step.empty()) text += fmt::format("    {}[{}] += {};\n", at, o, step.substr(3)); // without " + "
        }
        return text;
    }
    std::string result_place(const Phase& p, size_t k, std::string_view number) const {
        return fmt::format("    place in[{}] = {{{}}};\n", operands_,
                           each(", ", fmt::format("at[{{0}}] + base{}_{{0}}", k))) +
               moved("in", p.results, p.first_loop, "inner", k, number);
    }
    std::string elements(std::string_view from) const {
        return each("", fmt::format("    const place e{{0}} = {}[{{0}}];\n", from));
    }
    // The value of point `number` of the sum for the result at `in`, as s0.
    std::string point(const Phase& p, size_t k, std::string_view number) const {
        return fmt::format("    place to[{}] = {{{}}};\n", operands_, each(", ", "in[{0}]")) +
               moved("to", p.sums, p.first_loop + others(p.results), "run", k, number) + elements("to") +
               fmt::format("    {} s0 = 0, s1 = 0;\n", c_name(p.parts->type)) +
               source_of_program(p.parts->point, plan_, "v", access_);
    }
    std::string outer(const Phase& p, size_t k) const {
        return elements("in") + fmt::format("    {0} s0 = ({0})total, s1 = 0;\n", c_name(p.parts->type)) +
               source_of_program(p.parts->outer, plan_, fmt::format("w{}_", k), access_);
    }

    std::string map(size_t k) const {
        const Phase& p = phases_[k];
        return fmt::format("    for (place p = lane; p < results{}; p += {}) {{\n{}{}{}    }}\n{}", k, lanes_,
                           result_place(p, k, "p"), elements("in"),
                           source_of_program(plan_.programs[size_t(p.step->program)], plan_, "v", access_), barrier());
    }

    // Names with the number of the step: of what it combines, and how.
    void add_type(const Phase& p, size_t k) {
        types_ += fmt::format(R"cl(typedef {1} value{0};
#define COMBINED{0}(a, b) ({2})
#define VALUE{0}(bits) as_{1}(bits)
#define NOTHING{0} as_{1}(0x{3:08x}u)
)cl",
                              k, type_of_values(*p.parts), combination(*p.parts),
                              of_nothing(p.parts->combine, p.parts->type).value);
    }
    std::string reduction(size_t k) {
        const Phase& p = phases_[k];
        add_type(p, k);
        return p.staged(lanes_) ? few_results(p, k) : many_results(p, k);
    }
    std::string few_results(const Phase& p, size_t k) const {
        return fmt::format(R"cl(    for (place r = 0; r < results{0}; ++r) {{
{1}    value{0} total = NOTHING{0};
    for (place first = 0; first < count{0}; first += {2}) {{
        const int block = (int)min(count{0} - first, (place){2});
        #pragma unroll 4
        for (int i = lane; i < block; i += {3}) {{
            const place p = first + i;
{4}            staged[i] = as_uint((value{0})s0);
        }}
        barrier(CLK_LOCAL_MEM_FENCE);
        value{0} mine = NOTHING{0};
        if (lane < {5}) {{
            #pragma unroll 8
            for (int i = lane; i < block; i += {5}) mine = COMBINED{0}(mine, VALUE{0}(staged[i]));
            parts[lane] = as_uint(mine);
        }}
        for (int apart = {5} / 2; apart; apart /= 2) {{
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane < apart)
                parts[lane] = as_uint((value{0})COMBINED{0}(VALUE{0}(parts[lane]), VALUE{0}(parts[lane + apart])));
        }}
        barrier(CLK_LOCAL_MEM_FENCE);
        total = first ? COMBINED{0}(total, VALUE{0}(parts[0])) : VALUE{0}(parts[0]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }}
    if (lane == 0) {{
{6}    }}
    }}
{7})cl",
                           k, result_place(p, k, "r"), reduction_block, lanes_, point(p, k, "p"), reduction_sums,
                           outer(p, k), barrier());
    }
    // Work-items beside each other read what lies beside each other: points of a sum, or results.
    std::string many_results(const Phase& p, size_t k) const {
        const bool beside = results_are_beside(*p.parts, p.results, p.sums, operands_);
        const int partials = p.partials();
        const int64_t own = lanes_ / partials; // results at a time
        const std::string together = partials == 1 ? ""
                                                   : fmt::format(R"cl(        parts[lane] = as_uint(mine);
        for (int apart = {1} / 2; apart; apart /= 2) {{
            barrier(CLK_LOCAL_MEM_FENCE);
            if (sum < apart)
                parts[lane] = as_uint(
                    (value{0})COMBINED{0}(VALUE{0}(parts[lane]), VALUE{0}(parts[lane + apart * apart_sums])));
        }}
        barrier(CLK_LOCAL_MEM_FENCE);
        mine = VALUE{0}(parts[lane]);
        barrier(CLK_LOCAL_MEM_FENCE);
)cl",
                                                                 k, partials);
        return fmt::format(
            R"cl(    for (place r = 0; r < results{0}; r += {1}) {{
    const int sum = lane {2}, apart_sums = {3};
    const place result = r + lane {4};
    const place clamped = min(result, results{0} - 1);
{5}    value{0} total = NOTHING{0};
    for (place first = 0; first < count{0}; first += {6}) {{
        const place end = min(first + {6}, count{0});
        value{0} mine = NOTHING{0};
        #pragma unroll 4
        for (place p = first + sum; p < end; p += {7}) {{
{8}            mine = COMBINED{0}(mine, (value{0})s0);
        }}
{10}        total = first ? COMBINED{0}(total, mine) : mine;
    }}
    if (sum == 0 && result < results{0}) {{
{9}    }}
    }}
{11})cl",
            k, own, beside ? fmt::format("/ {}", own) : fmt::format("% {}", partials), beside ? own : 1,
            beside ? fmt::format("% {}", own) : fmt::format("/ {}", partials), result_place(p, k, "clamped"),
            reduction_block, partials, point(p, k, "p"), outer(p, k), together, barrier());
    }
    // What a step stored, the next one reads, in local memory and elsewhere.
    static std::string barrier() { return "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"; }

    const Plan& plan_;
    Plan seen_; // without what lies in local memory
    const Step& group_;
    bool wide_ = false;
    const std::span<const LocalScratch> local_;
    std::vector<Phase> phases_;
    const int64_t lanes_;
    const size_t operands_;
    Access access_;
    std::string types_;
};

std::vector<Phase> phases_of(const Plan& plan, const Step& group) {
    std::vector<Phase> phases;
    for (const Step& step : group.group->steps) {
        auto phase = phase_of(plan, step);
        if (!phase) return {};
        phases.push_back(std::move(*phase));
    }
    return phases;
}

} // namespace

int64_t passes_of_a_point(const DeviceRow& row, const Plan& plan, const Step& group) {
    constexpr int64_t points = 8; // of a work-item, as a group of all lanes has them
    int64_t most = 1, beside = 1;
    for (const Phase& p : phases_of(plan, group)) {
        most = std::max(most, p.points());
        // Channels that lie side by side: as many as have work-items at once, which read them in whole lines.
        if (p.parts && results_are_beside(*p.parts, group.nest.loops, p.sums, plan.operands.size()))
            beside = std::max(beside, row.lanes / p.partials());
    }
    const int64_t all = iterations(group.nest.loops);
    return std::clamp<int64_t>(std::max(points * row.lanes / most, beside), 1,
                               std::max<int64_t>(all / (2 * row.units), 1));
}

bool has_group_kernel(const DeviceRow& row, const Plan& plan, const Step& group, std::span<const LocalScratch> local) {
    if (row.processor()) return false;
    const std::vector<Phase> phases = phases_of(plan, group);
    if (phases.empty()) return false;
    for (const Phase& p : phases) // longer ones are points as large as the caches of processors
        if (p.step->in_order && iterations(p.sums) > few_points) return false;
    const int64_t lanes = lanes_of(row, phases);
    int64_t bytes = bytes_of_sums * (staged_points(phases, lanes) + lanes);
    for (const LocalScratch& l : local) {
        if (!can_be_local(plan, group, l.operand)) return false;
        bytes += bytes_of_sums * round_up(l.elements, fewest_lanes);
    }
    return bytes <= row.local_bytes;
}

Launch launch_of_group(const DeviceRow& row, const Plan& plan, const Step& group, std::span<const LocalScratch> local) {
    std::vector<Phase> phases = phases_of(plan, group);
    const int64_t lanes = lanes_of(row, phases);
    return GroupPrinter(plan, group, local, std::move(phases), lanes).launch();
}

} // namespace tessera::gpu
