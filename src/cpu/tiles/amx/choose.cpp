// SPDX-License-Identifier: Apache-2.0
// Blocks of tiles. The measurements that constants stand on are in measured.tsv, by their names.
#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/choose/cut.hpp"

namespace tessera::cpu {

// AMX. Where k is short, rows of A stay in L1 while B passes by, which lies as it is read (0.85 of the peak for 0.79);
// else B of two panels stays there while A passes by, chunk by chunk of k for one block of columns, or, of k too long
// for A to stay in L2, part by part for all of them.
DotChoice choose_tiles(DotShape s, DotChoice c, const jit::Target& target, const Machine& machine) {
    const int64_t size = bits(c.spec.a) / 8, step = c.step, bytes = s.depth * size; // of a row
    // Bytes that stay in L2 while B, or k, passes by: of A 768 KiB of 2 MiB, of sums 1 MiB.
    const int64_t a_block = machine.l2_bytes / 8 * 3, c_block = machine.l2_bytes / 2;
    const int64_t chunk = chunk_in_l1(machine);
    const int64_t a_in_l1 = machine.l1_bytes * 5 / 12;        // rows of A that stay there instead: 20 KiB
    constexpr int64_t enough_rows = 128;                      // that read what passes by of B
    constexpr int64_t least_part = 2048, part_of_many = 4096; // bytes of a row
    // Columns packed in parts of k that stay in L1: few, so that k is long and sums are loaded and stored less often,
    // but whole lines of B (of bf16 two).
    const int64_t columns_in_l1 = size == 1 ? 64 : 128;
    // Rows of A half a way of L1 apart, or a multiple, share its sets: they are packed where enough columns read the
    // pack. A quarter is too near as well where addresses are no multiples of 64: a step takes two lines of each row,
    // one of which the next step needs again.
    const int64_t columns_of_pack = s.a_pitch % (aliasing(machine) / 2) == 0 ? 256 : 1024; // that read it
    const bool shares_sets = s.a_pitch % (aliasing(machine) / 4) == 0;
    if (s.a_fits && shares_sets && s.rows > enough_rows && s.columns >= columns_of_pack) pack_a(c, s);
    constexpr int64_t most_joined = 512;
    if (run_of(s) > 16) set_grain(s, c, 32, most_joined);
    const bool few = run_of(s) <= 16;
    c.spec.rows = few ? 16 : 32, c.spec.panels = int(std::min<int64_t>(few ? 4 : 2, ceil_div(s.columns, 16)));
    c.spec.tail = false; // by the configuration
    c.run = run_of(s);
    // Columns packed at once. For few rows and a B in the second level, a pack that leaves it room; of B farther off,
    // long runs.
    const bool near_b = s.rows <= enough_rows && s.columns * bytes <= machine.l2_bytes * 3 / 4;
    // Or one that leaves room for A in place and for sums, if A is little to read again. A that is packed would be
    // packed for each strip.
    const bool little_a = c.a == DotSource::in_place && s.rows > enough_rows && s.rows * bytes <= machine.l2_bytes / 8;
    const int64_t strip = near_b ? 128 : little_a ? 256 : 1024;
    const bool b_stays = s.columns * bytes <= machine.l2_bytes / 2 || s.rows * bytes <= a_in_l1;
    // Bytes of k up to which 32 rows of A stay in L1: half of it, or two thirds where B is a quarter of L2 or less.
    const bool little_b = s.columns * bytes <= machine.l2_bytes / 4;
    const int64_t in_l1 = little_b ? chunk : machine.l1_bytes / 2 / 32;
    c.spec.a_passes = (bytes > in_l1 || !b_stays) && !few;
    // KC is K if enough rows of A fit into L2, or if so few rows read B that nothing is reused. Else parts of it, of
    // all rows where that is possible: then B is packed part by part.
    const int64_t rows_of_all = a_block / (round_up(bytes, 64) * 32) * 32;
    const bool at_once = few || rows_of_all >= std::min(run_of(s), enough_rows);
    const int64_t part_of_all = a_block / round_up(run_of(s), 32) / 64 * 64;
    const int64_t part = part_of_all < least_part ? part_of_many : std::min(part_of_all, part_of_many);
    c.depth = at_once ? s.depth : std::min(s.depth, part / size);
    c.set(fitting_parts(s, even_part(s.depth, c.depth, step), step));
    if (c.spec.a_passes && c.depth * size > chunk) {
        const KParts chunks = fitting_parts(s, even_part(c.depth, chunk / size, step), step);
        c.chunk = chunks.length, c.chunk_loop = chunks.loop;
    }
    // Of very short k several blocks of rows of A stay in L1, and B is read once for all of them. A from beyond the
    // second level is better read in its order.
    const int64_t block_bytes = round_up(c.depth * size, 64) * 32;
    const bool far_a = s.batches * s.rows * bytes > machine.l2_bytes;
    const bool several = !c.spec.a_passes && a_in_l1 >= 2 * block_bytes && !far_a;
    c.rows_inside = c.spec.a_passes || several;
    c.block_rows = std::min(s.rows, std::max<int64_t>((several ? a_in_l1 : a_block) / block_bytes, 1) * 32);
    if (s.grain) c.block_rows = std::min(s.rows, std::max(c.block_rows, s.grain));
    c.block_rows = fitting_block(s, c.block_rows);
    int64_t strips = c.b == DotSource::packed ? std::max<int64_t>(1, (s.columns + strip / 2) / strip) : 1;
    // Sums stay while all of k passes by.
    if (c.depth < s.depth && !few) strips = std::max(strips, ceil_div(s.columns * c.block_rows * 4, c_block));
    // Few rows read a pack once: it stays in L1 where B is in the second level, as for vectors.
    const int64_t part_in_l1 = machine.l1_bytes * 2 / 3 / (columns_in_l1 * size) / step * step;
    if (few && c.b == DotSource::packed && s.b_cuts && s.cuts.empty() && s.columns * bytes <= machine.l2_bytes * 2 &&
        part_in_l1 < s.depth)
        strips = ceil_div(s.columns, columns_in_l1), c.by_depth = true, c.depth = std::max(part_in_l1, step);
    else
        pack_by_depth(c, s, strips, machine);
    const bool lines = 32 * s.c_bits >= 1024;
    c.streams = c.spec.panels == 2 && s.c_lines && s.c_bytes >= machine.l2_bytes / 2 &&
                s.bytes > 2 * machine.l2_bytes && (lines || s.depth >= 2048);
    // B is loaded without evicting A from L1 (tileloaddt1) where it is more than L1 holds. Not from memory, beside a
    // dst stored past the caches, nor where several blocks of rows read it from L1.
    const bool passes = ceil_div(s.columns, strips) * c.depth * size > machine.l1_bytes;
    c.spec.b_passes = !c.spec.a_passes && !several && !c.streams && passes && s.columns * bytes <= machine.l2_bytes;
    cut(c, s, strips, sharing_of(c.spec.kind, target, machine));
    if (c.chunk >= c.depth || c.unit_batches > 1) c.chunk = 0;
    // B that is read once, from beyond the second level, is prefetched a block of columns ahead.
    const int64_t near = machine.l2_bytes / (c.b == DotSource::packed ? 1 : 4);
    if (c.spec.a_passes && !c.by_depth && c.unit_columns * bytes >= near) c.spec.ahead = 4;
    // A that is read once while B stays, its rows without gaps: the next block of rows is prefetched while a few blocks
    // of columns read this one.
    const int64_t blocks = ceil_div(c.unit_columns, 16 * c.spec.panels);
    if (!c.rows_inside && !few && c.a == DotSource::in_place && s.a_pitch == bytes && blocks <= 8 && far_a)
        c.spec.ahead = int(std::max<int64_t>(16 * bytes / (ceil_div(s.depth, step) * 64 * blocks), 1));
    return c;
}

} // namespace tessera::cpu
