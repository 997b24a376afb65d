// SPDX-License-Identifier: Apache-2.0
// Making packs (pack.hpp): each block of a factor becomes a plan, with the program of the factor.
#pragma once

#include <vector>

#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

// A block of a factor in scratch memory, `to` over (products, rows or columns, k).
struct PackedBlock {
    bool rows; // of A; else of B's columns
    DataType type;
    int64_t extent, products, depth;
    Layout to;
};
// False where memory is short.
bool add_pack(const Seen& x, DotPacks& packs, const MatrixFactor& side, const PackedBlock& block);
// Elements of scratch memory in another order, over (columns, rows or k).
bool add_copy(const Seen& x, DotPacks& packs, DataType type, Layout from, Layout to, int64_t extent, int64_t depth);

// The kernel of weights that are computed as bf16. Rows: the longest part of k of them, where k is dense.
bool make_pairs(Seen& x, int64_t depth_of_rows);

// Lengths that occur, each once: of parts of k; of parts of units of at most so many columns; of runs in which columns
// of units are packed.
std::vector<int64_t> lengths_of_parts(int64_t depth, KParts parts);
std::vector<int64_t> lengths_in_units(const EvenParts& units, int64_t most);
std::vector<int64_t> runs_of_columns(const Seen& x, const EvenParts& units);

} // namespace tessera::cpu
