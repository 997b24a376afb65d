// SPDX-License-Identifier: Apache-2.0
// The map tile: a program over rows of columns. For every i < rows and j < columns
//
//   program(operand o at  base[o] + i * row[o] + j * column[o] * size(types[o]))     row in bytes, column 0 or 1
//
// of a counted operand (OpCode::index) the low 32 bits of this address are the value, and column is any number. Rows of
// a `stepped` operand lie anywhere: row[o] is the address of its steps then, int64_t in bytes, one behind each row.
//
// Nothing outside those elements is read or written; any alignment. Operands that the program stores have column 1 and
// are not loaded after a store. `rows` and `columns` are positive. A kernel writes
// args.scratch and args.base: one MapArgs a call.
//
//   f32 -> s8 with a scale a tensor: program p0, types {f32, s8, f32}, column {1, 1, 0}, stream false
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/program/program.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

inline constexpr size_t map_operands = 96;

struct MapArgs {
    int64_t rows;
    int64_t columns;
    int64_t scratch = 0; // the kernel's
    void* base[map_operands];
    int64_t row[map_operands]; // bytes, or the address of the steps

    void set_steps(size_t operand, const int64_t* steps) { row[operand] = reinterpret_cast<int64_t>(steps); }
};

struct MapSpec {
    Program program;
    std::vector<DataType> types; // at most map_operands
    std::array<int64_t, map_operands> column{};
    // Non-temporal stores. Rows of any length: where dst can be peeled to alignment, fenced at the end. Rows of `fixed`
    // columns: these are whole vectors, aligned by the caller, who fences.
    bool stream = false;
    int fixed = 0;       // every row has so many columns (short_rows.cpp), and `columns` is not read; 0: any number
    bool normal = false; // what is stored as bf16 is no denormal
    // With `fixed`: loaded operands with column 1 that are the same in all rows, and repeat within one after `period`
    // columns: a divisor of `fixed`, whole vectors or a divisor of a vector. Their `row` is not read.
    std::vector<int> held = {};
    int period = 0;
    // Above 0: in each period only so many columns are elements. Behind them zeros are stored, whatever is read there;
    // of held operands, and of all where a row is one period, nothing is read there.
    int live = 0;
    std::vector<int> stepped = {}; // not counted, not held
};

std::string key(const MapSpec& spec); // equal for equal kernels

// s8 <-> u8 in vectors of bytes, as a copy that clamps: src advances along the rows. Of a src that stands still there,
// or is held, the program is built like any other.
bool clamps_bytes(const MapSpec& spec);

// Programs of f32 and s32 values over the types of jit::Codec, and copies of whole bytes from column 1 to column 1.
bool can_build_map(const MapSpec& spec);
jit::Code build_map(const jit::Target& target, const MapSpec& spec);

// Rows of up to 8 vectors, a kernel for each number of columns: no loop within a row, no tails under masks. Rows of 53
// bf16, 56 apart, two threads: 0.33 -> 0.77 of memcpy.
bool can_build_short_rows(const jit::Target& target, const MapSpec& spec);
jit::Code build_short_rows(const jit::Target& target, const MapSpec& spec);

} // namespace tessera::cpu
