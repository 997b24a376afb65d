// SPDX-License-Identifier: Apache-2.0
// Growing: a selection to which steps are added, one after the other. They are those of the whole plan, or of plans
// that steps of it were rewritten to, whose own temporary memory becomes the selection's.
//
// A step comes as a plan of its own (core/plan/rewrite/local_step.hpp), whose operand o is operand Choice::operands[o]
// of the selection. Boxes of one move share a program in the plan that they come from, and so they do in the selection;
// all others get programs of their own.
#pragma once

#include <span>
#include <vector>

#include "core/plan/rewrite/local_scratch.hpp"
#include "cpu/select/selection.hpp"

namespace tessera::cpu {

// Where operands of a step alone (LocalStep::operands) are in the selection; `known`: those of the plan around it.
std::vector<int> numbers(const std::vector<int>& local, const std::vector<int>& known);

class Growing {
public:
    explicit Growing(const Plan& whole);

    // `program`: the number that the step's program has in the plan that steps are added from.
    void add(const Plan& own, const Step& step, Choice choice, int program);
    // A step of several programs, or a part of one.
    void add_alone(const Plan& own, const Step& step, Choice choice);
    // Steps of `plan`, from number `first` on and before `end`, all of which the choice does; `operands`: those of the
    // plan in the selection.
    void add_together(const Plan& plan, size_t first, size_t end, const std::vector<int>& operands, Choice choice);
    // A fill whose zeros the step before it writes; the step behind it may share that one's program.
    void add_written(const Plan& plan, const Step& fill, const std::vector<int>& operands);

    // From here on steps are those of `parts`; what it has of scratch memory beyond `operands` is appended there. The
    // result is for leave(), from which on steps are those of the plan before again.
    int enter(const Plan& parts, std::vector<int>& operands);
    void leave(int outer) { plan_ = outer; }

    // Of a group's plan: temporary operands that no other step of the whole plan uses.
    std::vector<int> own_scratch(const Plan& plan, const std::vector<int>& operands) const;
    // Temporary memory is as large as a point of a group needs it; `first`: of several steps that share it.
    void shrink(const Plan& plan, std::span<const LocalScratch> local, bool first);
    int scratch_of(int operand) const { return out_.plan.operands[size_t(operand)].scratch; }
    // By operand of the whole plan: how many of its steps use it.
    const std::vector<int>& uses() const { return uses_; }

    Selection finish();

private:
    void add_part(const Plan& plan, const Step& step, const std::vector<int>& operands);

    Selection out_;
    std::vector<int> uses_;
    int plan_ = 0, plans_ = 0;               // whose steps are being added: 0 is the whole plan
    int last_plan_ = -1, last_program_ = -1; // of the step that was added last
};

} // namespace tessera::cpu
