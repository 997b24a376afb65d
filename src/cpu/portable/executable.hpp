// SPDX-License-Identifier: Apache-2.0
// The portable executable: a plan with its schedules, run by plain C++ on any processor.
#pragma once

#include <memory>
#include <string>

#include "core/engine.hpp"

namespace tessera::cpu {

// `why`: what keeps generated code from this plan.
Result<std::shared_ptr<const Executable>> make_portable(std::shared_ptr<const Plan> plan, const Context& context,
                                                        std::string why = "");

} // namespace tessera::cpu
