// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "core/division.hpp"
#include "core/plan/moves.hpp"
#include "gpu/groups.hpp"

namespace tessera::gpu {

namespace {

constexpr int64_t bytes_of_sums = 4; // f32 and s32
constexpr int64_t short_sum = 64;    // that a work-item adds up alone

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

} // namespace

std::vector<Phase> phases_of(const Plan& plan, const Step& group) {
    std::vector<Phase> phases;
    for (const Step& step : group.group->steps) {
        auto phase = phase_of(plan, step);
        if (!phase) return {};
        phases.push_back(std::move(*phase));
    }
    return phases;
}

int64_t lanes_of(const DeviceRow& row, std::span<const Phase> phases) {
    constexpr int64_t points = 8; // of a work-item at least, in the largest step
    int64_t most = 1;
    for (const Phase& p : phases) most = std::max(most, p.points());
    return std::clamp(int64_t(std::bit_floor(uint64_t(ceil_div(most, points)))), std::min(fewest_lanes, row.lanes),
                      row.lanes);
}

Adding adding_of(const Phase& p, int64_t lanes, size_t operands) {
    if (p.step->in_order) return Adding::many;
    const int64_t results = iterations(p.results);
    if (p.beside(operands)) return p.count() <= short_sum && results >= lanes / 2 ? Adding::alone : Adding::many;
    if (p.points() <= reduction_block) return Adding::together;
    return results * reduction_sums < lanes / 2 ? Adding::few : Adding::many;
}

bool has_own_lanes(const Phase& p, int64_t lanes) { return iterations(p.results) * reduction_sums <= lanes; }
int64_t pitch_of(const Phase& p, int64_t lanes) {
    if (!has_own_lanes(p, lanes)) return p.count() | 1;
    return iterations(p.results) == 1 ? p.count() : round_up(p.count() + 16, fewest_lanes) - 16;
}

int64_t staged_points(std::span<const Phase> phases, int64_t lanes, size_t operands) {
    int64_t most = 0;
    for (const Phase& p : phases) {
        if (!p.parts) continue;
        const Adding adding = adding_of(p, lanes, operands);
        if (adding == Adding::few) most = std::max(most, std::min(round_up(p.count(), fewest_lanes), reduction_block));
        if (adding == Adding::together)
            most = std::max(most, round_up(iterations(p.results) * pitch_of(p, lanes), fewest_lanes));
    }
    return most;
}

Passes passes_of_a_point(const DeviceRow& row, const Plan& plan, const Step& group) {
    constexpr int64_t points = 8; // of a work-item, as a group of all lanes has them
    int64_t most = 1;
    Passes beside;
    for (const Phase& p : phases_of(plan, group)) {
        most = std::max(most, p.points());
        // Channels that lie side by side: as many as have work-items at once, which read them in whole lines.
        if (!p.parts || !results_are_beside(*p.parts, group.nest.loops, p.sums, plan.operands.size())) continue;
        beside.least = std::max(beside.least, row.lanes / p.partials());
        beside.most = std::max(beside.most, p.count() <= short_sum ? row.lanes : row.lanes / p.partials());
    }
    const int64_t all = std::max<int64_t>(iterations(group.nest.loops) / (2 * row.units), 1);
    return {std::clamp<int64_t>(std::max(points * row.lanes / most, beside.most), 1, all), std::min(beside.least, all)};
}

bool has_group_kernel(const DeviceRow& row, const Plan& plan, const Step& group, std::span<const LocalScratch> local) {
    if (row.processor()) return false;
    const std::vector<Phase> phases = phases_of(plan, group);
    if (phases.empty()) return false;
    for (const Phase& p : phases) // longer ones are points as large as the caches of processors
        if (p.step->in_order && iterations(p.sums) > few_points) return false;
    const int64_t lanes = lanes_of(row, phases);
    int64_t bytes = bytes_of_sums * (staged_points(phases, lanes, plan.operands.size()) + lanes);
    for (const LocalScratch& l : local) {
        if (!can_be_local(plan, group, l.operand)) return false;
        bytes += bytes_of_sums * round_up(l.elements, fewest_lanes);
    }
    return bytes <= row.local_bytes;
}

} // namespace tessera::gpu
