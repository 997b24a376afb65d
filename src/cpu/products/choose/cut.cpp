// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/choose/cut.hpp"

#include <algorithm>
#include <numeric>

#include "core/division.hpp"

namespace tessera::cpu {

namespace {

// Rows of a unit: whole runs, or of a run a part of whole register blocks that divides it.
int64_t fitting_unit(const DotShape& s, int64_t rows, int64_t height) {
    const int64_t run = run_of(s);
    if (s.grain) return std::min(round_up(rows, s.grain), s.rows);
    if (run == s.rows) return rows;
    if (rows >= run) return std::min(round_up(rows, run), s.rows);
    for (int64_t part = round_up(rows, height); part < run; part += height)
        if (run % part == 0) return part;
    return run;
}

// Rows that two threads share are slower for a dst of 32 bits, if many: what one of them reads ahead in its part are
// lines that the other has written. All of B goes to each thread if rows are not shared: for many rows only, if B is in
// the third level, or if each would have to pack it.
bool rows_of_their_own(const DotChoice& c, const DotShape& s, const Sharing& sharing) {
    if (!sharing.wide || s.c_bits != 32) return false;
    const bool packs_b = c.b == DotSource::packed;
    if (packs_b && (c.a == DotSource::packed || !c.spec.b_transient)) return false;
    const bool near_b = bytes_of_b(c, s) <= sharing.l2_bytes / 2;
    const int64_t rows_of_thread = packs_b ? 256 : near_b ? 128 : 512;
    return s.rows >= rows_of_thread * sharing.threads;
}

// Columns in whole blocks are uneven: of 7 blocks two threads have 4 and 3. If threads share rows in their place, each
// packs all of B, which takes as long as `rows_of_pack` rows.
bool columns_are_uneven(const DotChoice& c, const DotShape& s, const Sharing& sharing) {
    const int threads = sharing.threads;
    // Tiles are done before each thread has read all of a B beyond its second level.
    if (is_amx(c.spec.kind) && !c.by_depth && bytes_of_b(c, s) > sharing.l2_bytes * 3 / 4) return false;
    const int64_t rows_of_pack = c.b == DotSource::in_place ? 0 : is_amx(c.spec.kind) ? 16 : 8;
    const int64_t blocks = ceil_div(s.columns, 16 * c.spec.panels);
    const int64_t rows = round_up(ceil_div(s.rows, threads), c.spec.rows);
    // By a twentieth: with narrow blocks the difference is small, and A is packed for each of them.
    const int64_t margin = sharing.wide ? 20 : 21;
    return (rows + rows_of_pack) * blocks * margin < (s.rows + rows_of_pack) * ceil_div(blocks, threads) * 20;
}

// False sharing: ranges of columns end within lines of dst, which two cores write. It costs 50 ns a row, the time to
// pack 800 bytes of B or to read 6 KB of it from the third level, all of which goes to each thread if they share rows.
bool columns_share_lines(const DotChoice& c, const DotShape& s, const Sharing& sharing) {
    constexpr int64_t line = 64, packed_meanwhile = 800, read_meanwhile = 6000;
    const bool whole_lines = s.c_pitch % line == 0 && 16 * c.spec.panels * s.c_bits / 8 % line == 0;
    const int64_t packs = c.b == DotSource::packed ? bytes_of_b(c, s) : 0;
    const bool far_b = c.b == DotSource::in_place && bytes_of_b(c, s) > sharing.l2_bytes / 2;
    const int64_t reads = sharing.wide && far_b ? bytes_of_b(c, s) : 0;
    return s.c_pitch && !whole_lines && packs <= s.rows * packed_meanwhile && reads <= s.rows * read_meanwhile;
}

// Whether threads share rows of dst, not its columns.
bool shares_rows(const DotChoice& c, const DotShape& s, const Sharing& sharing) {
    constexpr int64_t least_rows = 32; // of a thread
    if (s.batches > 1 || c.streams || s.rows < least_rows * sharing.threads) return false;
    return rows_of_their_own(c, s, sharing) || columns_share_lines(c, s, sharing) || columns_are_uneven(c, s, sharing);
}

} // namespace

void pack_a(DotChoice& c, DotShape& s) {
    c.a = DotSource::packed, c.spec.a_dense = true, c.spec.a = s.a_packed, c.spec.a_words = s.a_words;
    c.spec.a_short = 0;
    if (s.run_packed) s.run = s.run_packed;
}

void set_grain(DotShape& s, const DotChoice& c, int64_t height, int64_t most) {
    if (!joins_runs(c, s)) return;
    s.grain = std::min(std::lcm(s.run_of_a, height), s.rows);
    const bool fits = run_of(s) == s.rows || run_of(s) % s.grain == 0;
    if (!fits || s.grain > most) s.grain = 0, s.run = std::gcd(s.run_of_a, run_of(s));
}

int64_t bytes_of_b(const DotChoice& c, const DotShape& s) { return s.columns * s.depth * bits(c.spec.b) / 8; }

void cut(DotChoice& c, const DotShape& s, int64_t strips, const Sharing& sharing) {
    const int threads = sharing.threads;
    // Packing what a unit reads of B takes as long as 8 rows of products, 20 to 30 where weights have 4 bits: a small
    // part of the rows of a unit. A thread that would have no unit takes one of fewer rows. Tiles multiply 8 times as
    // fast.
    const bool tiles = is_amx(c.spec.kind);
    // Products of a unit at least: 1 us of f32, as a unit costs some 20 ns to hand out. Tiles compute more in that
    // time.
    const int64_t tiny = tiles ? 1 << 19 : 1 << 16;
    const int64_t rows_of_pack = tiles ? 512 : 128, rows_of_idle = tiles ? 64 : 32;
    const int64_t width = 16 * c.spec.panels, height = c.spec.rows;
    // What begins and ends a block takes as long as 24 of k; not in a batch, nor with vectors of 32 bytes.
    const int64_t depth_of_ends = s.batches == 1 && sharing.wide ? 24 : 0;
    // Packing B takes as long as 8 rows, and panels are whole.
    const int64_t rows_beside = sharing.wide && c.b == DotSource::packed ? 8 : 0;
    const int64_t columns = sharing.wide ? round_up(s.columns, 16) : s.columns;
    c.work =
        s.batches * (std::max(s.rows, sharing.rows_of_reading) + rows_beside) * columns * (s.depth + depth_of_ends);
    const int64_t wanted = c.work > sharing.least ? threads : 1;
    int64_t column_units = strips, row_units = 1;
    // Each range of columns reads all of A, and packs it again: much of that is better cut by rows.
    const bool tall = s.rows >= 8 * s.columns && s.rows >= 2 * threads * rows_of_pack;
    const bool repacks =
        c.a == DotSource::packed && (c.b == DotSource::in_place || s.a_step) && s.rows >= rows_of_idle * threads;
    // Unless rows are too few for that, and one more range of columns is enough.
    const int64_t even = round_up(strips, threads);
    const bool few_rows = s.rows < 2 * rows_of_pack && even < 2 * strips;
    const bool by_rows = wanted > 1 && shares_rows(c, s, sharing);
    // So many ranges become hardly narrower; one more for one of two threads is 5 % of 29.
    const bool many = strips >= 8 * threads;
    if (s.batches * strips % threads && (!repacks || few_rows) && (many || s.batches * strips < 8 * threads) &&
        wanted > 1 && !tall && !by_rows)
        column_units = even;
    c.column_units = column_units = std::min(column_units, ceil_div(s.columns, width));
    c.unit_columns = std::min(s.columns, round_up(ceil_div(s.columns, column_units), width));
    const bool packed = c.b == DotSource::packed;
    const int64_t blocks = s.batches * c.column_units;
    // As many for every thread, or four.
    if (wanted > 1 && blocks % threads) {
        const int64_t equal = std::min(threads / std::gcd(threads, blocks), ceil_div(4 * threads, blocks));
        row_units = std::min(equal, std::max(s.rows / (packed ? rows_of_pack : height), int64_t(1)));
    }
    if (by_rows) row_units = std::max<int64_t>(row_units, threads);
    if (packed && wanted > 1 && blocks * row_units < threads)
        row_units = std::max(row_units, std::min(ceil_div(threads, blocks), s.rows / rows_of_idle));
    c.unit_rows = fitting_unit(s, std::min(s.rows, round_up(ceil_div(s.rows, row_units), height)), height);
    c.row_grain = s.grain ? s.grain : run_of(s) == s.rows ? height : c.unit_rows;
    const int64_t unit_work = c.unit_rows * c.unit_columns * s.depth;
    c.unit_batches = 1;
    if (c.unit_rows == s.rows && c.unit_columns == s.columns && unit_work < tiny) {
        c.unit_batches = std::min(s.batches, ceil_div(tiny, unit_work));
        if (wanted > 1) c.unit_batches = std::min(c.unit_batches, ceil_div(s.batches, wanted));
    }
}

void pack_by_depth(DotChoice& c, const DotShape& s, int64_t strips, const Machine& machine) {
    const int64_t multiple = 64 % c.step ? c.step : 64; // whole steps
    DotChoice alone = c;
    cut(alone, s, strips, {1, 0});
    const int64_t bytes = round_up(alone.unit_columns, 16 * c.spec.panels) * bits(c.spec.b) / 8; // of one of k
    if (c.b != DotSource::packed || !s.b_cuts || alone.unit_rows > c.block_rows) return;
    if (alone.unit_rows * alone.unit_columns * 4 > machine.l2_bytes / 4) return; // sums
    if (bytes * s.depth <= machine.l2_bytes / 2) return;
    const int64_t most = std::max(machine.l2_bytes / 4 / bytes / multiple * multiple, multiple);
    const KParts parts = fitting_parts(s, std::min(c.depth, most), c.step);
    c.by_depth = parts.length < s.depth; // not where no part of several loops is whole steps
    if (c.by_depth) c.set(parts);
}

} // namespace tessera::cpu
