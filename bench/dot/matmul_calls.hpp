// SPDX-License-Identifier: Apache-2.0
// Creation of matmuls, and runs of tiny ones, as calls.hpp has it for reorders.
#pragma once

#include <vector>

#include "calls.hpp"

namespace tessera::bench::dot {

std::vector<Call> time_calls(); // before any case: the kernels of new types are not yet made

} // namespace tessera::bench::dot
