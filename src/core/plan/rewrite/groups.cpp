// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/groups.hpp"

#include <algorithm>
#include <iterator>

#include "core/plan/rewrite/operands.hpp"

namespace tessera {

namespace {

// Loops that the group kept apart become one again, as far as the step's own operands go.
Step inside(const Plan& plan, const Nest& shared, const Step& step) {
    std::vector<Renaming> own;
    for (const int o : used_operands(plan, step)) own.push_back({o, o});
    const Nest outer = renamed(shared, own);
    Step out = step;
    Nest& nest = out.nest;
    nest.base += outer.base;
    if (!nest.loops.empty() && !outer.loops.empty() && nest.loops[0].kind != LoopKind::reduce)
        nest.loops[0].kind = outer.loops.back().kind;
    nest.loops.insert(nest.loops.begin(), outer.loops.begin(), outer.loops.end());
    const auto operands = int(plan.operands.size());
    nest = coalesce(nest, operands);
    // As `lower` orders loops; what the group shared may be the densest of them.
    const int written = step.program < 0 ? step.fill_operand : plan.programs[size_t(step.program)].ops.back().operand;
    nest = coalesce(order(nest, operands, written), operands);
    return out;
}

// The group over `count` passes of its innermost loop from `first` on, `each` of them a point.
Step part(const Plan& plan, const Step& group, int64_t first, int64_t count, int64_t each) {
    const Loop& loop = group.nest.loops.back();
    Loop passes = loop;
    passes.extent = each;
    Group own;
    for (const Step& step : group.group->steps) own.steps.push_back(inside(plan, {{}, {passes}}, step));
    Step out = group;
    PerOperand<int64_t> start = loop.stride;
    start.each([&](int64_t& stride) { stride *= first; });
    out.nest.base += start;
    Loop& points = out.nest.loops.back();
    points.extent = count / each;
    points.stride.each([&](int64_t& stride) { stride *= each; });
    if (points.extent == 1) out.nest.loops.pop_back();
    out.group = std::make_shared<Group>(std::move(own));
    return out;
}

// The largest divisor of the extent from `most` down to half of it, so that no rest is a step of its own, rather one
// that is whole vectors and lines; where there is none, `most` or the lines in it. The search takes less than a
// microsecond.
int64_t even_share(int64_t extent, int64_t most) {
    constexpr int64_t tries = 64, line = 16;
    if (most == extent) return most;
    for (const int64_t step : {line, int64_t(1)})
        for (int64_t each = most / step * step; 2 * each >= most && each > most - tries * step && each > 0;
             each -= step)
            if (extent % each == 0) return each;
    return most >= 2 * line ? most / line * line : most;
}

} // namespace

Plan ungrouped(const Plan& plan) {
    Plan out = plan;
    out.steps.clear();
    for (const Step& step : plan.steps)
        if (step.kind == StepKind::group)
            std::ranges::move(ungrouped(plan, step), std::back_inserter(out.steps));
        else
            out.steps.push_back(step);
    return out;
}

std::vector<Step> ungrouped(const Plan& plan, const Step& group) {
    std::vector<Step> out;
    for (const Step& step : group.group->steps) out.push_back(inside(plan, group.nest, step));
    return out;
}

std::vector<Step> widened(const Plan& plan, const Step& group, int64_t count) {
    Step wide = group;
    while (!wide.nest.loops.empty() && !wide.nest.loops.back().indexed() && count > 1) {
        const int64_t extent = wide.nest.loops.back().extent, most = even_share(extent, std::min(count, extent));
        const int64_t whole = extent / most * most;
        std::vector<Step> out{part(plan, wide, 0, whole, most)};
        if (whole < extent) out.push_back(part(plan, wide, whole, extent - whole, extent - whole));
        if (most < extent) return out;
        wide = std::move(out[0]); // all of that loop, so some passes of the next one
        count /= extent;
    }
    return {wide};
}

} // namespace tessera
