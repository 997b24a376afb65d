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

// Elements of k side by side in B.
inline int vnni_factor(DotKind kind) {
    using enum DotKind;
    return kind == f32 ? 1 : kind == bf16 || kind == bf16_fma || kind == amx_bf16 || kind == amx_f16 ? 2 : 4;
}
// Elements of k in a step of the kernel: those, and with AMX 16 times as many.
inline int step_of(DotKind kind) { return is_amx(kind) ? 16 * vnni_factor(kind) : vnni_factor(kind); }

// Bytes of so many in an odd number of lines: rows or panels so far apart do not share sets of L1.
constexpr int64_t odd_lines(int64_t bytes) { return (ceil_div(bytes, cache_line) | 1) * cache_line; }
// What a part of k is packed to: whole steps, or the groups of the only one.
inline int64_t padded_depth(int64_t part, int64_t depth, DotKind kind) {
    return round_up(part, depth < step_of(kind) ? vnni_factor(kind) : step_of(kind));
}
// Bytes from panel to panel where B, of so many bits, is packed: in odd lines, if these are many, for panels are
// written side by side.
inline int64_t packed_panel(int64_t part, int64_t depth, DotKind kind, int bits) {
    constexpr int64_t many = 32;
    const int64_t bytes = 16 * padded_depth(part, depth, kind) * bits / 8;
    return bytes < many * cache_line ? bytes : odd_lines(bytes);
}

} // namespace tessera::cpu
