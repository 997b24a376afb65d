// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/growing.hpp"

#include <algorithm>
#include <utility>

#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/rewrite/splice.hpp"
#include "core/plan/rewrite/together.hpp"

namespace tessera::cpu {

std::vector<int> numbers(const std::vector<int>& local, const std::vector<int>& known) {
    std::vector<int> all;
    all.reserve(local.size());
    for (const int o : local) all.push_back(known[size_t(o)]);
    return all;
}

Growing::Growing(const Plan& whole) : uses_(whole.operands.size()) {
    out_.plan.title = whole.title, out_.plan.operands = whole.operands;
    out_.plan.constants = whole.constants, out_.plan.scratch = whole.scratch;
    for (const Step& step : whole.steps)
        for (const int o : used_operands(whole, step)) ++uses_[size_t(o)];
}

void Growing::add(const Plan& own, const Step& step, Choice choice, int program) {
    const bool same_program = last_plan_ == plan_ && last_program_ == program;
    last_plan_ = plan_, last_program_ = program;
    splice(own, step, choice.operands, same_program, out_.plan);
    out_.choices.push_back(std::move(choice));
}

void Growing::add_alone(const Plan& own, const Step& step, Choice choice) {
    splice(own, step, choice.operands, false, out_.plan);
    out_.choices.push_back(std::move(choice));
    last_plan_ = -1;
}

void Growing::add_together(const Plan& plan, size_t first, size_t end, const std::vector<int>& operands,
                           Choice choice) {
    for (size_t i = first; i < end; ++i) {
        add_part(plan, plan.steps[i], operands);
        out_.choices.push_back(i == first ? std::move(choice) : Choice{});
    }
    last_plan_ = -1;
}

void Growing::add_written(const Plan& plan, const Step& fill, const std::vector<int>& operands) {
    add_part(plan, fill, operands);
    out_.choices.emplace_back().tile = "with the step before";
}

void Growing::add_part(const Plan& plan, const Step& step, const std::vector<int>& operands) {
    const LocalStep local = local_step(plan, step);
    splice(local.plan, local.plan.steps[0], numbers(local.operands, operands), false, out_.plan);
}

int Growing::enter(const Plan& parts, std::vector<int>& operands) {
    add_scratch_of(parts, operands, out_.plan);
    return std::exchange(plan_, ++plans_);
}

std::vector<int> Growing::own_scratch(const Plan& plan, const std::vector<int>& operands) const {
    std::vector<int> own;
    for (size_t o = 0; o < plan.operands.size() && plan_ == 0; ++o) {
        if (has_own_scratch(out_.plan, plan.operands[o]) && uses_[size_t(operands[o])] == 1) own.push_back(int(o));
    }
    return own;
}

void Growing::shrink(const Plan& plan, std::span<const LocalScratch> local, bool first) {
    for (const LocalScratch& l : local) {
        const Operand& operand = plan.operands[size_t(l.operand)];
        int64_t& bytes = out_.plan.scratch[size_t(operand.scratch)];
        bytes = std::max(first ? 0 : bytes, bytes_of(operand.type, l.elements));
    }
}

Selection Growing::finish() {
    std::vector<bool> follows; // done by the step before
    for (const Choice& c : out_.choices) follows.push_back(!c.job && !c.executable);
    std::vector<Choice> choices;
    for (const size_t number : mark_together(out_.plan, follows)) choices.push_back(std::move(out_.choices[number]));
    out_.choices = std::move(choices);
    return std::move(out_);
}

} // namespace tessera::cpu
