// gather: copies elements between constant offsets, a vector at a time: shuffles of channels in blocks, offset tables.
//
//   for every turn t, for p < points, for every element e:
//     dst[t.dst + p * dst_stride + e.dst ..] = src[t.src + p * src_stride + e.src ..]     `element` bytes each
//   where t.src = min(src + t * src_step, src_last), the same for dst: the last turn may overlap the one before
//
// All offsets and strides are constants of the kernel, so every store of up to W bytes is a list of source windows with
// constant index vectors: a load, a permute and a merge each. Stores that differ only in their position share the index
// vectors (a group). The loop over the turns runs inside of the loop over groups, so the caller passes no more turns in
// a call than stay in the cache.
//
//   nChw16c, f32, 240 channels in 3 groups: a point is a pixel, 240 elements, 15 groups of `points` stores, 3 or 4
//   windows each
//
// Nothing is written but the elements; reads stay between the first and the last byte that the elements name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

struct GatherElement {
    int64_t src = 0, dst = 0; // bytes
    bool operator==(const GatherElement&) const = default;
};

struct GatherSpec {
    int element = 4;                     // bytes: 1 2 4 8
    std::vector<GatherElement> elements; // of one point, by ascending dst; none twice
    int points = 1;                      // of a turn
    int64_t src_stride = 0, dst_stride = 0;
    bool operator==(const GatherSpec&) const = default;
};

struct GatherArgs {
    const void* src;
    void* dst;
    int64_t turns;              // 1 or more
    int64_t src_step, dst_step; // bytes, not negative
    const void* src_last;
    void* dst_last;
};

std::string key(const GatherSpec& spec);
// False where the code would be too long (see most_gather_stores) or a place does not fit a displacement.
bool can_build_gather(const jit::Target& target, const GatherSpec& spec);
jit::Code build_gather(const jit::Target& target, const GatherSpec& spec);

} // namespace tessera::cpu
