// SPDX-License-Identifier: Apache-2.0
// The executable that runs generated code: a job for each step that the tiles take, the portable path for the others.
#pragma once

#include <memory>
#include <string>

#include "core/engine.hpp"

namespace tessera::cpu {

// No result when no step can be generated, or the machine has no target: then the portable path is the better name.
// `why`, if given, gets the reason; the steps that take the portable path have theirs in Executable::fallback().
std::shared_ptr<const Executable> make_generated(std::shared_ptr<const Plan> plan, const Context& context,
                                                 std::string* why = nullptr);

} // namespace tessera::cpu
