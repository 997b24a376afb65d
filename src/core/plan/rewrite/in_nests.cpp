// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/in_nests.hpp"

#include "core/plan/moves.hpp"

namespace tessera {

Plan in_nests(const Plan& plan) {
    return in_nests(plan, [](const Step&) { return false; });
}

Plan in_nests(const Plan& plan, const std::function<bool(const Step&)>& stays) {
    Plan result = plan;
    result.steps.clear();
    for (const Step& step : plan.steps) {
        if (step.interpolation) {
            Step& map = result.steps.emplace_back(step);
            map.kind = StepKind::map, map.program = int(result.programs.size()), map.interpolation = nullptr;
            result.programs.push_back(with_values(*step.interpolation, plan.programs[size_t(step.program)]));
            continue;
        }
        if (step.kind != StepKind::product || stays(step)) {
            result.steps.push_back(step);
            continue;
        }
        const Space space = with_all_layouts(step.product->space);
        result.programs.push_back(with_sum(*step.product, plan.programs[size_t(step.program)]));
        add_moves({.layouts = space.layouts,
                   .dims = space.dims,
                   .program = int(result.programs.size()) - 1,
                   .reduce_mask = space.reduce_mask,
                   .as_given = true,
                   .order_by = result.programs.back().ops.back().operand},
                  result);
    }
    return result;
}

Plan as_map(const Plan& plan, const Step& step) {
    Plan alone = plan;
    alone.steps = {step};
    return in_nests(alone);
}

} // namespace tessera
