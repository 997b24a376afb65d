// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels.hpp"

#include <algorithm>
#include <utility>

#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/in_nests.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/rewrite/together.hpp"
#include "core/plan/unit.hpp"
#include "gpu/parts.hpp"
#include "gpu/products/split.hpp"
#include "gpu/steps.hpp"
#include "gpu/sums_beside.hpp"

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

// Whether a group of work-items should run all of a point, though some units have none: if it is done before a launch
// for each step would have begun. A launch takes as long as nine reads of memory, and eight of a work-item are on their
// way together.
bool is_small(const DeviceRow& row, const Step& group) {
    constexpr int64_t points_of_lane = 32;
    return std::ranges::all_of(group.group->steps,
                               [&](const Step& s) { return s.nest.points() <= points_of_lane * row.lanes; });
}

// The parts of a group as steps with kernels; none where one of them has none, or where points are fewer than what the
// device runs at the same time, unless they are small. A point has fewer passes where so many do not fit into local
// memory.
std::vector<Step> parts_of(const DeviceRow& row, const Plan& plan, const Step& group, const std::vector<int>& own) {
    if (row.processor() || (iterations(group.nest.loops) < row.units && !is_small(row, group))) return {};
    const auto has_kernel = [&](const Step& part) {
        const Inner inner = inner_of(plan, part, own);
        return has_group_kernel(row, inner.local.plan, inner.local.plan.steps[0], inner.scratch);
    };
    const Passes passes = passes_of_a_point(row, plan, group);
    for (int64_t some = passes.most; some >= passes.least; some /= 2) {
        std::vector<Step> parts = widened(plan, group, some);
        if (std::ranges::all_of(parts, has_kernel)) return parts;
    }
    return {};
}

std::vector<size_t> mark_independent(Plan& plan) { return mark_together(plan, std::vector<bool>(plan.steps.size())); }

} // namespace

KernelPlan kernel_plan(const DeviceRow& row, const Plan& plan) {
    Plan nests = in_nests(plan, [&](const Step& product) { return has_product_kernel(row, plan, product); });
    mark_independent(nests);
    nests = split_sums(row, std::move(nests));
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
    const auto sort = [&](const std::vector<size_t>& order) {
        std::vector<std::vector<int>> sorted;
        for (const size_t step : order) sorted.push_back(std::move(out.own[step]));
        out.own = std::move(sorted);
    };
    if (!row.processor()) sort(gather_sums(out.plan));
    sort(mark_independent(out.plan));
    if (!row.processor()) mark_sums(out.plan);
    return out;
}

namespace {

Kernel kernel_of(const DeviceRow& row, const KernelPlan& plan, size_t step) {
    const Inner inner = inner_of(plan.plan, plan.plan.steps[step], plan.own[step]);
    const Step& own = inner.local.plan.steps[0];
    Kernel kernel{step, own.kind == StepKind::group ? launch_of_group(row, inner.local.plan, own, inner.scratch)
                                                    : launch_of(row, inner.local.plan, own)};
    const auto is_local = [&](size_t i) {
        return std::ranges::any_of(inner.scratch, [&](const LocalScratch& l) { return size_t(l.operand) == i; });
    };
    for (size_t i = 0; i < inner.local.operands.size(); ++i)
        if (!inner.local.plan.operands[i].counted && !is_local(i)) kernel.operands.push_back(inner.local.operands[i]);
    return kernel;
}

// Products of the same operands and program.
struct AlikeProducts {
    size_t first; // of the plan's steps
    std::vector<LocalStep> all;
};
std::vector<Kernel> kernels_of_products(const DeviceRow& row, const AlikeProducts& products) {
    const LocalStep& first = products.all[0];
    std::vector<const Plan*> plans;
    for (const LocalStep& one : products.all) plans.push_back(&one.plan);
    std::vector<int> operands;
    for (size_t i = 0; i < first.operands.size(); ++i)
        if (!first.plan.operands[i].counted) operands.push_back(first.operands[i]);
    std::vector<Kernel> kernels;
    for (Launch& launch : launches_of_products(row, plans))
        kernels.push_back({products.first, std::move(launch), operands});
    return kernels;
}

// Of steps first .. end - 1, which run at the same time.
std::vector<Kernel> kernels_of_set(const DeviceRow& row, const KernelPlan& plan, size_t first, size_t end) {
    std::vector<Kernel> kernels;
    std::vector<std::vector<LaunchPart>> parts;          // of each of them
    std::vector<std::vector<std::vector<int>>> operands; // of each of them, the sets that its parts have
    std::vector<AlikeProducts> products;
    for (size_t i = first; i < end; ++i) {
        const Step& step = plan.plan.steps[i];
        if (step.product) {
            LocalStep local = local_step(plan.plan, step);
            const auto like = std::ranges::find_if(products, [&](const AlikeProducts& p) {
                return plan.plan.steps[p.first].program == step.program && p.all[0].operands == local.operands;
            });
            if (like == products.end())
                products.push_back({i, {std::move(local)}});
            else
                like->all.push_back(std::move(local));
            continue;
        }
        Kernel kernel = kernel_of(row, plan, i);
        if (kernel.launch.groups == 0) continue;
        const auto like = std::ranges::find_if(kernels, [&](const Kernel& k) {
            const auto number = size_t(&k - kernels.data());
            if (k.launch.source != kernel.launch.source || !may_join(parts[number], kernel.launch)) return false;
            return (kernel.launch.operands = set_of(operands[number], kernel.operands)) >= 0;
        });
        if (like == kernels.end()) {
            kernel.launch.operands = 0;
            parts.push_back({kernel.launch}), operands.push_back({kernel.operands});
            kernels.push_back(std::move(kernel));
        } else {
            parts[size_t(like - kernels.begin())].push_back(kernel.launch);
        }
    }
    for (size_t k = 0; k < kernels.size(); ++k) {
        const bool sums = plan.plan.steps[kernels[k].step].kind == StepKind::reduce;
        set_parts(kernels[k].launch, parts[k], sums);
        kernels[k].operands = set_operands(kernels[k].launch, operands[k]);
    }
    for (const AlikeProducts& alike : products)
        for (Kernel& kernel : kernels_of_products(row, alike)) kernels.push_back(std::move(kernel));
    return kernels;
}

} // namespace

std::vector<Kernel> kernels_of(const DeviceRow& row, const KernelPlan& plan) {
    const std::vector<Step>& steps = plan.plan.steps;
    std::vector<Kernel> kernels;
    for (size_t first = 0, end; first < steps.size(); first = end) {
        end = first + 1;
        if (steps[first].sparse) {
            kernels.push_back({first});
            continue;
        }
        while (end < steps.size() && steps[end].together != Together::no) ++end;
        bool is_first = true;
        for (Kernel& kernel : kernels_of_set(row, plan, first, end)) {
            kernel.beside = !std::exchange(is_first, false);
            kernels.push_back(std::move(kernel));
        }
    }
    return kernels;
}

} // namespace tessera::gpu
