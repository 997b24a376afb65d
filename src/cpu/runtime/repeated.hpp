// SPDX-License-Identifier: Apache-2.0
// A repeat (StepKind::repeat): its turns one after the other, by an executable of one turn that is compiled once.
#pragma once

#include "core/engine.hpp"

namespace tessera::cpu {

// `plan` is of the repeat alone; `turn` runs turn_of() it.
std::shared_ptr<const Executable> repeated(const Plan& plan, std::shared_ptr<const Executable> turn);

} // namespace tessera::cpu
