// SPDX-License-Identifier: Apache-2.0
// What of A and B is packed for a unit, and sums of rows and columns beside the products.
#include <algorithm>
#include <cstring>

#include "core/division.hpp"
#include "cpu/products/pack/words.hpp"
#include "cpu/products/run/blocked.hpp"
#include "cpu/tiles/few/contract.hpp"

namespace tessera::cpu {

void BlockedJob::pack_rows(const Unit& unit, int64_t row, int64_t count, KPart k) const {
    const int64_t size = bits(choice.spec.a) / 8, from = k.length() * size;
    const int64_t behind = padded_depth(k.length(), v.depth, choice.spec.kind) * size - from;
    for (int64_t p = 0; behind && p < unit.products; ++p)
        for (int64_t i = 0; i < count; ++i)
            std::memset(unit.a + p * bytes_.a + i * a.row_bytes + from, 0, size_t(behind));
    for (int64_t i = 0, here; i < count; i += here) {
        here = rows_of_run(v.run_of_a, v.rows, row + i, std::min(count - i, choice.block_rows));
        const DotPacks::Block block{row + i, here, k.first, k.length(), 0, unit.products};
        a.packs.run(unit, block, unit.a + i * a.row_bytes, unit.nibbles);
    }
    for (int64_t p = 0; choice.spec.a_words && p < unit.products; ++p)
        for (int64_t i = 0; i < count; ++i)
            widen_to_words(unit.a + p * bytes_.a + i * a.row_bytes, from + behind, has_sign(choice.spec.a));
}

// The last step of each panel, which k does not fill, is zeroed first.
void BlockedJob::pack_panels(const Unit& unit, KPart k) const {
    const int64_t count = k.length(), padded = padded_depth(count, v.depth, choice.spec.kind);
    const int64_t size = bits(choice.spec.b) / 8, panel = panel_bytes(count);
    if (pairs.kernel) return pairs.pack(unit, k, unit.b, panel, unit.nibbles, unit.zeros);
    const int64_t step = 16 * std::min<int64_t>(step_of(choice.spec.kind), padded) * size;
    for (int64_t p = 0; padded != count && p < unit.products; ++p)
        for (int64_t j = 0; j < unit.columns; j += 16)
            std::memset(unit.b + p * bytes_.b + j / 16 * panel + 16 * padded * size - step, 0, size_t(step));
    // Columns behind the last are multiplied, too: what is left there may be denormal, which is 100 times slower.
    const bool reads_behind = choice.spec.kind == DotKind::f32 && !choice.spec.tail && unit.columns % 16;
    for (int64_t p = 0; reads_behind && p < unit.products; ++p)
        std::memset(unit.b + p * bytes_.b + unit.columns / 16 * panel, 0, size_t(panel));
    const auto pack_from = [&](int64_t at, int64_t here) {
        for (int64_t j = 0, run; j < unit.columns; j += run) {
            run = unit.columns - j;
            for (const DotPlace& place : b.all.front().places) run = run_from(place.along, unit.column + j, run);
            const DotPacks::Block block{unit.column + j, run, k.first + at, here, count, unit.products};
            b.run(unit, block, unit.b + j / 16 * panel + at * 16 * size, unit.nibbles);
        }
    };
    if (!choice.prefetched_rows) return pack_from(0, count);
    // Rows of B on their way while those before them are packed.
    prefetch_b(unit, {k.first, k.first + std::min(choice.prefetched_rows, count)});
    for (int64_t at = 0, here; at < count; at += here) {
        here = std::min(choice.prefetched_rows, count - at);
        prefetch_b(unit, {k.first + at + here, k.first + std::min(at + here + choice.prefetched_rows, count)});
        pack_from(at, here);
    }
}

// Rows of B as they lie.
void BlockedJob::prefetch_b(const Unit& unit, KPart k) const {
    const DotPlace& place = b.all.front().places[0];
    const DotView& view = place.view;
    for (int64_t i = k.first; i < k.end; ++i) {
        const char* at = unit.bases[size_t(view.operand)] + view.bytes(place.element(unit.batch, unit.column, i));
        for (const char* const end = at + view.bytes(unit.columns); at < end; at += cache_line) __builtin_prefetch(at);
    }
}

// Products with a row of ones.
void BlockedJob::sum_columns(const Unit& unit, DotArgs args, KPart k) const {
    const char* const b_first = static_cast<const char*>(args.b);
    for (int64_t j = 0; j < unit.columns; j += 16 * choice.spec.panels) {
        args.b = b_first + j / 16 * args.b_panel;
        sum_block(unit, args, j, k);
    }
}

// Of the block of columns at j, from where `product` reads it.
void BlockedJob::sum_block(const Unit& unit, const DotArgs& product, int64_t j, KPart k) const {
    const uint32_t ones = 0x01010101;
    DotArgs args;
    args.a = &ones, args.a_row = args.a_step = 0;
    args.b = product.b, args.b_panel = product.b_panel, args.b_step = cache_line;
    args.c = unit.column_sums + j * 4, args.c_row = 0;
    set_loops_of_sums(args, k.length(), false);
    args.columns = product.columns, args.accumulate = k.first > 0 && !sums_are_of_parts();
    (*sums.of_columns[unit.columns - j < 16 * choice.spec.panels])(&args);
}

void BlockedJob::set_loops_of_sums(DotArgs& args, int64_t count, bool of_a) const {
    args.steps = ceil_div(count, 4);
    if (choice.spec.loops == 1) return;
    DotWalk loops = walk;
    DotLoop& innermost = loops.loops.back();
    const int64_t steps = choice.step / 4; // in a step of the products
    innermost = {innermost.count * steps, innermost.a / steps, innermost.b / steps};
    for (DotLoop& loop : loops.loops) (of_a ? loop.b : loop.a) = 0;
    loops.set(args, args.steps);
}

void BlockedJob::sum_rows(const Unit& unit, DotArgs args, int64_t count) const {
    set_loops_of_sums(args, v.depth, true), args.a_step = 4;
    row_sums.run(args, v, static_cast<const char*>(args.a), args.a_row, count, unit.row_sums);
}

// What takes back that blocks read B as B + 128: -128 times the sum of these elements of each row of A, as a product
// with ones, whose columns the rows are.
void BlockedJob::start_block(const Unit& unit, const char* a_base, const RowBlock& rows) const {
    const bool packed = choice.a == DotSource::packed;
    const int64_t k_of_a = a.by_depth ? rows.k.first : 0, count = rows.count;
    DotsArgs args{};
    args.a = unit.ones, args.b_column = strides_.a_row;
    for (int64_t i = 0; i < count; i += args.columns) {
        args.columns = packed ? count : v.rows_at(rows.row + i, count - i);
        const int64_t down = packed ? 0 : v.a.bytes(v.a.down(rows.row + i) - v.a.down(rows.row));
        args.c = unit.starts + i;
        for (int64_t at = rows.k.first; at < rows.k.end; at += args.k) {
            args.k = rows.k.end - at;
            if (choice.spec.loops > 1) args.k = std::min(args.k, walk.loops.back().count * choice.step);
            args.b = a_base + down + at_k(at - k_of_a).a;
            args.accumulate = at > rows.k.first;
            (*sums.starts)(&args);
        }
    }
    for (int64_t i = 0; i < count; ++i) unit.starts[i] = int32_t(-128u * uint32_t(unit.starts[i]));
}

} // namespace tessera::cpu
