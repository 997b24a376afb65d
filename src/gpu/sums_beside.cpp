// SPDX-License-Identifier: Apache-2.0
#include "gpu/sums_beside.hpp"

#include <algorithm>
#include <numeric>

#include "core/plan/rewrite/operands.hpp"

namespace tessera::gpu {

namespace {

// The scratch memory that a reduction writes, which nothing else can be an alias of; -1: another step.
int scratch_of_sum(const Plan& plan, const Step& step) {
    if (step.kind != StepKind::reduce) return -1;
    int scratch = -1;
    for (const Op& op : plan.programs[size_t(step.program)].ops) {
        if (op.code != OpCode::store) continue;
        const int stored = plan.operands[size_t(op.operand)].scratch;
        if (stored < 0 || (scratch >= 0 && scratch != stored)) return -1;
        scratch = stored;
    }
    return scratch;
}

bool uses(const Plan& plan, const Step& step, int scratch) {
    return std::ranges::any_of(used_operands(plan, step),
                               [&](int o) { return plan.operands[size_t(o)].scratch == scratch; });
}

// Whether a step leaves alone what a sum reads and writes: memory of callers is written by steps that the sum was
// behind, and so may be what it reads.
bool leaves_alone(const Plan& plan, const Step& step, const Step& sum) {
    if (step.kind != StepKind::reduce || uses(plan, step, scratch_of_sum(plan, sum))) return false;
    for (const Op& op : plan.programs[size_t(step.program)].ops) {
        if (op.code != OpCode::store) continue;
        const Operand& stored = plan.operands[size_t(op.operand)];
        for (const int o : used_operands(plan, sum)) {
            const Operand& used = plan.operands[size_t(o)];
            if (stored.scratch >= 0 ? used.scratch == stored.scratch
                                    : used.scratch < 0 && used.constant < 0 && used.arg == stored.arg)
                return false;
        }
    }
    return true;
}

} // namespace

std::vector<size_t> gather_sums(Plan& plan) {
    std::vector<Step>& steps = plan.steps;
    std::vector<size_t> order(steps.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t first = 0, end; first < steps.size(); first = end) {
        // A set moves as a whole.
        end = first + 1;
        while (end < steps.size() && steps[end].together != Together::no) ++end;
        const auto is_sum = [&](const Step& step) { return scratch_of_sum(plan, step) >= 0; };
        if (!std::all_of(steps.begin() + long(first), steps.begin() + long(end), is_sum)) continue;
        const auto is_free = [&](const Step& step) {
            return std::all_of(steps.begin() + long(first), steps.begin() + long(end),
                               [&](const Step& sum) { return leaves_alone(plan, step, sum); });
        };
        size_t to = first;
        for (size_t before = first; before-- > 0 && is_free(steps[before]);)
            if (is_sum(steps[before])) {
                to = before + 1;
                break;
            }
        if (to == first || steps[to].together != Together::no) continue;
        std::rotate(steps.begin() + long(to), steps.begin() + long(first), steps.begin() + long(end));
        std::rotate(order.begin() + long(to), order.begin() + long(first), order.begin() + long(end));
    }
    return order;
}

void mark_sums(Plan& plan) {
    size_t first = 0; // of the steps that run at the same time
    for (size_t i = 1; i < plan.steps.size(); ++i) {
        Step& step = plan.steps[i];
        if (step.together != Together::no) continue;
        const auto is_free = [&](const Step& before) {
            return scratch_of_sum(plan, before) >= 0 && leaves_alone(plan, before, step) &&
                   leaves_alone(plan, step, before);
        };
        if (scratch_of_sum(plan, step) >= 0 &&
            std::all_of(plan.steps.begin() + long(first), plan.steps.begin() + long(i), is_free))
            step.together = Together::beside;
        else
            first = i;
    }
}

} // namespace tessera::gpu
