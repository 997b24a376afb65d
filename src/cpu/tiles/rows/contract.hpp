// SPDX-License-Identifier: Apache-2.0
// The rows tile: several passes over the columns of rows, softmax and normalizations in one kernel. `blocks` blocks of
// `rows` rows each take the first pass, then the second one, ... For every row i of a block, with operand o at
//
//   base[o] + i * row[o] + j * column[o] * size(types[o]), column 0 or 1
//
//   map       the program at every j < columns
//   reduce    its point program at every j < columns, combined as core/program/reduction.hpp has it (16 partial
//   results,
//             blocks of 4096); then its outer program, on j = 0
//   value     the program on j = 0
//
// Behind a block operands move by next[o] bytes. Sums, maxima, minima, products, of f32 or s32; no counted operands.
// Operands that a map stores have column 1, those that others store column 0; none is loaded behind a store
// within a program. `kept` operands are scalars of a row, f32 sums, that live in registers between passes: their memory
// is neither read nor written. Only these elements are read and written; any alignment.
//
// `packed`: outer programs and those of values run for all rows of a block at once, of which there are up to as many as
// a vector has lanes, without masks exactly so many. Of operands that these load or store, column and row are 0, or
// they are `beside`: row[o] is the size of an element, or they are `caught`: any row[o], of f32 values that the point
// program of the same pass loads, too. Without it `rows` is 1.
//
// `stream`: the last pass stores once, past the caches where an address is a multiple of a vector's width: up to there
// and from the last one on a row is stored as usual. Fenced at the end.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/program/reduction.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

inline constexpr size_t rows_operands = 24;

struct RowsArgs {
    int64_t blocks, rows, columns;
    int64_t scratch = 0; // the kernel's
    char* base[rows_operands];
    int64_t row[rows_operands], next[rows_operands]; // bytes; next: from the first row of a block on
    int64_t back[rows_operands];                     // rows times row

    void set(size_t operand, char* at, int64_t row_stride, bool moves) {
        base[operand] = at, row[operand] = row_stride, back[operand] = -rows * row_stride;
        next[operand] = moves ? rows * row_stride : 0;
    }
};

struct RowsPass {
    enum Kind : uint8_t { map, reduce, value } kind = map;
    Program program;      // of reductions none
    ReductionParts parts; // its point program stores to the operand behind the last one
    const Program& of_columns() const { return kind == reduce ? parts.point : program; }
    const Program& of_row() const { return kind == reduce ? parts.outer : program; }
};

struct RowsSpec {
    std::vector<RowsPass> passes;
    std::vector<DataType> types; // by operand; at most rows_operands
    std::array<int64_t, rows_operands> column{};
    uint32_t kept = 0, beside = 0, caught = 0; // operands (bits)
    bool packed = false;
    bool blocks = false; // rows of more than 4096 columns
    bool stream = false;
};

std::string key(const RowsSpec& spec); // equal for equal kernels
bool can_build_rows(const RowsSpec& spec);
jit::Code build_rows(const jit::Target& target, const RowsSpec& spec);

} // namespace tessera::cpu
