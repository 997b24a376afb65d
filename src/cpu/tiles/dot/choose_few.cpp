// The ways of few rows and of few columns: dots and axpy.
#include <algorithm>

#include "core/division.hpp"
#include "cpu/tiles/dot/cut.hpp"

namespace tessera::cpu {

// Few rows: all of B passes by once. Whole rows of it, as far as sums stay in L1.
DotChoice choose_few(const DotShape& s, DotChoice c, const jit::Target& target, const Machine& machine) {
    const bool long_rows = target.vectors < 32 && !s.b_columns;
    const int64_t sums = machine.l1_bytes / (long_rows ? 2 : 3); // bytes; rows of B and of A pass by in the rest
    constexpr int64_t narrow = 256; // columns: 1 KiB of f32, long enough for the hardware's prefetches
    c.way = s.b_columns ? DotWay::dots : DotWay::axpy;
    // Rows of B from memory, of which a pass takes some: two threads of Zen 5, K = 4096, 4096 and 11008 columns: bf16 1
    // and 2 rows 1.05 to 1.4, 3 and 4 rows 1.4 to 2, bytes 1.6 to 1.8, f32 4 rows 1.1 to 1.4; 1 and 2 rows 0.84 to
    // 0.95, from the third level 0.74 to 1.0.
    const bool few_passes = s.rows <= 2 && s.b == DataType::f32; // each of them waits for memory as it is
    if (c.way == DotWay::axpy && target.vectors == 32 && !few_passes && bytes_of_b(c, s) > machine.l3_bytes / 2)
        c.spec.b_ahead = 1;
    c.spec.rows = int(rows_of_group(s.rows)), c.spec.panels = 1;
    c.depth = s.rows > c.spec.rows ? even_part(s.depth, depth_of_groups, 16) : s.depth;
    c.block_rows = c.unit_rows = s.rows;
    if (c.way == DotWay::dots && s.a_step) c.a = DotSource::packed, c.spec.a_dense = true;
    // With axpy memory likes long rows: two threads of Zen 1, f32 1x4096x4096, 4 units 3.7 ms, 2 units 2.9.
    const int64_t each = long_rows ? 1 : 2;
    const int64_t wanted = s.batches >= 2 * machine.threads ? 1 : each * machine.threads;
    const int64_t most = c.way == DotWay::dots ? s.columns : std::max(sums / 4 / s.rows / 16 * 16, narrow);
    const int64_t rounds = long_rows ? ceil_div(s.columns, most * wanted) : 1;
    const int64_t parts = std::clamp<int64_t>(wanted * rounds, 1, std::max<int64_t>(s.columns / narrow, 1));
    c.unit_columns = std::min({s.columns, most, round_up(ceil_div(s.columns, parts), 16)});
    c.column_units = ceil_div(s.columns, c.unit_columns);
    return c;
}

// Few columns would use as many lanes of a block of columns; dots uses all, and reads A as it lies. Sapphire Rapids,
// f32 100000x3x64: 2.38 -> 1.16 ms.
DotChoice choose_tall(const DotShape& s, DotChoice c, const jit::Target& target, const Machine& machine) {
    const int64_t work = s.batches * s.rows * s.columns * s.depth;
    const bool many = machine.threads > 1 && work > sharing_of(target, machine).least;
    const int64_t units = many ? ceil_div(2 * machine.threads, s.batches) : 1;
    c.way = DotWay::tall;
    c.spec.rows = int(s.columns), c.spec.panels = 1;
    c.depth = s.depth, c.unit_columns = s.columns;
    c.unit_rows = std::min(s.rows, round_up(ceil_div(s.rows, units), rows_of_tall));
    c.block_rows = std::min(s.rows, rows_of_tall);
    return c;
}

} // namespace tessera::cpu
