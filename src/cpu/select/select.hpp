// SPDX-License-Identifier: Apache-2.0
// select: which tile runs each step of a plan, for any row of machines.
//
// Steps that no tile takes are rewritten first (core/plan/rewrite): a product is cut into steps that the dot tile
// takes, a long sum of few results into parts, an interpolation that the lerp tile does not take becomes a map. What
// remains without a kernel runs as plain C++. So a selection is a plan of its own, which is what the executor runs and
// what `explain` prints, and a choice for each of its steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "cpu/executor/job.hpp"

namespace tessera::cpu {

struct Choice {
    std::string tile;                             // "transpose"; "portable"; "group of map, map"; "repeat of dot, map"
    std::vector<int> operands;                    // of the plan, by operand of the job or of the executable
    std::unique_ptr<Job> job;                     // or
    std::shared_ptr<const Executable> executable; // of the step as a plan of its own: portable code, or a repeat
    bool repeats = false;                         // which of the two
    std::string tried; // the tiles that were asked before and do not take the step: "map, gather"
    std::string why_portable;
};

struct Selection {
    Plan plan;
    std::vector<Choice> choices; // by step; in a group one may do what follows, too, whose choices are empty
    bool generated() const;      // whether kernels do any step but fills
    std::string why_portable() const;
    std::string text() const; // for people: a line a step, "2 transpose, before it map"
};

// The machine must be able to run kernels (jit::has_target). No selection if a step has no way to run, which is a
// fault of the plan.
Result<Selection> select(const Plan& plan, const Machine& machine);

} // namespace tessera::cpu
