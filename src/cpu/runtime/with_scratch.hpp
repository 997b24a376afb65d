// SPDX-License-Identifier: Apache-2.0
// An executable whose plan has operands without arguments: they get memory while it runs.
#pragma once

#include "core/engine.hpp"

namespace tessera::cpu {

// `inner` itself where the plan needs none. Pointers of operands with memory of their own are not looked at, and those
// behind the caller's may be missing.
std::shared_ptr<const Executable> with_scratch(std::shared_ptr<const Plan> plan,
                                               std::shared_ptr<const Executable> inner);

} // namespace tessera::cpu
