// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/run/finish.hpp"

#include <algorithm>

namespace tessera::cpu {

void SumsPass::run(const ProductViews& v, const ProductUnit& unit, int64_t row, int64_t count, int64_t column,
                   int64_t wide, const char* sums, int64_t sums_row) const {
    constexpr int64_t panel = 16;
    if (v.panels_apart && wide > panel) {
        for (int64_t j = 0; j < wide; j += panel)
            run(v, unit, row, count, column + j, std::min(panel, wide - j), sums + j * 4, sums_row);
        return;
    }
    if (const int64_t here = rows_of_run(v.run_of_c, v.rows, row, count); here < count) {
        for (int64_t i = 0, some; i < count; i += some) {
            some = rows_of_run(v.run_of_c, v.rows, row + i, count - i);
            run(v, unit, row + i, some, column, wide, sums + i * sums_row, sums_row);
        }
        return;
    }
    MapArgs args;
    args.rows = count, args.columns = wide;
    for (const DotView& view : outer) {
        args.base[view.operand] = view.at(unit.bases, unit.batch, row, column);
        args.row[view.operand] = view.bytes(view.row);
    }
    args.base[sum] = const_cast<char*>(sums), args.row[sum] = sums_row;
    args.base[sum + 1] = unit.column_sums + (column - unit.column) * 4, args.row[sum + 1] = 0;
    args.base[sum + 2] = unit.row_sums + (row - unit.block) * cache_line, args.row[sum + 2] = cache_line;
    if (!of_width || wide != width) return (*kernel)(&args);
    const bool streams = streaming && reinterpret_cast<uintptr_t>(args.base[v.c.operand]) % cache_line == 0;
    (streams ? *streaming : *of_width)(&args);
}

} // namespace tessera::cpu
