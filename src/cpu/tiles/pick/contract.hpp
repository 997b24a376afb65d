// SPDX-License-Identifier: Apache-2.0
// pick: rows of dst whose elements are taken from a row of src by a list, the same for all rows: nearest resampling
// along the densest dimension. The list is data, so code and creation do not grow with it.
//
//   for every row r, for every piece p of a row:
//     dst(r)[p.dst ..] = `piece` bytes, chosen by the piece's table out of one or two windows of src(r), each `window`
//                        bytes from p.src[0] and p.src[1] on
//
//   f32, 8 -> 14 columns, W 64: one piece of 8 columns, the next one shifted back to column 6; both read all 8
//
// A piece is stored whole: the last one of a row overlaps the one before it. Only bytes of windows are read. Tables
// have W bytes for permutes (PickWay::permute, permute2: indices of elements in the windows, one behind the other, an
// element of `element` bytes each), and 16 a window for shuffles (bytes, 0x80 where the other window has it).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

enum class PickWay : uint8_t { permute, permute2, shuffle, shuffle2 };

struct PickSpec {
    PickWay way = PickWay::permute;
    int element = 4; // bytes: 1 2 4 8
    int piece = 64;  // bytes: an element times a power of two; up to W, of shuffles 16
    int window = 64; // bytes: up to W, of shuffles 16
    int turn = 1;    // pieces at a time: 1 to most_pick_turn
    bool stepped = false;
    int windows() const { return way == PickWay::permute || way == PickWay::shuffle ? 1 : 2; }
};
inline constexpr int most_pick_turn = 8;

struct PickPiece {
    int64_t src[2], dst; // bytes
};

struct PickArgs {
    const void* src;
    void* dst;
    int64_t rows, turns;      // 1 or more; turns of a row
    int64_t src_row, dst_row; // bytes; `stepped`: addresses of steps, int64_t in bytes, one behind each row
    const PickPiece* pieces;  // spec.turn * turns
    const void* tables;
};

int pick_table_bytes(const jit::Target& target, const PickSpec& spec); // of a piece
std::string key(const PickSpec& spec);
jit::Code build_pick(const jit::Target& target, const PickSpec& spec);

// The pieces of a row and their tables.
struct Picks {
    struct alignas(64) Line {
        uint8_t bytes[64];
    };
    PickSpec spec;
    std::vector<PickPiece> pieces; // a multiple of spec.turn; some may be there twice
    std::vector<Line> tables;      // one behind the other; vectors from two lines each cost a load more
};
// The cheapest way to take elements from `places` (bytes, not empty, multiples of `element` apart), in this order.
Picks picks_of(const jit::Target& target, int element, const std::vector<int64_t>& places);

} // namespace tessera::cpu
