// SPDX-License-Identifier: Apache-2.0
// regalloc: linear scan. Each virtual register lives from its first to its last mention, stretched over every loop that
// mentions it and that it was written before.
//
// Vectors that find no register are spilled to the frame and pass through reserved registers. Constants are spilled
// first, those with the fewest uses: they need no slot, for their table is as near as the frame, and most ops read it
// as a memory operand. General registers and the masks of AVX-512 must fit (builders keep to 13 and 6), or there is no
// result. Tile registers are numbered in the order in which a code asks for them, because their configuration names
// them.
#pragma once

#include <optional>
#include <vector>

#include "cpu/jit/vcode.hpp"

namespace tessera::cpu::jit {

struct Allocation {
    std::vector<int8_t> reg;    // by virtual register: physical number, -1 when spilled or unused
    std::vector<int16_t> slot;  // spilled vectors: index of their W bytes in the frame; -1
    std::vector<int32_t> table; // constants without a register: their index in Code::constants; -1
    int slots = 0;
    std::vector<int8_t> scratch; // vectors reserved for spilled operands; empty without spills
};

// Physical numbers: general registers are those of x86 (4 = rsp excluded, 7 = rdi holds args), masks k1..k7 where the
// target has masks, else vectors; vectors 0..vectors-1. Reserved for the emitter: r11 and, without masks, the last
// vector.
std::optional<Allocation> allocate(const Code& code);

// Which operand of the instruction is a memory operand, a constant without a register. Swaps a and b of `i` where
// their order does not matter and that helps.
enum class FromTable : uint8_t { none, a, b, c };
FromTable fold(Inst& i, const Allocation& allocation, const Target& target);

} // namespace tessera::cpu::jit
