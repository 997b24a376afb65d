// SPDX-License-Identifier: Apache-2.0
// The ways of AMX: tiles as they are, and tiles whose rows are columns of B.
#include <algorithm>

#include "core/division.hpp"
#include "cpu/tiles/dot/choose/cut.hpp"

namespace tessera::cpu {

namespace {

// Bytes of a row's k of which two panels of B fill two thirds of L1, beside A that passes by: 1 KiB.
int64_t chunk_in_l1(const Machine& machine) { return machine.l1_bytes * 2 / 3 / 32 / 64 * 64; }

} // namespace

// Few rows read B but once: packing it would take longer than everything else. Units of columns, each packs A.
DotChoice choose_turned(const DotShape& s, DotChoice c, const Machine& machine) {
    constexpr int64_t height = 32;
    const int64_t bytes = round_up(s.rows, 16), quarter = machine.l2_bytes / 4, step = c.step;
    const int64_t most = std::max(quarter / 4 / bytes / height, int64_t(2)) * height; // columns, whose sums stay in L2
    c.way = DotWay::turned;
    c.spec = {c.spec.kind, int(height), int(std::min<int64_t>(ceil_div(s.rows, 16), 2)), s.b, s.a};
    c.spec.a_passes = true;
    // A part of A stays in L2, a chunk of B's columns in L1 where more than a block reads it.
    const int64_t size = bits(s.a) / 8, part = std::max(quarter / bytes / size / step * step, step);
    c.set(s.a_cuts ? fitting_parts(s, even_part(s.depth, part, step), step) : KParts{s.depth});
    const int64_t chunk = chunk_in_l1(machine) / size;
    if (s.b_computed || (s.rows > 32 && c.depth > chunk)) c.chunk = even_part(c.depth, chunk, step);
    c.unit_rows = c.block_rows = s.rows;
    const int64_t units = machine.threads > 1 ? ceil_div(2 * machine.threads, s.batches) : 1;
    c.unit_columns = std::min({s.columns, most, round_up(ceil_div(s.columns, units), height)});
    c.column_units = ceil_div(s.columns, c.unit_columns);
    return c;
}

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
    // Packed in parts of k that stay there: k is long, so that sums are taken up and put back less often, but runs are
    // whole lines (bf16, two).
    const int64_t columns_in_l1 = size == 1 ? 64 : 128;
    // 2 KiB apart: 2048^3 of u8 0.37 -> 0.5 of the peak when packed. Few columns, or rows, read the pack too seldom:
    // 192x1024x64 of bf16 26 -> 16 us in place.
    // 1 KiB apart is too near where addresses are no multiples of 64: then a step takes two lines of each row, one of
    // which the next step needs again (gemm_u8s8s32 1024^3 2.1 -> 1.25 ms; aligned 0.81 -> 0.75).
    const int64_t columns_of_pack = s.a_pitch % (aliasing(machine) / 2) == 0 ? 256 : 1024; // that read it
    const bool shares_sets = s.a_pitch % (aliasing(machine) / 4) == 0;
    if (s.a_fits && shares_sets && s.rows > enough_rows && s.columns >= columns_of_pack) pack_a(c, s);
    constexpr int64_t most_joined = 512;
    if (run_of(s) > 16) set_grain(s, c, 32, most_joined);
    const bool few = run_of(s) <= 16;
    c.spec.rows = few ? 16 : 32, c.spec.panels = int(std::min<int64_t>(few ? 4 : 2, ceil_div(s.columns, 16)));
    c.spec.tail = false; // by the configuration
    c.run = run_of(s);
    // Columns packed at once. For few rows, of B in the second level, a pack that leaves it room: one thread, s8
    // 128x1024x1024 154 -> 111 us. Of B farther off runs are long: 128x4096x4096 2.8 ms, 3.2 by 128 columns.
    const bool near_b = s.rows <= enough_rows && s.columns * bytes <= machine.l2_bytes * 3 / 4;
    // Or one that leaves A in place and sums their room, if A is little to read again: u8 x s8 512^3, one thread, 1.06.
    // A that is packed would be so for each strip (0.7).
    const bool little_a = c.a == DotSource::in_place && s.rows > enough_rows && s.rows * bytes <= machine.l2_bytes / 8;
    const int64_t strip = near_b ? 128 : little_a ? 256 : 1024;
    const bool b_stays = s.columns * bytes <= machine.l2_bytes / 2 || s.rows * bytes <= a_in_l1;
    // Bytes of k up to which 32 rows of A stay in L1: half of it, 768; where B is a quarter of L2 or less, two thirds,
    // 1 KiB: bf16 512^3 1.1 to 1.2, packed weights; of more (u8 x s8 1024^3) 0.93 to 1.0.
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
    // Of very short k several blocks of rows stay, and B passes by once for all of them. A from beyond the second level
    // is better read in its order: 192 products of bf16, 128x128x64 1.1 to 1.27, 128x64x128 1.02 to 1.1.
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
    // Few rows read what is packed once: as of vectors, it stays in L1 where B is in the second level. One thread, K =
    // N = 1024, before and now: 16 rows of s8 83 -> 60 us, 8 rows 77 -> 52, 16 rows of bf16 146 -> 118.
    const int64_t part_in_l1 = machine.l1_bytes * 2 / 3 / (columns_in_l1 * size) / step * step;
    if (few && c.b == DotSource::packed && s.b_cuts && s.cuts.empty() && s.columns * bytes <= machine.l2_bytes * 2 &&
        part_in_l1 < s.depth)
        strips = ceil_div(s.columns, columns_in_l1), c.by_depth = true, c.depth = std::max(part_in_l1, step);
    else
        pack_by_depth(c, s, strips, machine);
    const bool lines = 32 * s.c_bits >= 1024;
    c.streams = c.spec.panels == 2 && s.c_lines && s.c_bytes >= machine.l2_bytes / 2 &&
                s.bytes > 2 * machine.l2_bytes && (lines || s.depth >= 2048);
    // B that passes by, more than the first level holds, leaves A there. Two threads: u8 x s8 512^3 1.07 to 1.1, packed
    // weights of 16x1024x1024 1.05. Not from memory (16x4096x4096 0.98), beside a dst past the caches (512x64x4096
    // 0.95), nor where several blocks of rows read it from L1 (16 products of bf16 512x64x512 0.92 to 0.96).
    const bool passes = ceil_div(s.columns, strips) * c.depth * size > machine.l1_bytes;
    c.spec.b_passes = !c.spec.a_passes && !several && !c.streams && passes && s.columns * bytes <= machine.l2_bytes;
    cut(c, s, strips, sharing_of(c, target, machine));
    if (c.chunk >= c.depth || c.unit_batches > 1) c.chunk = 0;
    // B that passes by, beyond the second level: prefetched a block of columns ahead.
    const int64_t near = machine.l2_bytes / (c.b == DotSource::packed ? 1 : 4);
    if (c.spec.a_passes && !c.by_depth && c.unit_columns * bytes >= near) c.spec.ahead = 4;
    // A that passes by where B stays, its rows without gaps: the next block of rows, while a few blocks of columns read
    // this one. One thread: bf16 16384x256x64 549 -> 480 us, s8 512x512x64 24 -> 19 us each.
    const int64_t blocks = ceil_div(c.unit_columns, 16 * c.spec.panels);
    if (!c.rows_inside && !few && c.a == DotSource::in_place && s.a_pitch == bytes && blocks <= 8 && far_a)
        c.spec.ahead = int(std::max<int64_t>(16 * bytes / (ceil_div(s.depth, step) * 64 * blocks), 1));
    return c;
}

} // namespace tessera::cpu
