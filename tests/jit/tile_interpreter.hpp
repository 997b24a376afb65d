// SPDX-License-Identifier: Apache-2.0
// tile_interpreter: the ops of tiles on a thread's own 8 tiles, as Intel's manual describes them; configured like a
// processor's, they stay from one code to the next. What would fault throws.
#pragma once

#include <cstdint>

#include "cpu/jit/vcode.hpp"

namespace tessera::cpu::jit {

struct TileOp {
    VOp op;
    int d, a, b; // numbers of tiles
    int64_t imm;
    uint8_t* m; // the first row
    int64_t row;
};

bool interpret_tiles(const TileOp& op); // false: no op of tiles

// a * b + c of bits of f32: to nearest, denormals taken and given as zeros.
uint32_t flushed_fma(uint32_t a, uint32_t b, uint32_t c);

} // namespace tessera::cpu::jit
