// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/run/groups.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/tiles/dot/kernel/contract.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

// Of integers four of k are a step.
void DotGroups::sum_a(const ProductViews& v, const ProductUnit& unit, const RowsOfA& a, int64_t k) const {
    alignas(cache_line) float ones[16];
    std::fill_n(ones, 16, 1.f);
    if (v.integers) std::memset(ones, 1, sizeof ones);
    const int64_t step = v.integers ? 4 : 1;
    DotArgs args;
    args.steps = std::min(length, v.depth - k) / step;
    args.a_step = step * a.element;
    args.b = ones, args.b_step = args.b_panel = 0;
    args.accumulate = 0;
    // Every row by one kernel, whatever the unit: kernels of one and of several rows add up in different orders. Where
    // fewer are left than it has, it computes rows again, or one of them several times.
    const bool one = v.rows < rows_at_once, few = !one && a.count < rows_at_once;
    args.a_row = few ? 0 : a.row, args.c_row = few ? 0 : cache_line;
    for (int64_t i = 0; i < a.count;) {
        int64_t at = i, here = one || few ? 1 : rows_at_once;
        if (!one && !few && a.count - i < here) at = a.count - here;
        args.a = a.first + at * a.row, args.c = unit.row_sums + at * cache_line;
        (*sums_of_a[one])(&args);
        i = at + here;
    }
}

void DotGroups::add(const ProductUnit& unit, const Block& block, const char* sums, char* all, int64_t row_bytes,
                    char* unpacked) const {
    MapArgs args;
    args.rows = block.rows, args.columns = block.columns;
    for (const DotPlace& place : places) {
        const char* const at = elements_of_columns(unit, place, block.column, block.columns, block.k, unpacked);
        args.base[place.view.operand] = const_cast<char*>(at);
        args.row[place.view.operand] = 0;
    }
    args.base[sum] = const_cast<char*>(sums), args.row[sum] = row_bytes;
    args.base[sum + 2] = unit.row_sums + (block.row - unit.block) * cache_line, args.row[sum + 2] = cache_line;
    args.base[sum + 3] = all, args.row[sum + 3] = row_bytes;
    (block.k == 0 ? *first : *more)(&args);
}

} // namespace tessera::cpu
