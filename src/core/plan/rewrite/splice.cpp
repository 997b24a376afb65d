#include "core/plan/rewrite/splice.hpp"

#include "core/plan/rewrite/operands.hpp"

namespace tessera {

void add_scratch_of(const Plan& part, std::vector<int>& operands, Plan& to) {
    const auto known = int(to.scratch.size());
    to.scratch.insert(to.scratch.end(), part.scratch.begin(), part.scratch.end());
    for (size_t o = operands.size(); o < part.operands.size(); ++o) {
        operands.push_back(int(to.operands.size()));
        to.operands.push_back(part.operands[o]);
        to.operands.back().scratch += known;
    }
}

void splice(const Plan& part, const Step& step, const std::vector<int>& operands, bool same_program, Plan& to) {
    const auto number = [&](int o) { return o < 0 ? o : operands[size_t(o)]; };
    Step spliced = step;
    spliced.fill_operand = number(step.fill_operand);
    spliced.nest.base = {};
    for (Loop& loop : spliced.nest.loops) loop.stride = {}, loop.table = {};
    for (size_t o = 0; o < operands.size(); ++o) {
        const auto renamed = size_t(operands[o]);
        spliced.nest.base.set(renamed, step.nest.base[o]);
        for (size_t k = 0; k < step.nest.loops.size(); ++k) {
            const Loop& loop = step.nest.loops[k];
            spliced.nest.loops[k].stride.set(renamed, loop.stride[o]);
            if (const Table& table = loop.table[o]) spliced.nest.loops[k].table.set(renamed, table);
        }
    }
    if (step.product) {
        auto product = std::make_shared<Product>(*step.product);
        rename_operands(*product, number);
        auto& layouts = product->space.layouts;
        layouts.assign(to.operands.size(), {});
        for (size_t o = 0; o < step.product->space.layouts.size(); ++o)
            layouts[size_t(operands[o])] = step.product->space.layouts[o];
        spliced.product = std::move(product);
    }
    if (step.interpolation) {
        auto interpolation = std::make_shared<Interpolation>(*step.interpolation);
        rename_operands(*interpolation, number);
        spliced.interpolation = std::move(interpolation);
    }
    if (step.program >= 0) {
        Program program = part.programs[size_t(step.program)];
        for (Op& op : program.ops) op.operand = number(op.operand);
        // Boxes of one move differ in the order of their loads at most (local_step).
        if (!same_program || to.programs.empty()) to.programs.push_back(std::move(program));
        spliced.program = int(to.programs.size()) - 1;
    }
    to.steps.push_back(std::move(spliced));
}

} // namespace tessera
