// SPDX-License-Identifier: Apache-2.0
// Which executable runs a plan: generated code where it covers the plan, plain C++ (src/cpu/portable) where not. The
// one place that knows both; in builds for processors without kernels plain C++ runs everything.
#pragma once

#include <memory>

#include "core/engine.hpp"

namespace tessera::cpu {

Result<std::shared_ptr<const Executable>> compile(std::shared_ptr<const Plan> plan, const Context& context);

// For an executable of generated code: a step, as a plan of its own, that has no kernel.
Result<std::shared_ptr<const Executable>> compile_portable(std::shared_ptr<const Plan> plan, const Context& context);

} // namespace tessera::cpu
