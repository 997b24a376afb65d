// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/steps/groups.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/plan/cut.hpp"
#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"
#include "cpu/executor/group_job.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t line_of_results = 64; // elements: 64 bytes at least

// Passes to merge into a point, so that what it reads and writes fits half of the second level and all threads get
// work; 0: the whole group fits.
int64_t passes_of_a_point(const Plan& plan, const Step& group, const Context& context) {
    std::map<int, int64_t> of_operand; // bytes of a point, whatever the number of steps that come by
    for (const Step& step : group.group->steps)
        for (const int o : used_operands(plan, step)) {
            int64_t elements = 1;
            for (const Loop& loop : step.nest.loops)
                if (loop.table[size_t(o)] || loop.stride[size_t(o)]) elements *= loop.extent;
            int64_t& most = of_operand[o];
            if (!plan.operands[size_t(o)].counted)
                most = std::max(most, elements * bits(plan.operands[size_t(o)].type) / 8);
        }
    int64_t bytes = 1;
    for (const auto& [operand, own] : of_operand) bytes += own;
    const int64_t stay = context.l2_bytes / 2;
    if (group.nest.loops.empty() || iterations(group.nest.loops) <= stay / bytes) return 0;
    // Vectors along the results: at least a line of them.
    const Loop& passes = group.nest.loops.back();
    const bool dense = std::ranges::any_of(of_operand, [&](const auto& o) {
        return o.second > 4 && !passes.table[size_t(o.first)] && passes.stride[size_t(o.first)] == 1;
    });
    const int64_t share = iterations(group.nest.loops) / (context.threads * chunks_per_thread),
                  least = dense ? line_of_results : 1;
    return std::clamp<int64_t>(stay / bytes, least, std::max(share, least));
}

} // namespace

Result<std::vector<SelectedPoints>> select_points(const Plan& plan, const std::vector<int>& operands,
                                                  const std::vector<int>& own, int number, const Context& context) {
    std::vector<SelectedPoints> all;
    const Step& group = plan.steps[0];
    const int64_t passes = passes_of_a_point(plan, group, context);
    if (passes == 0) return all;
    const Context alone = with_one_thread(context);
    for (Step step : widened(plan, group, passes)) {
        std::vector<LocalScratch> local = make_local(step, own);
        Plan inner = plan;
        inner.steps = step.group->steps;
        Point point{number, {}, alone};
        for (const LocalScratch& l : local) point.scratch.push_back(l.operand);
        point.of_results.times = iterations(step.nest.loops);
        auto parts = select_in_point(inner, alone, point);
        if (!parts) return Refusal(parts.error());
        if (!parts->generated()) return std::vector<SelectedPoints>();
        Choice choice;
        choice.operands = operands, choice.why_portable = parts->why_portable();
        std::vector<GroupJob::Part> jobs;
        for (Choice& c : parts->choices) {
            if (!c.job && !c.executable) continue; // the one before does it
            choice.tile += fmt::format("{}{}", choice.tile.empty() ? "group of " : ", ", c.tile);
            jobs.push_back({std::move(c.job), std::move(c.executable), std::move(c.operands)});
        }
        choice.job = std::make_unique<GroupJob>(step.nest, std::move(jobs), plan.operands, local);
        step.group = std::make_shared<Group>(Group{std::move(parts->plan.steps)});
        all.push_back({std::move(parts->plan), std::move(step), std::move(choice), std::move(local)});
    }
    return all;
}

bool is_result(const Plan& plan, size_t i) {
    const Step& step = plan.steps[i];
    if (step.program < 0) return false;
    for (const Op& op : plan.programs[size_t(step.program)].ops) {
        if (op.code != OpCode::store) continue;
        const Operand& written = plan.operands[size_t(op.operand)];
        if (written.scratch >= 0) return false;
        for (size_t k = i + 1; k < plan.steps.size(); ++k)
            for (const int o : used_operands(plan, plan.steps[k]))
                if (plan.operands[size_t(o)].arg == written.arg) return false;
    }
    return true;
}

} // namespace tessera::cpu
