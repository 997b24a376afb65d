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
    if (step.kind == StepKind::fill) return {step.fill_operand};
    const Program program = whole_program(plan, step);
    std::vector<int> used;
    for (const Op& op : program.ops)
        if (op.operand >= 0) used.push_back(op.operand);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
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
    const auto& operands = local.operands;
    const bool fills = step.kind == StepKind::fill;
    Step own{step.kind, {}, fills ? -1 : 0, fills ? 0 : -1};
    for (const Loop& loop : step.nest.loops) own.nest.loops.push_back({loop.extent, loop.kind});
    for (size_t o = 0; o < operands.size(); ++o) {
        const auto from = size_t(operands[o]);
        local.plan.operands.push_back(plan.operands[from]);
        if (int& constant = local.plan.operands.back().constant; constant >= 0) {
            local.plan.constants.push_back(plan.constants[size_t(constant)]);
            constant = int(local.plan.constants.size()) - 1;
        }
        own.nest.base.set(o, step.nest.base[from]);
        for (size_t k = 0; k < own.nest.loops.size(); ++k) {
            own.nest.loops[k].stride.set(o, step.nest.loops[k].stride[from]);
            if (const Table& table = step.nest.loops[k].table[from]) own.nest.loops[k].table.set(o, table);
        }
    }
    const auto number = [&](int o) {
        return o < 0 ? o : int(std::find(operands.begin(), operands.end(), o) - operands.begin());
    };
    if (step.product) {
        auto product = std::make_shared<Product>(*step.product);
        product->space.layouts.clear();
        for (const int o : operands) product->space.layouts.push_back(step.product->space.layouts[size_t(o)]);
        rename_operands(*product, number);
        own.product = std::move(product);
    }
    if (step.interpolation) {
        auto interpolation = std::make_shared<Interpolation>(*step.interpolation);
        rename_operands(*interpolation, number);
        own.interpolation = std::move(interpolation);
    }
    if (!fills) {
        Program program = plan.programs[size_t(step.program)];
        for (Op& op : program.ops) op.operand = number(op.operand);
        if (step.kind == StepKind::map) load_first(program);
        local.plan.programs.push_back(std::move(program));
    }
    local.plan.steps.push_back(std::move(own));
    return local;
}

} // namespace tessera
