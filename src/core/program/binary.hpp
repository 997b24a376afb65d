// SPDX-License-Identifier: Apache-2.0
// Functions of two values (BIN-01) as programs and as scalar definitions; for the primitive and for post-ops.
//
//   int y = binary_op(program, binary::ge, a, b);   // f32 in, f32 out: 1 where a >= b, 0 elsewhere
//   int z = select_op(program, condition, a, b);    // condition is any f32 value; not 0: a, 0: b
//
// NaN: the arithmetic functions, max and min included, give NaN where either value is NaN; comparisons are those of
// IEEE 754, so with a NaN `ne` holds and the others do not. Of equal values max and min give the second (a zero's
// sign).
#pragma once

#include "core/program/program.hpp"

namespace tessera {

namespace binary { // numbers of dnnl_alg_kind_t
inline constexpr int add = 131056, mul = 131057, max = 131058, min = 131059, div = 131060, sub = 131061;
inline constexpr int ge = 131062, gt = 131063, le = 131064, lt = 131065, eq = 131066, ne = 131067, select = 131068;
} // namespace binary

bool is_binary(int alg); // select included

int binary_op(Program& program, int alg, int a, int b); // not for select
int select_op(Program& program, int condition, int a, int b);

// The definition, for oracles.
float binary_of(int alg, float a, float b);
inline float select_of(float condition, float a, float b) { return condition != 0 ? a : b; }

} // namespace tessera
