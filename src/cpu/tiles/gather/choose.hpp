// SPDX-License-Identifier: Apache-2.0
// choose: cuts what a gather writes into stores, and what a store reads into windows. Pure functions.
//
// Runs of at least W bytes become stores of W bytes, the last one shifted back; shorter runs share a store under a
// mask where the target has masks. Points that are no line by themselves are taken together.
//
//   4 pixels of 16 bytes, W 64: one store; a pixel of 240 bytes: 4 stores, the last one over the third
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/jit/target.hpp"
#include "cpu/tiles/gather/contract.hpp"

namespace tessera::cpu {

inline constexpr int64_t most_gather_stores = 1024, most_gather_code = 96 << 10;
inline constexpr int64_t most_gather_elements = 16 << 10; // of a point
inline constexpr int64_t none = GatherElement::zero;

// The program runs on the windows that are loaded, because it narrows; on lines before they are stored.
bool converts_loads(const GatherSpec& spec);
bool converts_stores(const GatherSpec& spec); // clamps of bytes, too

struct GatherPlace {
    int64_t src = 0, dst = 0;
};

// Stores with the same windows.
struct GatherGroup {
    int bytes = 0;                   // of a store
    uint64_t mask = 0;               // its bytes that are written
    std::vector<int64_t> from;       // by byte: offset from the place's src; none: zero, or not written
    int64_t first = 0, last = 0;     // offsets that may be read: first .. last - 1
    std::vector<GatherPlace> places; // of the stores
    uint64_t zeros() const;          // its bytes that are zero
    bool holes() const { return mask != ~uint64_t(0) >> (64 - bytes); }
};
std::vector<GatherGroup> groups_of(const jit::Target& target, const GatherSpec& spec);

// Rows that are contiguous on both sides need no permutes. Where that is all there is: loads and stores of powers of
// two up to W, the last ones of a row shifted back over those before; else empty.
//
//   rows of 196 bytes, W 64: 64, 64, 64, 4; of 98: 64, 64; of 49: 32, 32
struct GatherRow {
    int64_t src = 0, dst = 0;
    int bytes = 0;
};
std::vector<GatherRow> rows_of(const jit::Target& target, const GatherSpec& spec);

// A permute of `bytes` bytes from `start` on, or one shuffle in lanes with a start for each lane (or none).
struct GatherWindow {
    std::vector<int64_t> start;
    int bytes = 0;
    std::vector<uint8_t> table; // of permute: indices of elements; of shuffle: bytes, 0x80 for zero
    uint64_t mask = 0;          // elements that come from here
};
bool permutes(const jit::Target& target, int element); // else it shuffles
std::vector<GatherWindow> windows_of(const jit::Target& target, int element, const GatherGroup& group);

// All of a turn, as it is built. Rows, or groups and the windows of each.
struct GatherCut {
    std::vector<GatherRow> rows;
    std::vector<GatherGroup> groups;
    std::vector<std::vector<GatherWindow>> windows;
    int64_t stores = 0, reads = 0; // stores of groups; windows that all of them read
    int64_t code = 0;              // bytes, about
    bool too_long = false;         // longer than asked for; there may be no windows then
};
struct GatherMost {
    int64_t windows = 1 << 10;       // that a store reads on average
    int64_t code = most_gather_code; // bytes
};
// None where the kernel would be longer than any may be, a place does not fit a displacement, or stores would read more
// windows than `most` says.
std::optional<GatherCut> cut_of(const jit::Target& target, const GatherSpec& spec, const GatherMost& most = {});

// How many of `extent` points a turn takes, which becomes spec.points. None as above.
std::optional<GatherCut> cut_of_turn(const jit::Target& target, GatherSpec& spec, int64_t extent,
                                     const GatherMost& most);

jit::Code build_gather(const jit::Target& target, const GatherSpec& spec, const GatherCut& cut);

} // namespace tessera::cpu
