// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/together.hpp"

#include "core/plan/rewrite/operands.hpp"

namespace tessera {

namespace {

size_t written_by(const Plan& plan, const Step& step) {
    return size_t(step.kind == StepKind::fill ? step.fill_operand
                                              : plan.programs[size_t(step.program)].ops.back().operand);
}

// Factors and neighbours are read as well as what the program loads.
bool reads_own_output(const Plan& plan, const Step& step) {
    if (step.kind == StepKind::fill) return false;
    const Operand& written = plan.operands[written_by(plan, step)];
    const auto is_written = [&](int o) {
        const Operand& operand = plan.operands[size_t(o)];
        return operand.arg == written.arg && operand.scratch == written.scratch;
    };
    const Program program = whole_program(plan, step);
    for (const Op& op : program.ops)
        if (op.code == OpCode::load && is_written(op.operand)) return true;
    return false;
}

bool stores_several(const Plan& plan, const Step& step) {
    if (step.kind == StepKind::fill) return false;
    const auto written = int(written_by(plan, step));
    for (const Op& op : plan.programs[size_t(step.program)].ops)
        if (op.code == OpCode::store && op.operand != written) return true;
    return false;
}

// Whether a step may run while the one before it does, and those that run together with that one.
bool may_run_together(const Plan& plan, const Step& before, const Step& step) {
    if (written_by(plan, before) != written_by(plan, step)) return false;
    if (stores_several(plan, before) || stores_several(plan, step)) return false;
    // What it reads there may be what the steps before it have written, unless all are boxes of one program.
    return !reads_own_output(plan, step) || before.program == step.program;
}

} // namespace

void mark_together(Plan& plan) {
    const auto runs_alone = [](const Step& step) {
        return step.sparse || step.group || (step.program < 0 && step.fill_operand < 0);
    };
    for (size_t i = 0; i < plan.steps.size(); ++i) {
        Step& step = plan.steps[i];
        step.together = i > 0 && !runs_alone(plan.steps[i - 1]) && !runs_alone(step) &&
                        may_run_together(plan, plan.steps[i - 1], step);
    }
}

} // namespace tessera
