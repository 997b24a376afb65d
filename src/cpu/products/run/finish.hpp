// SPDX-License-Identifier: Apache-2.0
// What becomes of sums that lie in memory: the epilogue, as a pass of the map tile while they are in a cache.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpu/jit/kernel.hpp"
#include "cpu/products/run/units.hpp"
#include "cpu/products/view.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

struct SumsPass {
    int sum = 0;                // its operand of sums; behind it those of B's columns, of A's rows and of all groups
    std::vector<DotView> outer; // the others
    std::shared_ptr<const jit::Kernel> kernel; // null where no sums pass through memory
    // Of rows of `width` columns, or null; streaming: with stores past the caches, for dst in whole lines.
    std::shared_ptr<const jit::Kernel> of_width, streaming;
    int64_t width = 0;
    std::string name; // of the epilogue

    // Of `count` rows of `wide` columns, whose sums are `sums_row` bytes apart.
    void run(const ProductViews& v, const ProductUnit& unit, int64_t row, int64_t count, int64_t column, int64_t wide,
             const char* sums, int64_t sums_row) const;
};

} // namespace tessera::cpu
