// SPDX-License-Identifier: Apache-2.0
// lerp: values between two neighbours, by a table; the first pass of linear resampling. Results are f32. For every
// place p < count, row i < rows and column j
//
//   out[j] = fma(right_weight, src[right], left_weight * src[left])       out at out + i * out_row + p * columns * 4
//
// Channels (columns > 0): a place is a pixel, its columns are contiguous on both sides; the table is LerpPixel[count],
// left and right say where column 0 is. Lanes (columns 0): a place is one vector of results, whose sources lie in a
// window of one or two vectors; the table has an entry of lerp_entry_bytes() a place:
//
//   W bytes: lane of left, W bytes: of right (s32, within the window), W: left_weight, W: right_weight, 8: start,
//   8: end
//
// Offsets (left, right, start) are bytes from src + i * src_row; end is those of out, where the next place begins. It
// may be less than a vector behind its own beginning: the next place writes what is there again. Lanes read whole
// windows (of as many elements as one or two vectors have floats) and write whole vectors.
#pragma once

#include <cstdint>
#include <string>

#include "core/types/types.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

struct LerpPixel {
    int64_t left, right;
    float left_weight, right_weight;
};

struct LerpSpec {
    int64_t columns = 0;
    bool two = false;              // windows of two vectors
    DataType type = DataType::f32; // of src
};

struct LerpArgs {
    const void* src;
    void* out;
    const void* table;
    int64_t count, rows;      // positive
    int64_t src_row, out_row; // bytes
};

constexpr int64_t lerp_entry_bytes(int width) { return 5 * int64_t(width); }

std::string key(const LerpSpec& spec);
bool can_build_lerp(const LerpSpec& spec);
jit::Code build_lerp(const jit::Target& target, const LerpSpec& spec);

} // namespace tessera::cpu
