// SPDX-License-Identifier: Apache-2.0
// What of A and B is packed for a unit, and the sums of rows, columns and groups beside the products.
#include "cpu/tiles/dot/run/run.hpp"

#include <algorithm>
#include <cstring>

#include "core/division.hpp"
#include "core/stack_array.hpp"
#include "cpu/lanes/nibbles.hpp"
#include "cpu/tiles/dot/kernel/few_rows.hpp"
#include "cpu/tiles/dot/kernel/pairs.hpp"
#include "cpu/tiles/dot/run/short_rows.hpp"
#include "cpu/tiles/dot/run/words.hpp"

namespace tessera::cpu {

void DotJob::pack(const std::vector<DotPack>& packs, const Unit& unit, int64_t first, int64_t extent, int64_t k,
                  int64_t depth_here, char* to, int64_t part) const {
    const DotPack& p = *std::find_if(packs.begin(), packs.end(), [&](const DotPack& pack) {
        return pack.extent == extent && pack.products == unit.products && pack.depth == depth_here && pack.part == part;
    });
    StackArray<void*, 8> pointers(p.places.size() + 1);
    for (size_t v = 0; v < p.places.size(); ++v) {
        const DotView& view = p.places[v].view;
        pointers[v] = unit.bases[size_t(view.operand)] + view.bytes(p.places[v].element(unit.batch, first, k));
    }
    if (p.nibbles >= 0) {
        const DotPlace& place = p.places[size_t(p.nibbles)];
        const char* const base = unit.bases[size_t(place.view.operand)];
        const int64_t at = place.element(unit.batch, first, k), apart = p.along_k ? place.view.row : place.view.column;
        for (int64_t i = 0; i < p.lines(); ++i)
            unpack_nibbles(nibble_at(base, at + i * apart), unit.nibbles + i * p.line_bytes(),
                           p.along_k ? p.depth : p.extent, p.unpacked_from);
        pointers[size_t(p.nibbles)] = unit.nibbles;
    }
    pointers[p.places.size()] = to;
    p.run->run(pointers, {});
}

void DotJob::pack_rows(const Unit& unit, int64_t row, int64_t count, int64_t k, int64_t deep) const {
    if (pads_rows) {
        ShortRows from{nullptr, a.bytes(a.row), a.bytes(a.column), int(deep), a.bits / 8, flip_of_row};
        for (int64_t p = 0; p < unit.products; ++p)
            for (int64_t i = 0, here; i < count; i += here) {
                here = rows_of_run(run_of_a, row + i, count - i);
                from.first = a.at(unit.bases, unit.batch + p, row + i, 0);
                pad_rows(from, here, unit.a + p * bytes_a_ + i * packed_row);
            }
        return;
    }
    const int64_t size = bits(choice.spec.a) / 8, from = deep * size;
    const int64_t behind = padded_depth(deep, depth, choice.spec.kind) * size - from;
    for (int64_t p = 0; behind && p < unit.products; ++p)
        for (int64_t i = 0; i < count; ++i)
            std::memset(unit.a + p * bytes_a_ + i * packed_row + from, 0, size_t(behind));
    for (int64_t i = 0; i < count;) {
        const int64_t here = rows_of_run(run_of_a, row + i, std::min(count - i, choice.block_rows));
        pack(pack_a, unit, row + i, here, k, deep, unit.a + i * packed_row);
        i += here;
    }
    for (int64_t p = 0; choice.spec.a_words && p < unit.products; ++p)
        for (int64_t i = 0; i < count; ++i)
            widen_to_words(unit.a + p * bytes_a_ + i * packed_row, from + behind, has_sign(choice.spec.a));
}

// Zeros or scales of these columns, as bytes where they have 4 bits.
const char* DotJob::shared(const Unit& unit, const DotPlace& place, int64_t column, int64_t wide, int64_t k) const {
    const DotView& view = place.view;
    const int64_t at = place.element(unit.batch, column, k);
    const char* const base = unit.bases[size_t(view.operand)];
    if (view.bits != 4) return base + view.bytes(at);
    unpack_nibbles(nibble_at(base, at), unit.zeros, view.column ? wide : 1, place.unpacked_from);
    return unit.zeros;
}

// Columns of B for whole steps of k, group by group.
void DotJob::to_bf16(const Unit& unit, int64_t column, int64_t count, Part k, char* to, int64_t panel) const {
    constexpr int64_t size = 2;
    const bool rows = pairs.k_dense();
    PairsArgs args{};
    args.b_row = pairs.b.bytes(rows ? pairs.b.column : pairs.b.row), args.panel = panel, args.columns = count;
    for (int64_t at = k.first, here; at < k.end; at += here) {
        here = std::min(pairs.group - at % pairs.group, k.end - at);
        args.b = pairs.b.at(unit.bases, unit.batch, at, column);
        if (pairs.zero) args.zero = shared(unit, *pairs.zero, column, count, at);
        if (pairs.scale) args.scale = shared(unit, *pairs.scale, column, count, at);
        args.to = to + (at - k.first) * size * (rows ? 1 : 16), args.steps = here / (rows ? 32 : 2);
        (*pairs.kernel)(&args);
    }
}

void DotJob::pack_pairs(const Unit& unit, int64_t k, int64_t count) const {
    const int64_t panel = packed_panel(count);
    const Part part{k, k + count};
    if (!pairs.k_dense()) return to_bf16(unit, unit.column, unit.columns, part, unit.b, panel);
    for (int64_t j = 0; j < unit.columns; j += pairs.columns) {
        const int64_t wide = std::min(pairs.columns, unit.columns - j);
        to_bf16(unit, unit.column + j, wide, part, unit.nibbles, pairs.row_bytes);
        const DotPack& p = *std::find_if(pairs.panels.begin(), pairs.panels.end(), [&](const DotPack& pack) {
            return pack.extent == wide && pack.depth == count;
        });
        void* const pointers[] = {unit.nibbles, unit.b + j / 16 * panel};
        p.run->run(pointers, {});
    }
}

// The last step of each panel, which k does not fill, is zeroed first.
void DotJob::pack_panels(const Unit& unit, int64_t k, int64_t count) const {
    if (pairs.kernel) return pack_pairs(unit, k, count);
    const int64_t padded_count = padded_depth(count, depth, choice.spec.kind);
    const int64_t size = bits(choice.spec.b) / 8, panel = packed_panel(count);
    const int64_t step = 16 * std::min<int64_t>(step_of(choice.spec.kind), padded_count) * size;
    for (int64_t p = 0; padded_count != count && p < unit.products; ++p)
        for (int64_t j = 0; j < unit.columns; j += 16)
            std::memset(unit.b + p * bytes_b_ + j / 16 * panel + 16 * padded_count * size - step, 0, size_t(step));
    // Columns behind the last are multiplied, too: what is left there may be denormal, which is 100 times slower.
    const bool reads_behind = choice.spec.kind == DotKind::f32 && !choice.spec.tail && unit.columns % 16;
    for (int64_t p = 0; reads_behind && p < unit.products; ++p)
        std::memset(unit.b + p * bytes_b_ + unit.columns / 16 * panel, 0, size_t(panel));
    const auto pack_from = [&](int64_t at, int64_t here) {
        for (int64_t j = 0, run; j < unit.columns; j += run) {
            run = unit.columns - j;
            for (const DotPlace& place : pack_b.front().places) run = run_from(place.along, unit.column + j, run);
            char* const to = unit.b + j / 16 * panel + at * 16 * size;
            pack(pack_b, unit, unit.column + j, run, k + at, here, to, count);
        }
    };
    if (!choice.prefetched_rows) return pack_from(0, count);
    // Rows of B on their way while those before them are packed.
    prefetch_part(unit, {k, k + std::min(choice.prefetched_rows, count)});
    for (int64_t at = 0, here; at < count; at += here) {
        here = std::min(choice.prefetched_rows, count - at);
        prefetch_part(unit, {k + at + here, k + std::min(at + here + choice.prefetched_rows, count)});
        pack_from(at, here);
    }
}

// Rows of B as they lie.
void DotJob::prefetch_part(const Unit& unit, Part k) const {
    const DotPlace& place = pack_b.front().places[0];
    const DotView& view = place.view;
    for (int64_t i = k.first; i < k.end; ++i) {
        const char* at = unit.bases[size_t(view.operand)] + view.bytes(place.element(unit.batch, unit.column, i));
        for (const char* const end = at + view.bytes(unit.columns); at < end; at += line) __builtin_prefetch(at);
    }
}

// Products with a row of ones.
void DotJob::sum_columns(const Unit& unit, DotArgs args, int64_t k, int64_t count) const {
    const char* const b_first = static_cast<const char*>(args.b);
    for (int64_t j = 0; j < unit.columns; j += 16 * choice.spec.panels) {
        args.b = b_first + j / 16 * args.b_panel;
        sum_block(unit, args, j, {k, k + count});
    }
}

// Of the block of columns at j, from where `product` reads it.
void DotJob::sum_block(const Unit& unit, const DotArgs& product, int64_t j, Part k) const {
    const uint32_t ones = 0x01010101;
    DotArgs args;
    args.a = &ones, args.a_row = args.a_step = 0;
    args.b = product.b, args.b_panel = product.b_panel, args.b_step = line;
    args.c = unit.column_sums + j * 4, args.c_row = 0;
    set_loops_of_sums(args, k.end - k.first, false);
    args.columns = product.columns, args.accumulate = k.first > 0 && !sums_are_of_parts();
    (*column_sums[unit.columns - j < 16 * choice.spec.panels])(&args);
}

void DotJob::set_loops_of_sums(DotArgs& args, int64_t count, bool of_a) const {
    args.steps = ceil_div(count, 4);
    if (choice.spec.loops == 1) return;
    DotWalk sums = walk;
    DotLoop& innermost = sums.loops.back();
    const int64_t groups = choice.step / 4; // in a step of the products
    innermost = {innermost.count * groups, innermost.a / groups, innermost.b / groups};
    for (DotLoop& loop : sums.loops) (of_a ? loop.b : loop.a) = 0;
    sums.set(args, args.steps);
}

// Products with columns of ones, 16 of them.
void DotJob::sum_rows(const Unit& unit, DotArgs args, int64_t count) const {
    set_loops_of_sums(args, depth, true), args.a_step = 4;
    alignas(64) char ones[line];
    std::memset(ones, 1, sizeof ones);
    args.b = ones, args.b_step = args.b_panel = 0;
    args.c = unit.row_sums, args.c_row = line, args.accumulate = 0;
    for (int64_t i = 0; i < count;) {
        const int64_t rows_here = count - i < rows_of_sums ? 1 : rows_of_sums;
        (*row_sums[rows_here == 1])(&args);
        args.a = static_cast<const char*>(args.a) + rows_here * args.a_row;
        args.c = static_cast<char*>(args.c) + rows_here * line;
        i += rows_here;
    }
}

// What takes back that blocks read B as B + 128: -128 times the sum of these elements of each row of A, as a product
// with ones, whose columns the rows are.
void DotJob::start_block(const Unit& unit, const char* a_base, int64_t row, int64_t count, Part k) const {
    const bool packed = choice.a == DotSource::packed;
    const int64_t k_of_a = a_by_depth ? k.first : 0;
    DotsArgs args{};
    args.a = unit.ones, args.b_column = strides_.a_row;
    for (int64_t i = 0; i < count; i += args.columns) {
        args.columns = packed ? count : rows_at(row + i, count - i);
        const char* const rows = a_base + (packed ? 0 : a.bytes(a.down(row + i) - a.down(row)));
        args.c = unit.starts + i;
        for (int64_t at = k.first; at < k.end; at += args.k) {
            args.k = k.end - at;
            if (choice.spec.loops > 1) args.k = std::min(args.k, walk.loops.back().count * choice.step);
            args.b = rows + at_k(at - k_of_a).a;
            args.accumulate = at > k.first;
            (*sums_of_rows)(&args);
        }
    }
    for (int64_t i = 0; i < count; ++i) unit.starts[i] = int32_t(-128u * uint32_t(unit.starts[i]));
}

// The sum of a group for every row of a block of A, in 16 equal columns; of integers four of k are a step.
void DotJob::sum_a(const Unit& unit, DotArgs args, int64_t count, int64_t k) const {
    alignas(64) float ones[16];
    std::fill_n(ones, 16, 1.f);
    if (integers) std::memset(ones, 1, sizeof ones);
    const bool packed = !few && choice.a == DotSource::packed;
    const int64_t step = integers ? 4 : 1;
    args.steps = std::min(groups.length, depth - k) / step;
    args.a_step = step * (packed ? bits(choice.spec.a) / 8 : a.bytes(a.column));
    args.b = ones, args.b_step = args.b_panel = 0;
    args.c = unit.row_sums, args.c_row = line, args.accumulate = 0;
    // Every row by one kernel, whatever the unit: kernels of one and of several rows add up in different orders. Where
    // fewer are left than it has, it computes rows again, or one of them several times.
    const bool one = rows < rows_of_sums;
    const int64_t a_row = args.a_row;
    const char* const a_first = static_cast<const char*>(args.a);
    for (int64_t i = 0; i < count;) {
        int64_t at = i, here = one ? 1 : rows_of_sums;
        if (count - i < here && count >= here) at = count - here;
        if (count < here) args.a_row = args.c_row = 0, here = 1;
        args.a = a_first + at * a_row, args.c = unit.row_sums + at * line;
        (*groups.sums_of_a[one])(&args);
        i = at + here;
    }
}

void DotJob::add_group(const Unit& unit, int64_t row, int64_t count, int64_t column, int64_t wide, int64_t k,
                       const char* sums, char* all) const {
    MapArgs args;
    args.rows = count, args.columns = wide;
    for (const DotPlace& place : groups.places) {
        args.base[place.view.operand] = const_cast<char*>(shared(unit, place, column, wide, k));
        args.row[place.view.operand] = 0;
    }
    args.base[sum] = const_cast<char*>(sums), args.row[sum] = c_row_;
    args.base[sum + 2] = unit.row_sums + (row - unit.block) * line, args.row[sum + 2] = line;
    args.base[sum + 3] = all, args.row[sum + 3] = c_row_;
    (k == 0 ? *groups.first : *groups.more)(&args);
}

} // namespace tessera::cpu
