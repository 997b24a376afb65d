// SPDX-License-Identifier: Apache-2.0
// network: the register stages that permute the bits of a tile from the order in which pieces are loaded to the order
// of dst's lines. A pure function of bits; no instruction is named.
//
// A register of 2^n bytes holds n bits of a tile's byte address, one per position: positions 0..3 count bytes in a
// lane, 4.. lanes. The other bits of the tile number the registers. Stages exchange bits between the two:
//
//   permute   any order of the bits inside of every register
//   unpack    register bit g enters at position e = log2(element), the others move up, position 3 leaves to g
//   lanes     (l0 l1) and g become (l1 g), l0 leaves; with one lane bit: l becomes g
//
//   bytes 64 x 16: piece c0..c3, lanes r4 r5, registers r0..r3  ->  unpack r3, r2, r1, r0: four shuffles a line
//
// Law: running the stages on registers that hold their own coordinates gives lines in order (tests/laws).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "cpu/tiles/transpose/kernel/contract.hpp"

namespace tessera::cpu {

enum class StageKind : uint8_t { permute, unpack, lanes };

struct Stage {
    StageKind kind;
    int reg_bit = -1;                // unpack, lanes: index into reg_bits
    std::array<int8_t, 6> from = {}; // permute: position q takes the bit of position from[q]
};

struct Network {
    int positions = 6;             // log2 of the register's bytes
    int element = 0;               // log2 of the element's bytes
    std::vector<TileBit> loaded;   // by position from `element` on: piece bits and those that inserts or joins add
    std::vector<TileBit> brought;  // the latter, as numbers of inserts or joins count them
    std::vector<TileBit> reg_bits; // registers when loaded
    std::vector<Stage> stages;
    std::vector<TileBit> stored_bits; // what numbers the registers in the end, in place of reg_bits
};

Network network_of(const TransposeSpec& spec);

// Tiles of more registers than a processor has run in two parts: `inner` stages on every group of registers with equal
// bits `outer`, then the others on every group of registers that differ in those alone.
//
//   bytes 64 x 64: unpack r3, r2, r1, r0 on four times 16 registers, lanes r4, r5 on 16 times four
struct Parts {
    size_t inner = 0;   // stages
    unsigned outer = 0; // bits of a register's number
};
// Stages whose exchanges can be split so that groups of either part have at most 2^group_bits registers.
std::optional<Parts> parts_of(const Network& network, int group_bits);

} // namespace tessera::cpu
