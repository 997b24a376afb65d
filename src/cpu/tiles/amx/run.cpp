// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/amx/run.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/text.hpp"

namespace tessera::cpu {

void TilesJob::whole_products(Unit& unit, int64_t products) const {
    each_product(unit, products, [&](size_t variant, DotArgs& args) { tiles.run(unit.configured, variant, args); });
}

// Blocks are of few columns: their sums go on while they are in L1.
void TilesJob::blocks(Unit& unit, DotArgs& args, const RowBlock& rows) const {
    const int64_t height = choice.spec.rows, width = 16 * choice.spec.panels, wide = unit.columns, count = rows.count;
    const char* const next = static_cast<const char*>(args.next);
    char* const c_first = static_cast<char*>(args.c);
    const Places at(*this, unit, args, rows);
    // Each block prefetches a share of what comes next, in the order in which it is read.
    const auto prefetch_ahead = [&](int64_t i, int64_t j) {
        const int64_t share = args.steps * choice.spec.ahead * cache_line;
        if (choice.rows_inside) {
            args.next = (j + width < wide ? at.b(j + width) : next) + i / height * share;
            args.next_panel = args.b_panel;
        } else {
            args.next = at.a(i) + height * args.a_row + j / width * 2 * share, args.next_panel = share;
        }
    };
    const int64_t panel = v.direct ? args.c_panel : keeps_sums() ? cache_line : 0; // bytes of sums from panel to panel
    const auto block = [&](int64_t i, int64_t rows_here, int64_t j) {
        args.a = at.a(i), args.b = at.b(j);
        if (i == 0 && sums_by_blocks()) sum_block(unit, args, j, rows.k);
        if (choice.spec.ahead) prefetch_ahead(i, j);
        char* const to = at.c(i) + j / 16 * panel;
        const int64_t columns_here = std::min(width, wide - j);
        args.c = groups.length ? at.part(i, j) : to;
        tiles.run(unit.configured, variant_of(rows_here, wide - j), args);
        end_group(unit, at, rows, i, rows_here, j, columns_here);
        if (finishes(rows.k)) pass(unit, rows.row + i, rows_here, unit.column + j, columns_here, to);
    };
    const auto rows_from = [&](int64_t i) { return v.rows_at(rows.row + i, std::min(height, count - i)); };
    if (choice.rows_inside)
        for (int64_t j = 0; j < wide; j += width)
            for (int64_t i = 0; i < count; i += rows_from(i)) block(i, rows_from(i), j);
    else
        for (int64_t i = 0; i < count; i += rows_from(i))
            for (int64_t j = 0; j < wide; j += width) block(i, rows_from(i), j);
    args.c = c_first;
}

std::vector<const jit::Kernel*> TilesJob::kernels() const {
    const auto& k = tiles.kernel;
    return those_made({k[0], k[1], k[2], k[3], finish.kernel, finish.of_width, finish.streaming});
}

} // namespace tessera::cpu
