// SPDX-License-Identifier: Apache-2.0
// Groups of steps on GPUs: softmax, normalizations and windows that overlap in one kernel. A group of work-items runs
// all steps of a point one after the other, with a barrier between two of them; what only they use, the exponentials of
// a row or the maxima along an image's columns, lies in local memory. So a point comes from memory once, where a kernel
// for each step reads it as often as there are steps.
//
// Sums keep the order of core/program/reduction.hpp. What they add up lies along results or along the sum:
//
//   results beside each other   a work-item each for short sums and those in order (windows), else 16
//   all points of some rows     all work-items compute them into local memory, where each result has 16, or one if
//                               those are more than there are
//   rows of more than 4096      one after the other, 4096 points at a time
//
// A barrier costs as much as a dozen additions, so partial sums are added up by work-items that read all 16.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/moves.hpp"
#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "gpu/groups.hpp"
#include "gpu/header.hpp"
#include "gpu/maps/view.hpp"

namespace tessera::gpu {

namespace {

class GroupPrinter {
public:
    GroupPrinter(const DeviceRow& row, const Plan& plan, const Step& group, std::span<const LocalScratch> local,
                 std::vector<Phase> phases, int64_t lanes)
        : row_(row), plan_(plan), seen_(plan), group_(group), local_(local), phases_(std::move(phases)), lanes_(lanes),
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
            return needs_wide_places(row_, plan_, whole);
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
        h.add(fmt::format("results{}", k), iterations(p.results));
        if (p.parts) {
            h.add_divisor(fmt::format("count{}", k), p.count());
            h.add(fmt::format("pitch{}", k), pitch_of(p, lanes_));
        }
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
        if (const int64_t points = staged_points(phases_, lanes_, operands_))
            text += fmt::format("    local uint staged[{}];\n", points);
        return text + fmt::format("    local uint parts[{}];\n", lanes_);
    }

    // Moves the element numbers `at` to point `number` of some loops, the last of which has the name `inner`; the
    // others stand in the list from number `first` on.
    std::string moved(std::string_view at, const std::vector<Loop>& loops, int64_t first, std::string_view inner,
                      size_t k, std::string_view number) const {
        if (loops.empty()) return "";
        std::string text, along_inner = std::string(number);
        if (loops.size() > 1) {
            const std::string name = fmt::format("{}{}", inner, k), i = fmt::format("{}_{}", at, loops.size() - 2);
            text += fmt::format("    const place {} = {};\n", i, divided(number, name, wide_));
            along_inner = fmt::format("({} - {} * {})", number, i, name);
        }
        for (size_t j = loops.size() - 1; j-- > 0;) {
            std::string i = fmt::format("{}_{}", at, j);
            const int64_t numbers = (first + int64_t(j)) * (3 + 2 * int64_t(operands_)); // as PLACE() has them
            if (j > 0) {
                text += fmt::format(
                    "    const place {0}_{1} = QUOTIENT({2}, loops[{3}], loops[{3} + 1], loops[{3} + 2]);\n", at, j - 1,
                    i, numbers);
                i = fmt::format("({0} - {1}_{2} * loops[{3}])", i, at, j - 1, numbers);
            }
            for (size_t o = 0; o < operands_; ++o) {
                const int64_t stride = numbers + 3 + 2 * int64_t(o);
                if (loops[j].table[o])
                    text += fmt::format("    {}[{}] += tables[loops[{}] + {}];\n", at, o, stride + 1, i);
                else if (loops[j].stride[o] != 0)
                    text += fmt::format("    {}[{}] += {} * loops[{}];\n", at, o, i, stride);
            }
        }
        for (size_t o = 0; o < operands_; ++o) {
            const std::string step = along(loops.back(), fmt::format("{}{}_", inner, k), along_inner, o);
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

    // Loads of several points come before the first store, so that a work-item waits for them together.
    std::string map(size_t k) const {
        const Phase& p = phases_[k];
        const Program& program = plan_.programs[size_t(p.step->program)];
        constexpr int64_t most_points = 8, most_statements = 512;
        const int64_t of_lane = std::min(ceil_div(iterations(p.results), lanes_),
                                         most_statements / std::max<int64_t>(int64_t(program.ops.size()), 1));
        const auto batch = int64_t(std::bit_floor(uint64_t(std::clamp<int64_t>(of_lane, 1, most_points))));
        Access access = access_;
        std::string arrays, loads;
        const std::vector<bool> first = loaded_first(program, operands_);
        access.loaded.resize(operands_);
        for (size_t o = 0; o < operands_ && batch > 1; ++o) {
            if (!first[o] || plan_.operands[o].counted || access_.is_local(int(o))) continue;
            const DataType type = plan_.operands[o].type;
            arrays += fmt::format("    {} x{}[{}];\n", bits(type) == 64 ? "ulong" : "uint", o, batch);
            loads += fmt::format("    x{}[n] = {};\n", o, source_of_code(int(o), type));
            access.loaded[o] = fmt::format("x{}[n]", o);
        }
        const std::string place = fmt::format("    const place p = min(first + n * {}, results{} - 1);\n", lanes_, k) +
                                  result_place(p, k, "p") + elements("in");
        const auto each = [&](std::string_view body) {
            return fmt::format("#pragma unroll\n    for (int n = 0; n < {}; ++n) {{\n{}    }}\n", batch, body);
        };
        return fmt::format("    for (place first = lane; first < results{}; first += {}) {{\n{}{}{}    }}\n{}", k,
                           batch * lanes_, arrays, loads.empty() ? "" : each(place + loads),
                           each(fmt::format("    if (first + n * {} < results{}) {{\n{}{}    }}\n", lanes_, k, place,
                                            source_of_program(program, plan_, "v", access))),
                           barrier());
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
        switch (adding_of(p, lanes_, operands_)) {
        case Adding::few:
            return few_results(p, k);
        case Adding::together:
            return all_results(p, k);
        case Adding::alone:
            return results_alone(p, k);
        default:
            return many_results(p, k);
        }
    }
    // The 16 partial sums t of a result as one, in t[0].
    static std::string sum_of_partials(size_t k) {
        return fmt::format(R"cl(#pragma unroll
        for (int apart = {1} / 2; apart; apart /= 2)
#pragma unroll
            for (int n = 0; n < apart; ++n) t[n] = COMBINED{0}(t[n], t[n + apart]);
)cl",
                           k, reduction_sums);
    }
    static std::string partials_from(size_t k, std::string_view where) {
        return fmt::format(R"cl(        value{0} t[{1}];
#pragma unroll
        for (int n = 0; n < {1}; ++n) t[n] = VALUE{0}(parts[{2}]);
{3})cl",
                           k, reduction_sums, where, sum_of_partials(k));
    }
    std::string few_results(const Phase& p, size_t k) const {
        return fmt::format(R"cl(    for (place r = 0; r < results{0}; ++r) {{
{1}    value{0} total = NOTHING{0};
    for (place first = 0; first < count{0}; first += {2}) {{
        const int block = (int)min(count{0} - first, (place){2});
        #pragma unroll 8
        for (int i = lane; i < block; i += {3}) {{
            const place p = first + i;
{4}            staged[i] = as_uint((value{0})s0);
        }}
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < {5}) {{
            value{0} mine = NOTHING{0};
            #pragma unroll 8
            for (int i = lane; i < block; i += {5}) mine = COMBINED{0}(mine, VALUE{0}(staged[i]));
            parts[lane] = as_uint(mine);
        }}
        barrier(CLK_LOCAL_MEM_FENCE);
{8}        total = first ? COMBINED{0}(total, t[0]) : t[0];
    }}
    if (lane == 0) {{
{6}    }}
    }}
{7})cl",
                           k, result_place(p, k, "r"), reduction_block, lanes_, point(p, k, "p"), reduction_sums,
                           outer(p, k), barrier(), partials_from(k, "n"));
    }
    // Whether a point is an element of local memory, which sums take from where it is.
    bool is_local_element(const Phase& p) const {
        return p.parts->point.ops.size() == 2 && p.parts->point.ops[0].code == OpCode::load &&
               access_.is_local(p.parts->point.ops[0].operand);
    }
    std::string all_results(const Phase& p, size_t k) const {
        if (is_local_element(p) && !has_own_lanes(p, lanes_)) return results_alone(p, k);
        const std::string stage = fmt::format(R"cl(    #pragma unroll 8
    for (int i = lane; i < (int)(results{0} * count{0}); i += {1}) {{
        const int r = (int){2}, c = i - r * (int)count{0};
{3}{4}        staged[r * (int)pitch{0} + c] = as_uint((value{0})s0);
    }}
    barrier(CLK_LOCAL_MEM_FENCE);
)cl",
                                              k, lanes_, divided("i", fmt::format("count{}", k), wide_),
                                              result_place(p, k, "r"), point(p, k, "c"));
        if (!has_own_lanes(p, lanes_))
            return stage + alone(k, result_place(p, k, "r"), "",
                                 fmt::format("VALUE{0}(staged[r * pitch{0} + min(p, count{0} - 1)])", k), outer(p, k));
        const bool local = is_local_element(p);
        return (local ? "" : stage) +
               fmt::format(R"cl(    if (lane < (int)results{0} * {1}) {{
{6}        value{0} mine = NOTHING{0};
        #pragma unroll 8
        for (int i = lane % {1}; i < (int)count{0}; i += {1}) {{
{7}        }}
        parts[lane % {1} * (int)results{0} + lane / {1}] = as_uint(mine);
    }}
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < (int)results{0}) {{
{2}{3}        const value{0} total = t[0];
{4}    }}
{5})cl",
                           k, reduction_sums, result_place(p, k, "lane"),
                           partials_from(k, fmt::format("n * (int)results{} + lane", k)), outer(p, k), barrier(),
                           local ? result_place(p, k, fmt::format("(lane / {})", reduction_sums)) : "",
                           local ? point(p, k, "i") +
                                       fmt::format("            mine = COMBINED{0}(mine, (value{0})s0);\n", k)
                                 : fmt::format("            mine = COMBINED{0}(mine, VALUE{0}(staged[lane / {1} * "
                                               "(int)pitch{0} + i]));\n",
                                               k, reduction_sums));
    }
    std::string results_alone(const Phase& p, size_t k) const {
        return alone(k, result_place(p, k, "r"),
                     fmt::format("            const place c = min(p, count{} - 1);\n", k) + point(p, k, "c"),
                     fmt::format("(value{})s0", k), outer(p, k));
    }
    // Results r of a work-item each, whose point p is `value` behind `point`.
    std::string alone(size_t k, std::string_view place, std::string_view point, std::string_view value,
                      std::string_view outer) const {
        return fmt::format(R"cl(    for (place r = lane; r < results{0}; r += {1}) {{
{2}        value{0} t[{3}];
#pragma unroll
        for (int n = 0; n < {3}; ++n) t[n] = NOTHING{0};
        for (place first = 0; first < count{0}; first += {3}) {{
#pragma unroll
            for (int n = 0; n < {3}; ++n) {{
                const place p = first + n;
{4}                const value{0} one = {5};
                t[n] = p < count{0} ? COMBINED{0}(t[n], one) : t[n];
            }}
        }}
{6}        const value{0} total = t[0];
{7}    }}
{8})cl",
                           k, lanes_, place, reduction_sums, point, value, sum_of_partials(k), outer, barrier());
    }
    // Work-items beside each other read what lies beside each other: points of a sum, or results.
    std::string many_results(const Phase& p, size_t k) const {
        const bool beside = results_are_beside(*p.parts, p.results, p.sums, operands_);
        const int partials = p.partials();
        const int64_t own = lanes_ / partials; // results at a time
        const std::string together =
            partials == 1
                ? ""
                : fmt::format("        parts[lane] = as_uint(mine);\n        barrier(CLK_LOCAL_MEM_FENCE);\n{1}"
                              "        mine = t[0];\n        barrier(CLK_LOCAL_MEM_FENCE);\n",
                              k, partials_from(k, "lane - sum * apart_sums + n * apart_sums"));
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

    const DeviceRow& row_;
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

} // namespace

Launch launch_of_group(const DeviceRow& row, const Plan& plan, const Step& group, std::span<const LocalScratch> local) {
    std::vector<Phase> phases = phases_of(plan, group);
    const int64_t lanes = lanes_of(row, phases);
    return GroupPrinter(row, plan, group, local, std::move(phases), lanes).launch();
}

} // namespace tessera::gpu
