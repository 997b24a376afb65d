// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/few/run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "cpu/products/choose/cut.hpp"

namespace tessera::cpu {

namespace {

// Whether B, which comes from memory, is prefetched: one or two rows of f32, and of bytes in dots, are limited by
// memory alone.
bool gains_by_prefetching(const DotShape& s, bool dots) {
    if (s.rows > 2 || bits(s.b) == 16) return true;
    return !dots && s.b != DataType::f32;
}

} // namespace

// All of B passes by once. Whole rows of it, as far as sums stay in L1.
FewChoice choose_few(const DotShape& s, bool dots, const jit::Target& target, const Context& context) {
    FewChoice c{.dots = dots};
    const bool long_rows = target.vectors < 32 && !dots;
    const int64_t sums = context.l1_bytes / (long_rows ? 2 : 3); // bytes; rows of B and of A pass by in the rest
    // Columns: 1 KiB of f32, long enough for the hardware's prefetches; many rows have more to do with each.
    const int64_t narrow = s.rows > most_rows_of_dots ? 64 : 256;
    c.rows = int(rows_of_group(s.rows, dots));
    // What groups of rows read one after the other. 16 registers: of A 24 KiB of f32 that stay in L1, of B 128 KiB in
    // L2. 32: of B two columns' groups of 4 KiB in L1, for A's rows pass by twice as fast as they are multiplied.
    const bool wide = target.vectors == 32;
    const int64_t depth_of_groups = wide ? 4096 * 8 / bits(s.b) : 1024;
    c.group_columns = wide ? 8 : 32;
    const bool groups = s.rows > c.rows;
    c.depth = groups ? even_part(s.depth, depth_of_groups, wide ? 64 : 16) : s.depth;
    if (dots && s.a_step) c.a = DotSource::packed;
    const bool from_memory = s.columns * s.depth * bits(s.b) / 8 > context.l3_bytes / 2;
    c.prefetches = from_memory && gains_by_prefetching(s, dots);
    // B from memory is read once, column by column, if all of A stays in L2.
    c.rows_inside = dots && groups && from_memory && c.a == DotSource::in_place &&
                    s.rows * s.depth * bits(s.a) / 8 <= context.l2_bytes / 2;
    // axpy reads memory in long rows.
    const int64_t each = long_rows ? 1 : 2;
    const int64_t wanted = s.batches >= 2 * context.threads ? 1 : each * context.threads;
    const int64_t most = dots ? s.columns : std::max(sums / 4 / s.rows / 16 * 16, narrow);
    const int64_t rounds = long_rows ? ceil_div(s.columns, most * wanted) : 1;
    const int64_t parts = std::clamp<int64_t>(wanted * rounds, 1, std::max<int64_t>(s.columns / narrow, 1));
    c.unit_columns = std::min({s.columns, most, round_up(ceil_div(s.columns, parts), 16)});
    c.column_units = ceil_div(s.columns, c.unit_columns);
    // As many for every thread: 11 ranges of two threads are 6 and 5.
    const int64_t even = round_up(c.column_units, context.threads);
    if (wanted > 1 && c.column_units > context.threads && s.columns / even >= narrow) c.column_units = even;
    c.unit_columns = std::min(c.unit_columns, round_up(ceil_div(s.columns, c.column_units), 16));
    return c;
}

// Few columns would use as many lanes of a block of columns; dots uses all lanes, and reads A as it lies.
TallChoice choose_tall(const DotShape& s, DotKind kind, const jit::Target& target, const Context& context) {
    constexpr int64_t rows_at_once = 256;
    TallChoice c;
    // Adding up the lanes of a dot takes as long as 64 of k.
    c.work = s.batches * s.rows * s.columns * (s.depth + 64);
    const bool many = context.threads > 1 && c.work > sharing_of(kind, target, context).least;
    const int64_t units = many ? ceil_div(2 * context.threads, s.batches) : 1;
    c.unit_rows = std::min(s.rows, round_up(ceil_div(s.rows, units), rows_at_once));
    c.block_rows = std::min(s.rows, rows_at_once);
    return c;
}

std::string to_string(const FewChoice& c) {
    return fmt::format("{} of {} rows{}; units of {} columns", c.dots ? "dots" : "axpy", c.rows,
                       c.a == DotSource::packed ? ", A packed" : "", c.unit_columns);
}

std::string to_string(const TallChoice& c, int64_t columns) {
    return fmt::format("dots of {} columns; units of {} rows", columns, c.unit_rows);
}

} // namespace tessera::cpu
