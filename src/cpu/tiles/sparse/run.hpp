// SPDX-License-Identifier: Apache-2.0
// The sparse tile's executable. It is none of the jobs: it looks through the caller's lists before anything is written,
// and may refuse them.
#pragma once

#include <memory>

#include "core/engine.hpp"

namespace tessera::cpu {

// Of a plan whose only step is sparse; null where generated code does not run it.
std::shared_ptr<const Executable> make_sparse(std::shared_ptr<const Plan> plan, const Context& context);

} // namespace tessera::cpu
