// SPDX-License-Identifier: Apache-2.0
// Packs: blocks of a factor that a kernel cannot read where it lies, or should not, as plans of their own that run on
// the thread of a unit.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/engine.hpp"
#include "core/plan/steps/matrices.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/products/parts.hpp"
#include "cpu/products/view.hpp"

namespace tessera::cpu {

struct Seen;

// A packed block of A or B: rows of A, panels of B.
struct DotPack {
    std::shared_ptr<const Executable> run; // pointers: of `places`, then where to
    std::vector<DotPlace> places;
    int64_t extent = 0, products = 1; // rows or columns of the block; how many of them at once
    int64_t depth = 0, part = 0;      // of k; of B, of which part of it
    // 4-bit elements are unpacked to bytes first, in lines along k or across it; -1: none.
    int nibbles = -1; // place
    DataType unpacked_from = DataType::undef;
    bool along_k = false;

    int64_t lines() const { return along_k ? extent : depth; }
    int64_t line_bytes() const { return round_up(along_k ? depth : extent, 16); }
};

// All blocks of a factor: of full units, and of the last ones if those are smaller.
class DotPacks {
public:
    std::vector<DotPack> all;

    struct Block {
        int64_t first, extent; // rows or columns
        int64_t k, depth;
        int64_t part = 0, products = 1;
    };
    void run(const ProductUnit& unit, const Block& block, char* to, char* nibbles) const;
    bool empty() const { return all.empty(); }
    int64_t nibble_bytes() const; // scratch memory of `nibbles`
};

// A as rows, `row_bytes` from one to the next.
struct PackedRows {
    DotPacks packs;
    int64_t row_bytes = 0;
    bool by_depth = false; // a part of k at a time
};

// Weights that are computed as bf16: converted, decompressed, or both, by a kernel of its own (pairs_kernel.hpp).
struct DotPairs {
    int64_t group = 0; // of k with the same zeros and scales
    DotView b;
    std::optional<DotPlace> zero, scale;
    std::shared_ptr<const jit::Kernel> kernel;
    // Where k is dense in B they are rows of bf16, which tiles of B's columns read as they are; panels are made of
    // `columns` at once.
    static constexpr int64_t columns = 64;
    int64_t row_bytes = 0;
    DotPacks panels;

    bool k_dense() const { return row_bytes > 0; }
    // Columns of B for whole steps of k, group by group: to panels, or to rows, `apart` bytes from one to the next.
    // `unpacked`: scratch memory for the zeros of these columns.
    void to_bf16(const ProductUnit& unit, int64_t column, int64_t count, KPart k, char* to, int64_t apart,
                 char* unpacked) const;
    // All columns of the unit as panels. `rows`: scratch memory of `columns` rows, where k is dense.
    void pack(const ProductUnit& unit, KPart k, char* to, int64_t panel, char* rows, char* unpacked) const;
};

// One element for all columns, or one for each: as bytes in `unpacked`, where they have 4 bits.
const char* elements_of_columns(const ProductUnit& unit, const DotPlace& place, int64_t column, int64_t wide, int64_t k,
                                char* unpacked);

// Making packs: each block of a factor becomes a plan, with the program of the factor.
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
