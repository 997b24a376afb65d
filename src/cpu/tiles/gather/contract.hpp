// SPDX-License-Identifier: Apache-2.0
// gather: copies elements between constant offsets, a vector at a time: few channels in turns, channels of blocks,
// offset tables. On the way they may be converted.
//
//   for every row r, for every turn t, for p < points, for every element e:
//     dst[r * dst_row + t.dst + p * dst_stride + e.dst] = program(src[r * src_row + t.src + p * src_stride + e.src])
//   where t.src = min(t * src_step, src_last), the same for dst: the last turn may overlap the one before
//
// All offsets and strides within a turn are constants of the kernel, so every store of up to W bytes is a list of
// source windows with constant index vectors: a load, a permute and a merge each. Stores that differ only in their
// position share the index vectors (a group). The loops over rows and turns run inside of the loop over groups, so the
// caller passes no more of them in a call than stay in the cache.
//
//   nChw16c, f32, 240 channels in 3 groups: a point is a pixel, 240 elements, 15 groups of `points` stores, 3 or 4
//   windows each
//
// What is permuted is the narrower one of src and dst: a program that narrows runs on loaded windows, another one on
// assembled lines. Offsets and strides of the spec count bytes of such elements on both sides (of src f32 and dst u8,
// the fourth pixel of 3 channels is at 9), those of the arguments real bytes.
//
// Nothing is written but the elements; reads stay between the first and the last byte that the elements name.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/program/program.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

struct GatherElement {
    static constexpr int64_t zero = std::numeric_limits<int64_t>::min();
    int64_t src = 0, dst = 0; // src `zero`: zero bits are stored
    bool operator==(const GatherElement&) const = default;
};

inline constexpr size_t gather_operands = 8;

struct GatherSpec {
    int element = 4;                     // bytes that are permuted: 1 2 4 8
    std::vector<GatherElement> elements; // of one point, by ascending dst; none twice
    int points = 1;                      // of a turn
    int64_t src_stride = 0, dst_stride = 0;
    // No ops: a copy. Else it loads operand 0, stores operand 1, and its other operands are one element each.
    Program program = {};
    std::vector<DataType> types = {};
};

struct GatherArgs {
    const void* src;
    void* dst;
    int64_t turns;              // 1 or more
    int64_t src_step, dst_step; // bytes, not negative
    int64_t src_last, dst_last; // of the last turn, from the row on
    int64_t rows = 1, src_row = 0, dst_row = 0;
    const void* broadcast[gather_operands] = {}; // by operand, from 2 on
};

// Bytes of dst and of src for each byte that is permuted: 1, 2 or 4.
int dst_ratio(const GatherSpec& spec);
int src_ratio(const GatherSpec& spec);

std::string key(const GatherSpec& spec);
// False where the code would be too long (see most_gather_stores) or a place does not fit a displacement.
bool can_build_gather(const jit::Target& target, const GatherSpec& spec);
jit::Code build_gather(const jit::Target& target, const GatherSpec& spec);

} // namespace tessera::cpu
