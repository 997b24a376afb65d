// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/share_rows.hpp"

#include "core/plan/rewrite/operands.hpp"

namespace tessera {

std::optional<Step> share_rows(const Plan& plan, size_t first, size_t last) {
    Step out;
    out.kind = StepKind::group;
    Loop rows;
    std::vector<bool> seen(plan.operands.size());
    Group group;
    for (size_t i = first; i < last; ++i) {
        Step step = plan.steps[i];
        auto& loops = step.nest.loops;
        if ((step.kind != StepKind::map && step.kind != StepKind::reduce) || loops.empty()) return std::nullopt;
        const Loop own = loops.front();
        if (own.indexed() || own.kind == LoopKind::reduce || (i > first && own.extent != rows.extent))
            return std::nullopt;
        rows.extent = own.extent;
        for (const int operand : used_operands(plan, step)) {
            const auto o = size_t(operand);
            const int64_t stride = own.stride[o];
            if (seen[o] && rows.stride[o] != stride) return std::nullopt;
            if (stride && (plan.operands[o].counted || plan.operands[o].constant >= 0)) return std::nullopt;
            if (stride * bits(plan.operands[o].type) % 8) return std::nullopt;
            seen[o] = true;
            rows.stride.set(o, stride);
        }
        loops.erase(loops.begin());
        group.steps.push_back(std::move(step));
    }
    out.nest.loops.push_back(std::move(rows));
    out.group = std::make_shared<const Group>(std::move(group));
    return out;
}

} // namespace tessera
