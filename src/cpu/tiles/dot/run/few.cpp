// SPDX-License-Identifier: Apache-2.0
// Products of few rows, or few columns: dots, axpy, and tiles over B as it lies.
#include "cpu/tiles/dot/run/run.hpp"

#include <algorithm>
#include <cstring>

#include "core/division.hpp"
#include "cpu/tiles/dot/kernel/few_rows.hpp"
#include "cpu/tiles/dot/run/words.hpp"

namespace tessera::cpu {

void DotJob::few_rows(const Unit& unit) const {
    if (rows > choice.spec.rows) return groups_of_rows(unit);
    const int64_t length = groups.length ? groups.length : depth;
    char* to = direct ? c.at(unit.bases, unit.batch, 0, unit.column) : unit.c;
    char* sums = groups.length ? unit.part : to;
    const int64_t sums_row = direct ? c.bytes(c.row) : c_row_;
    const int64_t a_row = a.bytes(a.row), a_step = a.bytes(a.column);
    // Columns of B that are dense in k lie in pages of their own: few at a time go through all groups.
    constexpr int64_t columns_at_once = 64;
    const int64_t at_once = groups.length && choice.way == DotWay::dots ? columns_at_once : unit.columns;
    for (int64_t j = 0; j < unit.columns; j += at_once) {
        const int64_t wide = std::min(at_once, unit.columns - j);
        for (int64_t k = 0; k < depth; k += length) {
            const int64_t here = std::min(length, depth - k);
            const char* a_at = a.at(unit.bases, unit.batch, 0, k);
            const char* b_at = b.at(unit.bases, unit.batch, k, unit.column + j);
            if (choice.way == DotWay::dots) {
                if (shifts_b) start_rows(unit, a_at, a_row, {k, k + here});
                DotsArgs args{a_at, a_row, b_at, b.bytes(b.column), sums, sums_row, wide, here, 0};
                args.start = starts_at(unit, k);
                (*few)(&args);
            } else {
                AxpyArgs args{a_at, a_row, a_step, b_at, b.bytes(b.row), sums, sums_row, wide, here, 0};
                (*few)(&args);
            }
            if (!groups.length) continue;
            if (groups.sums_of_a[0]) {
                DotArgs args;
                args.a = a_at, args.a_row = a_row;
                sum_a(unit, args, rows, k);
            }
            add_group(unit, 0, rows, unit.column + j, wide, k, sums, to + j * 4);
        }
    }
    if (!direct) finish(unit, 0, rows, unit.column, unit.columns, to);
}

// More rows than a kernel of dots has: groups of them read a part of some columns of B after each other.
void DotJob::groups_of_rows(const Unit& unit) const {
    char* const to = direct ? c.at(unit.bases, unit.batch, 0, unit.column) : unit.c;
    const bool packed = choice.a == DotSource::packed;
    const int64_t sums_row = direct ? c.bytes(c.row) : c_row_, a_row = packed ? packed_row : a.bytes(a.row),
                  height = choice.spec.rows;
    const auto groups = [&](int64_t j, int64_t k) {
        DotsArgs args{};
        args.a = packed ? unit.a : a.at(unit.bases, unit.batch, 0, k), args.a_row = a_row;
        args.b = b.at(unit.bases, unit.batch, k, unit.column + j), args.b_column = b.bytes(b.column);
        args.c = to + j * 4, args.c_row = sums_row;
        args.columns = std::min(choice.group_columns, unit.columns - j), args.k = std::min(choice.depth, depth - k);
        args.accumulate = k > 0, args.start = starts_at(unit, k);
        for (int64_t i = 0; i < rows; i += height) {
            (rows - i < height ? *few_rest : *few)(&args);
            args.a = static_cast<const char*>(args.a) + height * a_row, args.start += height;
            args.c = static_cast<char*>(args.c) + height * sums_row;
        }
    };
    for (int64_t k = 0; k < depth; k += choice.depth) {
        const int64_t here = std::min(choice.depth, depth - k);
        if (packed) pack(pack_a, unit, 0, rows, k, here, unit.a);
        if (shifts_b) start_rows(unit, packed ? unit.a : a.at(unit.bases, unit.batch, 0, k), a_row, {k, k + here});
        for (int64_t j = 0; j < unit.columns && !choice.rows_inside; j += choice.group_columns) groups(j, k);
    }
    for (int64_t j = 0; j < unit.columns && choice.rows_inside; j += choice.group_columns)
        for (int64_t k = 0; k < depth; k += choice.depth) groups(j, k);
    if (!direct) finish(unit, 0, rows, unit.column, unit.columns, to);
}

int32_t* DotJob::starts_at(const Unit& unit, int64_t k) const {
    return reinterpret_cast<int32_t*>(unit.row_sums) + k / choice.depth * rows;
}

// What takes back that B is read as b + 128: -128 times the sum of these elements of each row of A.
void DotJob::start_rows(const Unit& unit, const char* a_first, int64_t a_row, Part k) const {
    for (int64_t i = 0; i < rows; ++i)
        starts_at(unit, k.first)[i] = int32_t(-128u * uint32_t(sum_of_bytes(a_first + i * a_row, k.end - k.first)));
}

// B, packed as rows that are dense in k, is the few rows of dots, and A's rows are its columns.
void DotJob::few_columns(const Unit& unit) const {
    const int64_t size = b.bits / 8, apart = round_up(depth * size, line);
    for (int64_t j = 0; j < columns; ++j)
        for (int64_t k = 0; k < depth; ++k)
            std::memcpy(unit.b + j * apart + k * size, b.at(unit.bases, unit.batch, k, j), size_t(size));
    const int64_t sums_row = direct ? c.bytes(c.row) : c_row_;
    for (int64_t i = unit.row, count; i < unit.row + unit.rows; i += count) {
        count = std::min(choice.block_rows, unit.row + unit.rows - i);
        const int64_t column = choice.block_rows * 4;
        DotsArgs args{unit.b, apart, a.at(unit.bases, unit.batch, i, 0), a.bytes(a.row), unit.part, column, count,
                      depth,  0};
        (*few)(&args);
        char* const to = direct ? c.at(unit.bases, unit.batch, i, 0) : unit.c;
        for (int64_t j = 0; j < columns; ++j)
            for (int64_t r = 0; r < count; ++r)
                std::memcpy(to + r * sums_row + j * 4, unit.part + j * column + r * 4, 4);
        if (!direct) finish(unit, i, count, 0, columns, to);
    }
}

// B's columns, dense in k, are the rows of tiles, and A's rows, packed, the columns.
void DotJob::turned(Unit& unit) const {
    const int64_t at_once = columns_at_once();
    for (int64_t k = 0, end; k < depth; k = end) {
        end = choice.parts().end(k, depth);
        pack(pack_a, unit, 0, rows, k, end - k, unit.a);
        for (int64_t j = 0, wide; j < unit.columns; j += wide) {
            wide = std::min(at_once, unit.columns - j);
            turned_sums(unit, j, wide, {k, end});
            if (end == depth) turn(unit, j, wide);
        }
    }
}

// Sums of a part of k of these columns, a row of all rows' for each.
void DotJob::turned_sums(Unit& unit, int64_t first, int64_t wide, Part k) const {
    const int64_t height = choice.spec.rows, width = 16 * choice.spec.panels, size = bits(choice.spec.b) / 8;
    DotArgs args{};
    args.a_row = b.bytes(b.column), args.a_step = line, args.b_step = 16 * line;
    args.b_panel = packed_panel(k.end - k.first), args.c_row = ceil_div(rows, 16) * line;
    for (int64_t j = first; j < first + wide; j += height)
        for (int64_t at = k.first, here; at < k.end; at += here) {
            here = std::min(choice.chunk ? choice.chunk : k.end - k.first, k.end - at);
            args.steps = in_steps(here), args.accumulate = at > 0;
            if (pairs.kernel) {
                const int64_t columns_here = std::min(height, unit.columns - j);
                to_bf16(unit, unit.column + j, columns_here, {at, at + here}, unit.nibbles, pairs.row_bytes);
                args.a = unit.nibbles, args.a_row = pairs.row_bytes;
            } else {
                args.a = b.at(unit.bases, unit.batch, at, unit.column + j);
            }
            for (int64_t i = 0; i < rows; i += width) {
                const size_t variant = (unit.columns - j < height ? 2 : 0) + (rows - i < width ? 1 : 0);
                configure_for(unit, variant);
                args.b = unit.a + i / 16 * args.b_panel + (at - k.first) * 16 * size;
                args.c = unit.part + (j - first) * args.c_row + i * 4;
                (*kernel[variant])(&args);
            }
        }
}

void DotJob::turn(const Unit& unit, int64_t first, int64_t wide) const {
    char* const to = direct ? c.at(unit.bases, unit.batch, 0, unit.column + first) : unit.c + first * 4;
    const DotPack& back =
        *std::find_if(turns.begin(), turns.end(), [&](const DotPack& pack) { return pack.extent == wide; });
    void* const pointers[] = {unit.part, to};
    back.run->run(pointers, {});
    if (!direct) finish(unit, 0, rows, unit.column + first, wide, to);
}

} // namespace tessera::cpu
