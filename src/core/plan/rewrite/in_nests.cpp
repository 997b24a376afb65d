#include "core/plan/rewrite/in_nests.hpp"

#include "core/plan/moves.hpp"

namespace tessera {

Plan in_nests(const Plan& plan) {
    Plan result = plan;
    result.steps.clear();
    for (const Step& step : plan.steps) {
        if (step.kind != StepKind::product) {
            result.steps.push_back(step);
            continue;
        }
        const Space& space = step.product->space;
        result.programs.push_back(with_sum(*step.product, plan.programs[size_t(step.program)]));
        add_moves({.layouts = space.layouts,
                   .dims = space.dims,
                   .program = int(result.programs.size()) - 1,
                   .reduce_mask = space.reduce_mask,
                   .order_by = result.programs.back().ops.back().operand},
                  result);
    }
    return result;
}

} // namespace tessera
