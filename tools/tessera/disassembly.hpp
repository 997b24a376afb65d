// SPDX-License-Identifier: Apache-2.0
// Disassembly of a generated function, in Intel's syntax, with addresses that count from its first byte.
//
//   0x0000  vmovups zmm0, [rdi]
//   0x0006  ret
//   0x0040  .bytes 00 04 08 0c ...          tables that the code reads
//
// Code ends with the first `ret` that no earlier branch jumps beyond; its tables follow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tessera {

struct Instruction {
    size_t at = 0, bytes = 1;
    std::string text;  // "vmovups zmm0, [rdi]"; "(bad)" for a byte that begins no instruction
    size_t reads = 0;  // offset of the table that it reads; 0: none
    bool known = true; // false: (bad)
};

struct Disassembly {
    std::vector<Instruction> instructions;
    size_t tables = 0; // where they begin, after padding; the number of bytes when there are none
};

Disassembly disassemble(std::span<const uint8_t> function);

// One instruction a line, 16 bytes of tables a line; `with_bytes` shows those of the instructions too.
std::string to_string(const Disassembly& disassembly, std::span<const uint8_t> function, bool with_bytes);

} // namespace tessera
