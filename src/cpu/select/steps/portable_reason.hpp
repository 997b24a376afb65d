// SPDX-License-Identifier: Apache-2.0
// Why a step has no kernel, as a sentence for ONEDNN_VERBOSE=dispatch.
//
//   "step 2 (map): no kernels of f64"
#pragma once

#include <string>

#include "core/plan/plan.hpp"

namespace tessera::cpu {

// `plan` is of this step alone; `number`: which of the whole plan's it is, from 1 on. `tile`: what the tile for such
// steps said, or nothing.
std::string why_portable(const Plan& plan, int number, const std::string& tile);

} // namespace tessera::cpu
