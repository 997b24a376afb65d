// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/amx/turned.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "cpu/products/text.hpp"

namespace tessera::cpu {

void TurnedJob::prepare(int64_t products_of_byte) {
    units_ = {{v.rows, v.rows, 1}, {v.columns, choice.spec.rows, choice.column_units}, v.batches, 1};
    units = units_.count(), bytes = bytes_of_products(v, 0, products_of_byte);
    bytes_a_ = ceil_div(v.rows, 16) * panel_bytes(choice.parts.length);
    const int64_t at_once = round_up(std::min(choice.unit_columns, columns_at_once()), int64_t(choice.spec.rows));
    bytes_part_ = at_once * round_up(v.rows, 16) * 4;
    if (!v.direct) bytes_c_ = v.rows * row_of_sums() * 4;
    bytes_rows_ = std::max(pairs.k_dense() ? DotPairs::columns * pairs.row_bytes : 0, pack_a.nibble_bytes());
    if (pairs.kernel) bytes_zeros_ = round_up(choice.unit_columns, cache_line);
}

int64_t TurnedJob::columns_at_once() const {
    constexpr int64_t sums = 8192;
    const int64_t height = choice.spec.rows, blocks = sums / (round_up(v.rows, 16) * height);
    return v.depth > choice.parts.length ? choice.unit_columns : std::max<int64_t>(blocks, 1) * height;
}

void TurnedJob::run(const Bases& bases, int64_t first, int64_t last) const {
    UnitScratch scratch(bytes_a_ + bytes_c_ + bytes_part_ + bytes_rows_ + bytes_zeros_);
    Unit unit{{bases},
              scratch.take(bytes_a_),
              scratch.take(bytes_c_),
              scratch.take(bytes_part_),
              scratch.take(bytes_rows_),
              scratch.take(bytes_zeros_)};
    for (int64_t u = first; u < last; ++u) {
        units_.set(unit, u);
        product(unit);
    }
    tiles.leave(unit.configured);
}

void TurnedJob::product(Unit& unit) const {
    const int64_t at_once = columns_at_once();
    for (int64_t k = 0, end; k < v.depth; k = end) {
        end = choice.parts.end(k, v.depth);
        pack_a.run(unit, {.first = 0, .extent = v.rows, .k = k, .depth = end - k}, unit.a, unit.rows);
        for (int64_t j = 0, wide; j < unit.columns; j += wide) {
            wide = std::min(at_once, unit.columns - j);
            sums(unit, j, wide, {k, end});
            if (end == v.depth) transpose(unit, j, wide);
        }
    }
}

// Sums of a part of k of these columns, a row of all rows' for each.
void TurnedJob::sums(Unit& unit, int64_t first, int64_t wide, KPart k) const {
    const int64_t height = choice.spec.rows, width = 16 * choice.spec.panels, size = bits(choice.spec.b) / 8,
                  step = step_of(choice.spec.kind);
    DotArgs args{};
    args.a_row = v.b.bytes(v.b.column), args.a_step = cache_line, args.b_step = 16 * cache_line;
    args.b_panel = panel_bytes(k.length()), args.c_row = ceil_div(v.rows, 16) * cache_line;
    for (int64_t j = first; j < first + wide; j += height)
        for (int64_t at = k.first, here; at < k.end; at += here) {
            here = std::min(choice.chunk ? choice.chunk : k.length(), k.end - at);
            args.steps = ceil_div(here, step), args.accumulate = at > 0;
            if (pairs.kernel) {
                const int64_t columns_here = std::min(height, unit.columns - j);
                pairs.to_bf16(unit, unit.column + j, columns_here, {at, at + here}, unit.rows, pairs.row_bytes,
                              unit.zeros);
                args.a = unit.rows, args.a_row = pairs.row_bytes;
            } else {
                args.a = v.b.at(unit.bases, unit.batch, at, unit.column + j);
            }
            for (int64_t i = 0; i < v.rows; i += width) {
                const size_t variant = (unit.columns - j < height ? 2 : 0) + (v.rows - i < width ? 1 : 0);
                args.b = unit.a + i / 16 * args.b_panel + (at - k.first) * 16 * size;
                args.c = unit.part + (j - first) * args.c_row + i * 4;
                tiles.run(unit.configured, variant, args);
            }
        }
}

void TurnedJob::transpose(const Unit& unit, int64_t first, int64_t wide) const {
    char* const to = v.direct ? v.c.at(unit.bases, unit.batch, 0, unit.column + first) : unit.c + first * 4;
    const DotPack& back =
        *std::ranges::find_if(transposes.all, [&](const DotPack& pack) { return pack.extent == wide; });
    void* const pointers[] = {unit.part, to};
    back.run->run(pointers, {});
    if (!v.direct) finish.run(v, unit, 0, v.rows, unit.column + first, wide, to, row_of_sums() * 4);
}

std::string to_string(const TurnedChoice& c) {
    return fmt::format("rows of tiles are columns, k {}{}, sums transposed; units of {} columns", c.parts.length,
                       c.chunk ? fmt::format(" by {}", c.chunk) : "", c.unit_columns);
}

std::string TurnedJob::text() const {
    return text_of_product({key(choice.spec), to_string(choice), units, v.direct ? "" : finish.name}, {},
                           {{"A", &pack_a}});
}

std::vector<const jit::Kernel*> TurnedJob::kernels() const {
    const auto& k = tiles.kernel;
    return those_made({k[0], k[1], k[2], k[3], finish.kernel});
}

} // namespace tessera::cpu
