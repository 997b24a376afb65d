// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels.hpp"

#include <algorithm>

#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/in_nests.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"
#include "gpu/products/split.hpp"
#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

// Scratch operands that one step alone uses.
std::vector<int> own_scratch(const Plan& plan, const Step& step) {
    std::vector<int> own;
    for (const int o : used_operands(plan, step)) {
        if (!has_own_scratch(plan, plan.operands[size_t(o)])) continue;
        const auto uses = [&](const Step& other) { return std::ranges::count(used_operands(plan, other), o) > 0; };
        if (std::ranges::count_if(plan.steps, uses) == 1) own.push_back(o);
    }
    return own;
}

// A step with the operands that it touches; those of a group that lie in local memory.
struct Inner {
    LocalStep local;
    std::vector<LocalScratch> scratch;
};
Inner inner_of(const Plan& plan, const Step& step, const std::vector<int>& own) {
    Inner inner{local_step(plan, step), {}};
    if (step.kind != StepKind::group) return inner;
    std::vector<int> candidates;
    for (size_t i = 0; i < inner.local.operands.size(); ++i)
        if (std::ranges::find(own, inner.local.operands[i]) != own.end()) candidates.push_back(int(i));
    inner.scratch = make_local(inner.local.plan.steps[0], candidates);
    return inner;
}

// The parts of a group as steps with kernels; none where one of them has none, or where points are fewer than what the
// device runs at the same time.
std::vector<Step> parts_of(const DeviceRow& row, const Plan& plan, const Step& group, const std::vector<int>& own) {
    if (row.processor() || iterations(group.nest.loops) < row.units) return {};
    std::vector<Step> parts = widened(plan, group, passes_of_a_point(row, plan, group));
    for (const Step& part : parts) {
        const Inner inner = inner_of(plan, part, own);
        if (!has_group_kernel(row, inner.local.plan, inner.local.plan.steps[0], inner.scratch)) return {};
    }
    return parts;
}

} // namespace

KernelPlan kernel_plan(const DeviceRow& row, const Plan& plan) {
    const Plan nests =
        split_sums(row, in_nests(plan, [&](const Step& product) { return has_product_kernel(row, plan, product); }));
    KernelPlan out{nests, {}};
    out.plan.steps.clear();
    for (const Step& step : nests.steps) {
        std::vector<Step> steps{step};
        std::vector<int> own;
        if (step.kind == StepKind::group) {
            own = own_scratch(nests, step);
            steps = parts_of(row, nests, step, own);
            if (steps.empty()) {
                steps = ungrouped(nests, step), own.clear();
            } else {
                const Inner inner = inner_of(nests, steps[0], own);
                for (const LocalScratch& l : inner.scratch)
                    out.plan.scratch[size_t(inner.local.plan.operands[size_t(l.operand)].scratch)] = 0;
            }
        }
        for (Step& one : steps) out.plan.steps.push_back(std::move(one)), out.own.push_back(own);
    }
    return out;
}

Kernel kernel_of(const DeviceRow& row, const KernelPlan& plan, size_t step) {
    Inner inner = inner_of(plan.plan, plan.plan.steps[step], plan.own[step]);
    const Step& own = inner.local.plan.steps[0];
    Kernel kernel;
    kernel.launch = own.kind == StepKind::group ? launch_of_group(row, inner.local.plan, own, inner.scratch)
                                                : launch_of(row, inner.local.plan, own);
    const auto is_local = [&](size_t i) {
        return std::ranges::any_of(inner.scratch, [&](const LocalScratch& l) { return size_t(l.operand) == i; });
    };
    for (size_t i = 0; i < inner.local.operands.size(); ++i)
        if (!inner.local.plan.operands[i].counted && !is_local(i)) kernel.operands.push_back(inner.local.operands[i]);
    return kernel;
}

} // namespace tessera::gpu
