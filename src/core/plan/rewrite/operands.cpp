// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/operands.hpp"

#include <algorithm>

namespace tessera {

Program whole_program(const Plan& plan, const Step& step) {
    const Program& own = plan.programs[size_t(step.program)];
    return step.product         ? with_sum(*step.product, own)
           : step.interpolation ? with_values(*step.interpolation, own)
                                : own;
}

std::vector<int> used_operands(const Plan& plan, const Step& step) {
    if (step.kind == StepKind::fill) return {step.fill_operand};
    std::vector<int> used;
    const auto add = [&](const Program& program) {
        used.reserve(program.ops.size());
        for (const Op& op : program.ops)
            if (op.operand >= 0) used.push_back(op.operand);
    };
    if (step.group)
        for (const Step& inner : step.group->steps)
            for (const int o : used_operands(plan, inner)) used.push_back(o);
    else if (step.product || step.interpolation)
        add(whole_program(plan, step));
    else
        add(plan.programs[size_t(step.program)]);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used;
}

bool only_moves(const Plan& plan, const Step& step) {
    if (step.kind != StepKind::map || plan.operands.size() < 2) return false;
    bool moves = false;
    for (const Op& op : plan.programs[size_t(step.program)].ops) {
        if (op.code == OpCode::index || (op.code == OpCode::store && op.operand != 1)) return false;
        if (op.code != OpCode::load) continue;
        moves |= op.operand == 0;
        if (op.operand == 0) continue;
        const auto o = size_t(op.operand);
        if (plan.operands[o].arg == plan.operands[1].arg && plan.operands[o].scratch == plan.operands[1].scratch)
            return false;
        for (const Loop& loop : step.nest.loops)
            if (loop.table[o] || (loop.extent > 1 && loop.stride[o] != 0)) return false;
    }
    return moves;
}

size_t dense_loop(const Nest& nest, size_t operand) {
    size_t k = nest.loops.size();
    while (k-- > 0)
        if (!nest.loops[k].table[operand] && nest.loops[k].extent > 1 && nest.loops[k].stride[operand] == 1) return k;
    return nest.loops.size();
}

namespace {

int number(int operand, std::span<const Renaming> names) {
    const auto at = std::ranges::find(names, operand, &Renaming::from);
    return at == names.end() ? -1 : at->to;
}

Product renamed(const Product& product, std::span<const Renaming> names, size_t operands) {
    Product out = product;
    for (Factor* f : {&out.a, &out.b})
        for (int* o : {&f->operand, &f->zero, &f->scale}) *o = number(*o, names);
    const auto& layouts = product.space.layouts;
    out.space.layouts.assign(operands, {});
    for (const auto& [from, to] : names)
        if (size_t(from) < layouts.size()) out.space.layouts[size_t(to)] = layouts[size_t(from)];
    return out;
}

Interpolation renamed(const Interpolation& interpolation, std::span<const Renaming> names) {
    Interpolation out = interpolation;
    for (auto& [left, right] : out.values) left = number(left, names), right = number(right, names);
    out.weight = number(out.weight, names);
    return out;
}

} // namespace

Nest renamed(const Nest& nest, std::span<const Renaming> names) {
    Nest out;
    out.loops.reserve(nest.loops.size());
    for (const Loop& loop : nest.loops) out.loops.push_back({loop.extent, loop.kind});
    for (const auto& [from, to] : names) {
        out.base.set(size_t(to), nest.base[size_t(from)]);
        for (size_t k = 0; k < nest.loops.size(); ++k) {
            const Loop& loop = nest.loops[k];
            out.loops[k].stride.set(size_t(to), loop.stride[size_t(from)]);
            if (const Table& table = loop.table[size_t(from)]) out.loops[k].table.set(size_t(to), table);
        }
    }
    return out;
}

Program renamed(Program program, std::span<const Renaming> names) {
    for (Op& op : program.ops) op.operand = number(op.operand, names);
    return program;
}

Step renamed(const Step& step, std::span<const Renaming> names, size_t operands) {
    Step out;
    out.kind = step.kind, out.program = step.program;
    out.in_order = step.in_order, out.together = step.together;
    out.sparse = step.sparse;
    out.nest = renamed(step.nest, names);
    out.fill_operand = number(step.fill_operand, names);
    if (step.product) out.product = std::make_shared<Product>(renamed(*step.product, names, operands));
    if (step.interpolation) out.interpolation = std::make_shared<Interpolation>(renamed(*step.interpolation, names));
    if (step.group) {
        auto group = std::make_shared<Group>();
        group->steps.reserve(step.group->steps.size());
        for (const Step& inner : step.group->steps) group->steps.push_back(renamed(inner, names, operands));
        out.group = std::move(group);
    }
    return out;
}

} // namespace tessera
