// SPDX-License-Identifier: Apache-2.0
// Grouped quantization of B: scales and zero points that change along k. The sum over groups of k of scale * (sum of a
// * b - zero * sum of a): kernels run over a group at a time, and a map adds up the results.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cpu/jit/kernel.hpp"
#include "cpu/products/pack/pack.hpp"

namespace tessera::cpu {

struct DotGroups {
    int64_t length = 0;                                          // of a group; 0: none
    std::vector<DotPlace> places;                                // scales, zero points
    std::shared_ptr<const jit::Kernel> first, more;              // sums of a group to those of all, replacing or adding
    std::array<std::shared_ptr<const jit::Kernel>, 2> sums_of_a; // of `rows_at_once` rows and of one; or null
    int64_t rows_at_once = 8;                                    // 8 vectors of results, which AVX2 has with 4 rows
    int sum = 0; // the first of the operands of `first` and `more` behind those of the plan

    // A block of sums of the group that begins with k, `sums` of them, to `all`; both have `row_bytes` between rows.
    // `unpacked`: scratch memory for the zeros of a row of these columns.
    struct Block {
        int64_t row, rows, column, columns, k;
    };
    void add(const ProductUnit& unit, const Block& block, const char* sums, char* all, int64_t row_bytes,
             char* unpacked) const;
    // The sum of a group for every row of a block of A, in 16 equal columns of the unit's sums of rows. a: the first
    // row at k.
    struct RowsOfA {
        const char* first;
        int64_t row, element, count; // bytes between rows, between elements of k; rows
    };
    void sum_a(const ProductViews& v, const ProductUnit& unit, const RowsOfA& a, int64_t k) const;
};

} // namespace tessera::cpu
