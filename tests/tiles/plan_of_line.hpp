// SPDX-License-Identifier: Apache-2.0
// The plan of a problem line, as tests of tiles ask about its steps.
#pragma once

#include <stdexcept>
#include <string>

#include "core/plan/plan.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

namespace tessera {

// Throws std::invalid_argument with the reason where the line or its problem is refused.
inline Plan plan_of(const std::string& text) {
    const auto line = parse_problem_line(text);
    const auto problem = line ? problem_of(*line) : Refusal(line.error());
    const auto plan = problem ? ops::row(problem->kind).lower(*problem) : Refusal(problem.error());
    if (!plan) throw std::invalid_argument(text + ": " + plan.error().reason);
    return *plan;
}

} // namespace tessera
