// SPDX-License-Identifier: Apache-2.0
// select: what runs each step of a plan, for any row of machines.
//
// The table (tiles.hpp) is asked about every step. A row of it makes a job of the step, or rewrites the step into
// others (core/plan/rewrite), about which the table is asked again. What no row takes runs as plain C++. The steps of a
// repeat, and those of a group that is no single kernel, are selected as a plan of their own.
#pragma once

#include "core/engine.hpp"
#include "cpu/select/selection.hpp"

namespace tessera::cpu {

// The machine must be able to run kernels (jit::has_target). No selection if a step has no way to run, which is a
// fault of the plan.
Result<Selection> select(const Plan& plan, const Context& context);

} // namespace tessera::cpu
