// SPDX-License-Identifier: Apache-2.0
// Parts of k, and how they are packed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/division.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"

namespace tessera::cpu {

constexpr int64_t cache_line = 64; // bytes

struct KPart {
    int64_t first, end; // of k
    int64_t length() const { return end - first; }
};

// Parts of k of at most this length. They begin anew with each `loop` of k, if that is not 0: a part is some iterations
// of one loop over k with all of those inside.
struct KParts {
    int64_t length = 0, loop = 0;
    int64_t end(int64_t k, int64_t all) const { // of the part that begins with k
        const int64_t limit = loop ? std::min(all, (k / loop + 1) * loop) : all;
        return std::min(k + length, limit);
    }
};

int vnni_factor(DotKind kind); // elements of k side by side in B: 1, 2 or 4
int step_of(DotKind kind);     // elements of k in a step of the kernel: those, and with AMX 16 times as many
// Bytes of so many in an odd number of lines: rows or panels so far apart do not share sets of L1.
constexpr int64_t odd_lines(int64_t bytes) { return (ceil_div(bytes, cache_line) | 1) * cache_line; }
// What a part of k is packed to: whole steps, or the groups of the only one.
int64_t padded_depth(int64_t part, int64_t depth, DotKind kind);
// Bytes from panel to panel where B, of so many bits, is packed.
int64_t packed_panel(int64_t part, int64_t depth, DotKind kind, int bits);

} // namespace tessera::cpu
