// SPDX-License-Identifier: Apache-2.0
// What all jobs of products have: where their operands lie, what is packed, and what becomes of sums that lie in
// memory.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cpu/executor/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/products/pack/pack.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

using KernelPtr = std::shared_ptr<const jit::Kernel>;

// The epilogue, as a pass of the map tile over sums while they are in a cache.
struct SumsPass {
    int sum = 0;                // its operand of sums; behind it those of B's columns, of A's rows and of all groups
    std::vector<DotView> outer; // the others
    KernelPtr kernel;           // null where no sums pass through memory
    // Of rows of `width` columns, or null; streaming: with stores past the caches, for dst in whole lines.
    KernelPtr of_width, streaming;
    int64_t width = 0;
    std::string name; // of the epilogue

    // Of `count` rows of `wide` columns, whose sums are `sums_row` bytes apart.
    void run(const ProductViews& v, const ProductUnit& unit, int64_t row, int64_t count, int64_t column, int64_t wide,
             const char* sums, int64_t sums_row) const;
};

// Grouped quantization of B: scales and zero points that change along k. The sum over groups of k of scale * (sum of a
// * b - zero * sum of a): kernels run over a group at a time, and a map adds up the results.
struct DotGroups {
    int64_t length = 0;           // of a group; 0: none
    std::vector<DotPlace> places; // scales, zero points
    KernelPtr first, more;        // sums of a group to those of all, replacing or adding
    int sum = 0;                  // the first of the operands of `first` and `more` behind those of the plan

    // A block of sums of the group that begins with k, `sums` of them, to `all`; both have `row_bytes` between rows.
    // `unpacked`: scratch memory for the zeros of a row of these columns.
    struct Block {
        int64_t row, rows, column, columns, k;
    };
    void add(const ProductUnit& unit, const Block& block, const char* sums, char* all, int64_t row_bytes,
             char* unpacked) const;
};

// Sums of rows of A: products with ones, in 16 equal columns of a line for each row.
struct RowSums {
    std::array<KernelPtr, 2> kernel; // of `at_once` rows and of one; or null
    int64_t at_once = 8;             // 8 vectors of results, which AVX2 has with 4 rows

    // Of `count` rows from `first` on, so many bytes apart, of a product. `args` has the steps.
    void run(DotArgs& args, const ProductViews& v, const char* first, int64_t row, int64_t count, char* to) const;
    bool any() const { return bool(kernel[0]); }
};

class ProductJob : public Job {
public:
    ProductViews v;
    SumsPass finish; // where sums do not go to dst
    DotGroups groups;
    RowSums row_sums;            // for zero points of B
    PackedRows a;                // A's rows, or panels of them where they are columns of tiles
    DotPacks b;                  // B's panels
    std::string kernel_name;     // of the first kernel, without epilogue
    std::string choice_text;     // how the product is cut
    std::vector<KernelPtr> made; // all kernels

    std::string text() const final;
    std::vector<const jit::Kernel*> kernels() const final;
    virtual void prepare(int64_t products_of_byte) = 0; // units and scratch, when all else is set

protected:
    // Those of the group that begins with k. a: the first row at k; bytes between rows, between elements of k.
    void sum_group(const ProductUnit& unit, const char* a, int64_t row, int64_t element, int64_t count,
                   int64_t k) const;

    ProductUnits units_;
};

} // namespace tessera::cpu
