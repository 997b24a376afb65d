// SPDX-License-Identifier: Apache-2.0
// UnitIndex: delinearizes the number of a unit. Units are numbered as nested loops visit them, the innermost loop
// fastest; the number gives the index along each loop from the inside out.
//
//   UnitIndex index(u);
//   const int64_t j = index.next(column_blocks), i = index.next(row_blocks);
//   index.add_offsets(outer, at); // at[o]: of operand o, where the loops around them are
#pragma once

#include <cstdint>
#include <span>

#include "core/plan/nest.hpp"

namespace tessera {

class UnitIndex {
public:
    explicit UnitIndex(int64_t unit) : rest_(unit) {}

    // Along the next loop outwards.
    int64_t next(int64_t extent) {
        if (rest_ < extent) { // also extents of 1, and problems of few units: no division
            const int64_t i = rest_;
            rest_ = 0;
            return i;
        }
        const int64_t i = rest_ % extent;
        rest_ /= extent;
        return i;
    }
    int64_t outermost() const { return rest_; } // along all that next() has not taken
    // `loops` from outer to inner.
    void add_offsets(std::span<const Loop> loops, std::span<int64_t> at) {
        for (size_t k = loops.size(); k-- > 0;) {
            const Loop& loop = loops[k];
            const int64_t i = next(loop.extent);
            if (i == 0 && !loop.indexed()) continue; // a table may start anywhere
            for (size_t o = 0; o < at.size(); ++o) at[o] += loop.offset(int(o), i);
        }
    }

private:
    int64_t rest_;
};

// Of an iteration space: how many units of one point each.
inline int64_t iterations(std::span<const Loop> loops) {
    int64_t n = 1;
    for (const Loop& loop : loops) n *= loop.extent;
    return n;
}

} // namespace tessera
