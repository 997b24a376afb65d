// SPDX-License-Identifier: Apache-2.0
// choose_dot: which kernel a product of matrices in blocks runs on, and how it is cut. A pure function of the product's
// size, the layouts of its operands, and the machine.
//
// One unit is a block of rows x columns of one product of a batch, or several whole products where they are tiny. It
// walks
//   for rows of at most `block_rows` (MC)     A packed, if it has to be
//     for k of at most `depth` (KC)           what of B a block of columns (NC) reads stays in a cache
//       for register blocks                   kernel
//     epilogue
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/division.hpp"
#include "core/few.hpp"
#include "core/machine.hpp"
#include "cpu/jit/target.hpp"
#include "cpu/products/parts.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"

namespace tessera::cpu {

enum class DotSource : uint8_t { in_place, packed };

// What has to be taken from sums of integers.
struct Corrections {
    bool columns = false, rows = false; // with sums of B's columns, of A's rows
    bool by_kernels = false;            // the former, by kernels that start from them
    bool shifts_b = false;              // instead, B enters as B + 128, in blocks
};

// What choose_dot knows of the product.
struct DotShape {
    int64_t batches, rows, columns, depth;
    DataType a, b;                       // as they lie in memory
    DataType a_packed, b_packed;         // as they are packed
    bool a_fits = false, b_fits = false; // the kernel can read them where they are
    bool a_dense = false;                // along k
    int a_short = 0;                     // bytes that k has less than whole steps, where A fits nevertheless
    bool b_computed = false;             // B is decompressed, by a kernel of its own
    int64_t a_pitch = 0;                 // bytes between rows of A in place
    int64_t a_step = 0;                  // bytes between its elements of k, where they are not dense
    int64_t b_pitch = 0;                 // bytes between rows of B in place; 0: panels
    int64_t rows_pitch = 0;              // the same of B in rows, which kernels could interleave; 0: they cannot
    int64_t c_bytes = 0;                 // of dst
    bool b_whole = false;                // B lies in panels, the last one padded to 16 columns
    bool b_dense = false;                // along n
    Corrections sums = {};
    bool grouped = false;       // sums of groups of k are scaled one by one
    bool a_words = false;       // A may be packed as words (words.hpp)
    int64_t c_bits = 32;        // of an element of dst
    bool c_lines = false;       // 32 columns of a row of dst are whole lines of a cache
    int64_t c_pitch = 0;        // bytes between rows of dst; 0: not one stride
    int64_t run = 0;            // rows that one stride describes in A and dst: register blocks end with them; 0: all
    int64_t run_packed = 0;     // the same where A is packed, of dst alone
    int64_t run_of_a = 0;       // of A alone
    int64_t grain = 0;          // of rows: blocks and units begin with its multiples; 0: with register blocks
    int64_t step = 0;           // AMX: elements of k in a step (fitting_step); 0: as many as tiles take
    Few<int64_t, 4> loops = {}; // extents of the loops over k in place, outermost first; none: a single one
    Few<int64_t, 4> cuts = {};  // the same of loops that parts of k respect, those of packs as well
    bool a_cuts = true, b_cuts = true; // A, and B, may be packed part by part then

    int64_t bytes() const { // of all three
        return c_bytes + batches * depth * (rows * bits(a_packed) + columns * bits(b_packed)) / 8;
    }
};

struct DotChoice {
    DotSpec spec; // rows and panels of the register block
    DotSource a = DotSource::in_place, b = DotSource::in_place;
    bool rows_inside = false;                          // the block of columns is the outer one of the two
    int64_t unit_rows = 0, unit_columns = 0;           // at most; multiples of the register block, or all
    int64_t row_grain = 0;                             // what parts of rows are made of; 0: unit_rows
    int64_t column_units = 1;                          // of unit_columns at most
    int64_t unit_batches = 1;                          // more than 1 only where the unit is all of them
    int64_t block_rows = 0, depth = 0, depth_loop = 0; // of parts of k (KParts)
    int64_t step = 1;                                  // elements of k in a step of the kernel
    int64_t run = 0;                                   // rows with which register blocks end; 0: all
    int64_t work = 0; // products that take as long, with what is packed and what begins and ends blocks; 0: not known
    // AMX: `depth` in so many of k after the other, for one block of columns, whose B stays in L1 meanwhile; 0: at
    // once.
    int64_t chunk = 0, chunk_loop = 0;
    // Vectors: columns of a unit that all of a block of rows read before the next, in whole blocks; 0: all.
    int64_t strip = 0;
    bool by_depth = false;       // what is packed of B is `depth` of k: all rows read it at once
    int64_t prefetched_rows = 0; // prefetch distance while packing, in rows of B; 0: none
    bool streams = false;        // AMX: non-temporal stores to dst
    bool prefetches_a = false;   // register blocks prefetch the next rows of A
    bool finishes = false;       // the kernel of the last part of k applies the epilogue to its registers

    KParts parts() const { return {depth, depth_loop}; }
    KParts chunks() const { return {chunk, chunk_loop}; }
    void set(KParts parts) { depth = parts.length, depth_loop = parts.loop; }
};

int64_t products_of_byte(const jit::Target& target, DotKind kind); // which take as long as a byte from memory
// AMX: the longest step, up to that of the kind, of which loops of `length` elements of k of A in place are whole ones:
// of 3 taps of 48 channels of bf16 six of 24, instead of 4.5 of 32. 0 where there is none, or A is packed in less time.
int64_t fitting_step(DotKind kind, int64_t length, int64_t depth, int64_t columns);
// Parts of up to `depth` of k, in whole steps: of equal lengths, as far as its loops allow that.
KParts fitting_parts(const DotShape& shape, int64_t depth, int64_t step);

DotChoice choose_dot(const DotShape& shape, DotKind kind, const jit::Target& target, const Context& context);
EvenParts columns_of_units(int64_t columns, const DotChoice& choice);
EvenParts rows_of_units(int64_t rows, const DotChoice& choice);
std::string to_string(const DotChoice& choice);

} // namespace tessera::cpu
