// choose: cuts what a gather writes into stores, and what a store reads into windows. Pure functions.
//
// Runs of at least W bytes become stores of W bytes, the last one shifted back; shorter runs share a store under a
// mask where the target has masks. Points that are no line by themselves are taken together.
//
//   4 pixels of 16 bytes, W 64: one store; a pixel of 240 bytes: 4 stores, the last one over the third
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/jit/target.hpp"
#include "cpu/tiles/gather/contract.hpp"

namespace tessera::cpu {

inline constexpr int64_t most_gather_stores = 1024, most_gather_code = 96 << 10;
inline constexpr int64_t none = std::numeric_limits<int64_t>::min();

struct GatherPlace {
    int64_t src = 0, dst = 0;
};

// Stores with the same windows.
struct GatherGroup {
    int bytes = 0;                   // of a store
    uint64_t mask = 0;               // its bytes that are written
    std::vector<int64_t> from;       // by byte: offset from the place's src; none: not written
    int64_t first = 0, last = 0;     // offsets that may be read: first .. last - 1
    std::vector<GatherPlace> places; // of the stores
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

int64_t code_bytes(const jit::Target& target, int element, const std::vector<GatherGroup>& groups); // about

// How many of `extent` points a turn takes.
int points_of_turn(const jit::Target& target, const GatherSpec& spec, int64_t extent);

} // namespace tessera::cpu
