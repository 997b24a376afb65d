// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/turns.hpp"

#include "core/plan/unit.hpp"

namespace tessera {

namespace {

// The step with every operand where it is in that turn. Steps of a group move with the group.
Step moved(const Plan& plan, const Nest& nest, int64_t turn, const Step& step) {
    Step out = step;
    Product product;
    if (step.product) product = *step.product;
    for (size_t o = 0; o < plan.operands.size(); ++o) {
        const int64_t start = start_of_turn(nest, o, turn);
        if (start == 0) continue;
        if (!step.product)
            out.nest.base.set(o, std::as_const(out.nest.base)[o] + start);
        else if (o < product.space.layouts.size())
            product.space.layouts[o].offset += start;
    }
    if (step.product) out.product = std::make_shared<const Product>(std::move(product));
    return out;
}

void add_unrolled(const Plan& plan, const Step& step, std::vector<Step>& steps) {
    if (step.kind != StepKind::repeat) return steps.push_back(step);
    for (int64_t turn = 0; turn < iterations(step.nest.loops); ++turn)
        for (const Step& inner : step.group->steps) add_unrolled(plan, moved(plan, step.nest, turn, inner), steps);
}

} // namespace

int64_t start_of_turn(const Nest& nest, size_t operand, int64_t turn) {
    int64_t at = nest.base[operand];
    for (size_t k = nest.loops.size(); k-- > 0;) {
        const Loop& loop = nest.loops[k];
        at += turn % loop.extent * loop.stride[operand];
        turn /= loop.extent;
    }
    return at;
}

Plan unrolled(const Plan& plan) {
    Plan out = plan;
    out.steps.clear();
    for (const Step& step : plan.steps) add_unrolled(plan, step, out.steps);
    return out;
}

Plan turn_of(const Plan& plan, const Step& repeat) {
    Plan out = plan;
    out.steps = repeat.group->steps;
    for (Operand& operand : out.operands)
        if (operand.scratch >= 0) {
            operand.arg = -1 - operand.scratch; // equal for operands of the same memory, and no argument's number
            operand.scratch = -1;
        }
    return out;
}

} // namespace tessera
