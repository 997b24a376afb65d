// SPDX-License-Identifier: Apache-2.0
// Settings of the whole process that other calls read.
#pragma once

#include "core/attr/attr.hpp"
#include "core/status.hpp"

namespace tessera {

FpmathMode default_fpmath_mode();         // what new attributes start with (FPM-03)
Result<void> check_fpmath_mode(int mode); // of any number
bool strict_execution();                  // whether a memory must have the primitive's descriptor (decision 005)

} // namespace tessera
