// SPDX-License-Identifier: Apache-2.0
// One operation of a program over dense lanes: out[i] = op(a[i], b[i], c[i]) with the bits of eval().
//
// Values of f32 and s32 (float, int32_t); out overlaps no argument. Loops vectorise and follow the rounding mode.
#pragma once

#include <cstdint>

#include "core/program/program.hpp"

namespace tessera::cpu {

// Any operation with value arguments but cvt, store and reduce_add. `type` is that of a (for select of b), `count` the
// constant of a shift.
void run_op(OpCode code, ValueType type, const void* a, const void* b, const void* c, uint32_t count, void* out,
            int64_t lanes);

} // namespace tessera::cpu
