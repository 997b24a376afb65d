// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/local_step.hpp"

#include <algorithm>

#include "core/plan/rewrite/operands.hpp"

namespace tessera {

namespace {

// The first loaded operand that is dense along another loop than the stored one and strided along that; else the first
// one loaded.
int odd_one_out(const Nest& nest, const Program& program, int stored) {
    const size_t columns = dense_loop(nest, size_t(stored));
    int first = -1;
    for (const Op& op : program.ops) {
        if (op.code != OpCode::load || op.operand == stored) continue;
        if (first < 0) first = op.operand;
        const size_t own = dense_loop(nest, size_t(op.operand));
        if (own == nest.loops.size() || columns == nest.loops.size() || own == columns) continue;
        const int64_t stride = nest.loops[columns].stride[size_t(op.operand)];
        if (nest.loops[columns].table[size_t(op.operand)] || (stride != 0 && stride != 1)) return op.operand;
    }
    return first;
}

std::vector<int> operands_of(const Plan& plan, const Step& step) {
    const std::vector<int> used = used_operands(plan, step);
    if (step.kind == StepKind::fill || step.group) return used;
    const Program program = whole_program(plan, step);
    const int stored = program.ops.back().operand, first = odd_one_out(step.nest, program, stored);
    std::vector<int> order;
    if (first >= 0) order.push_back(first);
    order.push_back(stored);
    for (int o : used)
        if (o != first && o != stored) order.push_back(o);
    return order;
}

// Moves the load of operand 0 to the front, where the transpose tile expects it.
void load_first(Program& p) {
    auto& ops = p.ops;
    const auto load =
        std::find_if(ops.begin(), ops.end(), [](const Op& op) { return op.code == OpCode::load && op.operand == 0; });
    if (load == ops.end()) return;
    const int k = int(load - ops.begin());
    std::rotate(ops.begin(), load, load + 1);
    const auto moved = [k](int value) { return value == k ? 0 : value >= 0 && value < k ? value + 1 : value; };
    for (Op& op : ops) op.a = moved(op.a), op.b = moved(op.b), op.c = moved(op.c);
}

} // namespace

LocalStep local_step(const Plan& plan, const Step& step) {
    LocalStep local;
    local.operands = operands_of(plan, step);
    std::vector<Renaming> names;
    names.reserve(local.operands.size()), local.plan.operands.reserve(local.operands.size());
    for (const int o : local.operands) {
        names.push_back({o, int(names.size())});
        Operand& operand = local.plan.operands.emplace_back(plan.operands[size_t(o)]);
        if (operand.constant < 0) continue;
        local.plan.constants.push_back(plan.constants[size_t(operand.constant)]);
        operand.constant = int(local.plan.constants.size()) - 1;
    }
    Step own = renamed(step, names, names.size());
    own.together = Together::no;
    each_step(own, [&](Step& to) {
        if (to.program < 0) return;
        local.plan.programs.push_back(renamed(plan.programs[size_t(to.program)], names));
        if (to.kind == StepKind::map && !own.group) load_first(local.plan.programs.back());
        to.program = int(local.plan.programs.size()) - 1;
    });
    local.plan.steps.push_back(std::move(own));
    return local;
}

} // namespace tessera
