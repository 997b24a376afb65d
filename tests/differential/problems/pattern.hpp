// SPDX-License-Identifier: Apache-2.0
// The numbers test data is made of, and what every dst buffer holds before a problem runs: the worker fills it so,
// and the driver recognises elements that nobody wrote.
#pragma once
#include <cstdint>

#include "element.hpp"

namespace differential {

uint64_t mix(uint64_t x);                            // splitmix64: well spread bits from any counter
uint64_t small(const Type& type, uint64_t random);   // the code of a small integer, exact in every type
uint64_t old_value(const Type& type, int64_t index); // element `index` of a dst buffer before execution

} // namespace differential
