// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/steps/shared_rows.hpp"

#include <algorithm>

#include "core/plan/rewrite/operands.hpp"
#include "core/plan/rewrite/share_rows.hpp"

namespace tessera::cpu {

std::optional<SharedRows> shared_rows(const Plan& plan, size_t first, std::span<const int> of_point,
                                      std::span<const int> uses) {
    if (of_point.empty()) return std::nullopt;
    size_t end = first;
    bool reduces = false;
    for (; end < plan.steps.size() && share_rows(plan, first, end + 1); ++end)
        reduces |= plan.steps[end].kind == StepKind::reduce;
    if (end - first < 2 || !reduces) return std::nullopt;
    SharedRows rows{end, local_step(plan, *share_rows(plan, first, end)), {}};
    const Plan& own = rows.group.plan;
    for (size_t o = 0; o < rows.group.operands.size(); ++o) {
        const int operand = rows.group.operands[o];
        size_t users = 0;
        bool moves = false;
        for (const Step& step : own.steps[0].group->steps) {
            users += std::ranges::count(used_operands(own, step), int(o));
            moves |= std::ranges::any_of(step.nest.loops, [&](const Loop& l) { return l.stride[o] != 0; });
        }
        if (!moves && std::ranges::count(of_point, operand) && users == size_t(uses[size_t(operand)]))
            rows.values.push_back({int(o), 1});
    }
    return rows;
}

} // namespace tessera::cpu
