// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/steps/fills.hpp"

#include "core/plan/rewrite/padding.hpp"

namespace tessera::cpu {

namespace {

// The operand that a fill, or a step with rows, writes; -1 of other steps.
int written(const Plan& plan, const Step& s) {
    if (s.kind == StepKind::fill) return s.fill_operand;
    const bool has_rows = s.kind == StepKind::map || s.kind == StepKind::interpolate;
    return has_rows ? plan.programs[size_t(s.program)].ops.back().operand : -1;
}

} // namespace

Fills::Fills(const Plan& plan) : moves_(plan.steps.size()), behind_(plan.steps.size()) {
    const auto& steps = plan.steps;
    for (size_t f = 0; f < steps.size(); ++f) {
        if (steps[f].kind != StepKind::fill) continue;
        const auto visit = [&](size_t m) { // whether to go on
            const int64_t zeros = zeros_behind(plan, steps[m], steps[f]);
            if (zeros && !behind_[m].zeros) moves_[f] = true, behind_[m] = {f, zeros};
            return !zeros && written(plan, steps[m]) == steps[f].fill_operand;
        };
        for (size_t m = f + 1; m < steps.size() && visit(m); ++m) {}
        for (size_t m = f; !moves_[f] && m-- > 0 && visit(m);) {}
    }
}

} // namespace tessera::cpu
