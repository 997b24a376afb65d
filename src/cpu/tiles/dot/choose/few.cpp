// SPDX-License-Identifier: Apache-2.0
// The ways of few rows and of few columns: dots and axpy.
#include <algorithm>

#include "core/division.hpp"
#include "cpu/tiles/dot/choose/cut.hpp"

namespace tessera::cpu {

namespace {

// Whether prefetching B, which comes from memory, is faster than waiting for it. Two threads of Zen 5, K = 4096, 4096
// and 11008 columns. axpy: bf16 1 and 2 rows 1.05 to 1.4, 3 and 4 rows 1.4 to 2, bytes 1.6 to 1.8, f32 4 rows 1.1
// to 1.4, 1 and 2 rows 0.84 to 0.95. dots: bf16 1 and 2 rows 1.0 to 1.18, 4 rows 1.35 to 1.39, f32 4 rows 1.09 to 1.16,
// bytes 1.01 to 1.17, 1 and 2 rows 0.9 to 1.05. B from the third level 0.74 to 1.0. Vectors of 32 bytes, Zen 5 capped:
// axpy of bytes 1.48 to 1.65, dots of 4 rows 1.31 to 1.33.
bool gains_by_prefetching(const DotChoice& c, const DotShape& s) {
    if (s.rows > 2 || bits(s.b) == 16) return true;
    return c.way == DotWay::axpy && s.b != DataType::f32;
}

} // namespace

// Few rows: all of B passes by once. Whole rows of it, as far as sums stay in L1.
DotChoice choose_few(const DotShape& s, DotChoice c, const jit::Target& target, const Machine& machine) {
    const bool long_rows = target.vectors < 32 && !s.b_columns;
    const int64_t sums = machine.l1_bytes / (long_rows ? 2 : 3); // bytes; rows of B and of A pass by in the rest
    // Columns: 1 KiB of f32, long enough for the hardware's prefetches; many rows have more to do with each.
    const int64_t narrow = s.rows > most_rows_of_dots ? 64 : 256;
    c.way = s.b_columns ? DotWay::dots : DotWay::axpy;
    c.spec.rows = int(rows_of_group(s.rows, s.b_columns)), c.spec.panels = 1;
    // What groups of rows read in turns. 16 registers: of A 24 KiB of f32 that stay in L1, of B 128 KiB in L2. 32: of B
    // two columns' groups of 4 KiB in L1, for A's rows pass by twice as fast as they are multiplied.
    const bool wide = target.vectors == 32;
    const int64_t depth_of_groups = wide ? 4096 * 8 / bits(s.b) : 1024;
    c.group_columns = wide ? 8 : 32;
    const bool groups = s.rows > c.spec.rows;
    c.depth = groups ? even_part(s.depth, depth_of_groups, wide ? 64 : 16) : s.depth;
    c.block_rows = c.unit_rows = s.rows;
    if (c.way == DotWay::dots && s.a_step) c.a = DotSource::packed, c.spec.a_dense = true;
    const bool from_memory = comes_from_memory(c, s, machine);
    c.spec.b_ahead = from_memory && gains_by_prefetching(c, s) ? 1 : 0;
    // B from memory goes by column by column, if all of A stays in L2: 16x4096x4096 of f32 1.14 to 1.2, 16x11008x4096
    // 1.1, 8x4096x11008 1.16 to 1.19; from the third level 0.93 to 0.98. Vectors of 32 bytes 1.13 to 1.3.
    c.rows_inside = c.way == DotWay::dots && groups && from_memory && c.a == DotSource::in_place &&
                    s.rows * s.depth * bits(s.a) / 8 <= machine.l2_bytes / 2;
    // With axpy memory likes long rows: two threads of Zen 1, f32 1x4096x4096, 4 units 3.7 ms, 2 units 2.9.
    const int64_t each = long_rows ? 1 : 2;
    const int64_t wanted = s.batches >= 2 * machine.threads ? 1 : each * machine.threads;
    const int64_t most = c.way == DotWay::dots ? s.columns : std::max(sums / 4 / s.rows / 16 * 16, narrow);
    const int64_t rounds = long_rows ? ceil_div(s.columns, most * wanted) : 1;
    const int64_t parts = std::clamp<int64_t>(wanted * rounds, 1, std::max<int64_t>(s.columns / narrow, 1));
    c.unit_columns = std::min({s.columns, most, round_up(ceil_div(s.columns, parts), 16)});
    c.column_units = ceil_div(s.columns, c.unit_columns);
    // As many for every thread: 11 of two threads are 6 and 5 (bf16 4x4096x11008 1.03 to 1.06).
    const int64_t even = round_up(c.column_units, machine.threads);
    if (wanted > 1 && c.column_units > machine.threads && s.columns / even >= narrow) c.column_units = even;
    c.unit_columns = std::min(c.unit_columns, round_up(ceil_div(s.columns, c.column_units), 16));
    return c;
}

// Few columns would use as many lanes of a block of columns; dots uses all, and reads A as it lies. Sapphire Rapids,
// f32 100000x3x64: 2.38 -> 1.16 ms.
DotChoice choose_tall(const DotShape& s, DotChoice c, const jit::Target& target, const Machine& machine) {
    // Adding up the lanes of a dot takes as long as 64 of k.
    c.work = s.batches * s.rows * s.columns * (s.depth + 64);
    const bool many = machine.threads > 1 && c.work > sharing_of(c, target, machine).least;
    const int64_t units = many ? ceil_div(2 * machine.threads, s.batches) : 1;
    c.way = DotWay::tall;
    c.spec.rows = int(s.columns), c.spec.panels = 1;
    c.depth = s.depth, c.unit_columns = s.columns;
    c.unit_rows = std::min(s.rows, round_up(ceil_div(s.rows, units), rows_of_tall));
    c.block_rows = std::min(s.rows, rows_of_tall);
    return c;
}

} // namespace tessera::cpu
