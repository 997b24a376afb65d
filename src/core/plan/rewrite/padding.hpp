// SPDX-License-Identifier: Apache-2.0
// padding: fills whose zeros lie right behind the rows that a map stores, so that one pass can write both.
//
//   fill dst   loops(50176:0,16 . 13:0,1) dst+3
//   map        loops(50176:1,16 . 3:50176,1)         13 zeros behind each row of 3 elements
#pragma once

#include "core/plan/plan.hpp"

namespace tessera {

// How many zeros `fill` writes behind each row of the map or interpolation, 0 if it does anything else. A row: the
// points of the loop along which the stored operand is dense, or one point. Law: the rows, each with its zeros, are
// what the two steps write.
int64_t zeros_behind(const Plan& plan, const Step& map, const Step& fill);

} // namespace tessera
