// SPDX-License-Identifier: Apache-2.0
// Selection: the plan that runs, and what runs each of its steps. It is what the executor runs and what `explain`
// prints.
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
    std::shared_ptr<const Executable> executable; // of the step as a plan of its own
    bool portable = false;                        // whether the executable is plain C++
    std::string tried; // the tiles that were asked before and do not take the step: "map, gather"
    std::string why_portable;
};

struct Selection {
    Plan plan;
    std::vector<Choice> choices; // by step; in a group one may do what follows, too, whose choices are empty
    bool generated() const;      // whether kernels do any step but fills
    std::string why_portable() const;
    std::string text() const; // for people: a line a step, "2 transpose, not map"
};

} // namespace tessera::cpu
