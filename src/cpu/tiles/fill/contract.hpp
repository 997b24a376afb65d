// SPDX-License-Identifier: Apache-2.0
// The fill tile: zeros into short rows. For every i < rows
//
//   dst + i * row ..  `bytes` of them become zero
//
// Nothing else is written; any alignment. The length is a constant of the kernel: one store a row, or two that overlap
// (28 bytes are 16 and 16). Longer rows are memset's.
//
//   the last 4 of 16 f32 channels, a row a pixel: bytes 16, row 64
#pragma once

#include <cstdint>
#include <string>

#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

struct FillArgs {
    void* dst;
    int64_t row;  // bytes
    int64_t rows; // positive
};

std::string fill_key(int bytes);
bool can_build_fill(const jit::Target& target, int64_t bytes); // up to two vectors
jit::Code build_fill(const jit::Target& target, int bytes);

} // namespace tessera::cpu
