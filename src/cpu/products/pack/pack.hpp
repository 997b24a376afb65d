// SPDX-License-Identifier: Apache-2.0
// Packs: blocks of a factor that a kernel cannot read where it lies, or should not, as plans of their own that run on
// the thread of a unit.
#pragma once

#include <memory>
#include <vector>

#include "core/engine.hpp"
#include "cpu/products/parts.hpp"
#include "cpu/products/run/units.hpp"
#include "cpu/products/view.hpp"

namespace tessera::cpu {

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
    bool pads_rows = false;   // as 4 bytes a row, for k is less than a step of the kernel (short_rows.hpp),
    uint32_t flip_of_row = 0; // with these bits of each element changed
    bool by_depth = false;    // a part of k at a time
};

// One element for all columns, or one for each: as bytes in `unpacked`, where they have 4 bits.
const char* elements_of_columns(const ProductUnit& unit, const DotPlace& place, int64_t column, int64_t wide, int64_t k,
                                char* unpacked);

} // namespace tessera::cpu
