// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/few/run.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/pack/words.hpp"
#include "cpu/products/text.hpp"
#include "cpu/tiles/few/contract.hpp"

namespace tessera::cpu {

void FewRowsJob::prepare(int64_t products_of_byte) {
    units_ = {{v.rows, v.rows, 1}, {v.columns, 16, choice.column_units}, v.batches, 1};
    units = units_.count(), bytes = bytes_of_products(v, 0, products_of_byte);
    const int64_t wide = round_up(choice.unit_columns, 16);
    if (choice.a == DotSource::packed) bytes_a_ = round_up(v.rows * a.row_bytes, cache_line);
    c_row_ = v.direct ? v.c.bytes(v.c.row) : wide * 4 + cache_line;
    if (!v.direct) bytes_c_ = v.rows * c_row_;
    if (groups.length) bytes_zeros_ = round_up(wide, cache_line), bytes_part_ = v.rows * c_row_;
    if (groups.sums_of_a[0]) bytes_rows_ = v.rows * cache_line;
    if (shifts_b)
        bytes_rows_ = round_up(v.rows * ceil_div(v.depth, choice.depth) * int64_t(sizeof(int32_t)), cache_line);
}

void FewRowsJob::run(const Bases& bases, int64_t first, int64_t last) const {
    UnitScratch scratch(bytes_a_ + bytes_c_ + bytes_rows_ + bytes_part_ + bytes_zeros_);
    Unit unit{{bases}, scratch.take(bytes_a_), scratch.take(bytes_c_), nullptr, nullptr};
    unit.row_sums = scratch.take(bytes_rows_);
    unit.part = scratch.take(bytes_part_), unit.zeros = scratch.take(bytes_zeros_);
    for (int64_t u = first; u < last; ++u) {
        units_.set(unit, u);
        v.rows > choice.rows ? groups_of_rows(unit) : all_rows(unit);
        if (!v.direct) finish.run(v, unit, 0, v.rows, unit.column, unit.columns, unit.c, c_row_);
    }
}

void FewRowsJob::all_rows(const Unit& unit) const {
    const int64_t length = groups.length ? groups.length : v.depth;
    char* to = sums_of(unit);
    char* sums = groups.length ? unit.part : to;
    const int64_t a_row = v.a.bytes(v.a.row), a_step = v.a.bytes(v.a.column);
    // Columns of B that are dense in k lie in pages of their own: few at a time go through all groups.
    constexpr int64_t columns_at_once = 64;
    const int64_t at_once = groups.length && choice.dots ? columns_at_once : unit.columns;
    for (int64_t j = 0; j < unit.columns; j += at_once) {
        const int64_t wide = std::min(at_once, unit.columns - j);
        for (int64_t k = 0; k < v.depth; k += length) {
            const int64_t here = std::min(length, v.depth - k);
            const char* a_at = v.a.at(unit.bases, unit.batch, 0, k);
            const char* b_at = v.b.at(unit.bases, unit.batch, k, unit.column + j);
            if (choice.dots) {
                if (shifts_b) start_rows(unit, a_at, a_row, {k, k + here});
                DotsArgs args{a_at, a_row, b_at, v.b.bytes(v.b.column), sums, c_row_, wide, here, 0};
                args.start = starts_at(unit, k);
                (*kernel)(&args);
            } else {
                AxpyArgs args{a_at, a_row, a_step, b_at, v.b.bytes(v.b.row), sums, c_row_, wide, here, 0};
                (*kernel)(&args);
            }
            if (!groups.length) continue;
            if (groups.sums_of_a[0]) groups.sum_a(v, unit, {a_at, a_row, a_step, v.rows}, k);
            groups.add(unit, {0, v.rows, unit.column + j, wide, k}, sums, to + j * 4, c_row_, unit.zeros);
        }
    }
}

// More rows than a kernel of dots has: groups of them read a part of some columns of B after each other.
void FewRowsJob::groups_of_rows(const Unit& unit) const {
    char* const to = sums_of(unit);
    const bool packed = choice.a == DotSource::packed;
    const int64_t a_row = packed ? a.row_bytes : v.a.bytes(v.a.row), height = choice.rows;
    const auto a_at = [&](int64_t k) { return packed ? unit.a : v.a.at(unit.bases, unit.batch, 0, k); };
    const auto each_group = [&](int64_t j, int64_t k) {
        DotsArgs args{};
        args.a = a_at(k), args.a_row = a_row;
        args.b = v.b.at(unit.bases, unit.batch, k, unit.column + j), args.b_column = v.b.bytes(v.b.column);
        args.c = to + j * 4, args.c_row = c_row_;
        args.columns = std::min(choice.group_columns, unit.columns - j), args.k = std::min(choice.depth, v.depth - k);
        args.accumulate = k > 0, args.start = starts_at(unit, k);
        for (int64_t i = 0; i < v.rows; i += height) {
            (v.rows - i < height ? *rest : *kernel)(&args);
            args.a = static_cast<const char*>(args.a) + height * a_row, args.start += height;
            args.c = static_cast<char*>(args.c) + height * c_row_;
        }
    };
    for (int64_t k = 0; k < v.depth; k += choice.depth) {
        const int64_t here = std::min(choice.depth, v.depth - k);
        if (packed) a.packs.run(unit, {.first = 0, .extent = v.rows, .k = k, .depth = here}, unit.a, nullptr);
        if (shifts_b) start_rows(unit, a_at(k), a_row, {k, k + here});
        for (int64_t j = 0; j < unit.columns && !choice.rows_inside; j += choice.group_columns) each_group(j, k);
    }
    for (int64_t j = 0; j < unit.columns && choice.rows_inside; j += choice.group_columns)
        for (int64_t k = 0; k < v.depth; k += choice.depth) each_group(j, k);
}

int32_t* FewRowsJob::starts_at(const Unit& unit, int64_t k) const {
    return reinterpret_cast<int32_t*>(unit.row_sums) + k / choice.depth * v.rows;
}

// What takes back that B is read as b + 128: -128 times the sum of these elements of each row of A.
void FewRowsJob::start_rows(const Unit& unit, const char* a_first, int64_t a_row, KPart k) const {
    for (int64_t i = 0; i < v.rows; ++i)
        starts_at(unit, k.first)[i] = int32_t(-128u * uint32_t(sum_of_bytes(a_first + i * a_row, k.length())));
}

std::string FewRowsJob::text() const {
    return text_of_product({kernel->name(), to_string(choice), units, v.direct ? "" : finish.name}, groups,
                           {{"A", &a.packs}});
}

std::vector<const jit::Kernel*> FewRowsJob::kernels() const { return those_made({kernel, rest, finish.kernel}); }

} // namespace tessera::cpu
