// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/dot/choose/choose.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/division.hpp"
#include "cpu/tiles/dot/choose/cut.hpp"

namespace tessera::cpu {

namespace {

// Where A and B are read: where they lie, or packed.
void choose_sources(DotChoice& c, DotShape& s, const jit::Target& target, const Machine& machine) {
    // So few rows read B in place even where its rows are far apart. f32 on Zen 5, packed over in place, rows of B
    // 3 to 16 KiB apart: 40 rows 1.42 to 1.65, 64 rows 1.05 to 1.32, 72 rows 0.92 to 1.23, 192 rows 0.79 to 1.1.
    // With 16 registers blocks are narrow, and every row of B in a page of its own: from the third level 16x1024x1024
    // packed 1.2, 12 rows 1.1, 8 rows 0.8 to 1.1, 5 rows 0.85 (Zen 3, two threads); from the second 16x512x512 0.93,
    // from memory 16x4096x11008 0.75.
    // Where rows of B are followed: 128x1000x3000 1.09, 192x1000x333 1.17,
    // 100x3000x1100 1.13, 256x1000x1000 1.0 to 1.03, two blocks of rows 0.86 to 1.02.
    const bool b_of_l3 = s.b_pitch * s.depth > 2 * machine.l2_bytes && s.b_pitch * s.depth < machine.l3_bytes / 2;
    const int64_t rows_in_place = target.vectors == 32 ? (follows_rows(s.b_pitch, machine) ? rows_of_block : 64)
                                  : b_of_l3            ? 11
                                                       : 16;
    // From this many rows on B is converted once, into a pack, not in every block of rows. With 16 registers a block
    // has two conversions for 12 products, and panels become panels in runs: f32 x s8 of 2048x2048, two threads, 12
    // rows 1.0, 16 rows 2.4
    // -> 2.2 ms, 32 rows 4.8 -> 4.0, 64 rows 9.3 -> 7.5.
    const int64_t rows_of_conversion = target.vectors < 32 && s.b_pitch == 0 ? 13 : 96;
    constexpr int64_t columns_of_a = 96; // that read a packed row of A
    // Where A's k is not dense each block of columns takes all its lines again, and those 4 KiB apart share sets. Two
    // threads of Zen 3, f32: 16384x256x64 2.3, 4096x64x64 1.27, 4096x64x32 1.26, 4096x64x16 0.97.
    const int64_t columns_of_a_turned = target.vectors < 32 ? 32 : columns_of_a;
    constexpr int64_t columns_of_words = 32; // that read a row of A as words
    c.a = s.a_fits ? DotSource::in_place : DotSource::packed;
    // Elements of k in lines of their own, of which a register block uses half: 1024^3 0.4 -> 0.65 of the peak.
    if (s.a_step && s.columns >= columns_of_a_turned && s.rows >= 8) c.a = DotSource::packed;
    // s8 as a + 128: a bit to flip in every register that is read, or once. Zen 5 has two more pipes for that than for
    // products: in place 1.02 to 1.05 at 256^3 to 2048^3, 16x1024x1024 1.03 to 1.13.
    const bool flips_are_free = machine.spare_vector_pipes && s.a_fits;
    if (s.a == DataType::s8 && s.a_packed == DataType::u8 && s.columns >= columns_of_a && s.rows >= 8 &&
        !flips_are_free)
        c.a = DotSource::packed;
    const bool converts = s.b != s.b_packed && s.rows >= rows_of_conversion;
    c.b = s.b_fits && !converts && (s.b_pitch == 0 || s.rows <= rows_in_place || !lies_far(s, machine))
              ? DotSource::in_place
              : DotSource::packed;
    if (!target.masks && s.columns % 16 != 0 && s.b_fits && s.b_pitch == 0 && !s.b_whole) c.b = DotSource::packed;
    // Without instructions for bytes each would be widened in every block of columns.
    if (s.a_words && s.columns >= columns_of_words) c.a = DotSource::packed;
    if (c.a == DotSource::in_place) c.spec.a_short = s.a_short;
    if (c.a == DotSource::packed || joining_pays(s, c, target, machine)) pack_a(c, s);
    if (c.b == DotSource::packed) c.spec.b = s.b_packed;
    if (!target.masks) {
        c.spec.b_whole = c.b == DotSource::packed || s.b_pitch == 0;
        if (s.columns < 16) c.spec.last = int(s.columns);
    }
}

} // namespace

// Two threads of Zen 1, 256x64x10 of f32, shared from 6 us on: 17 -> 10.6 us.
// Zen 5, f32 128x64x128 8.3 -> 5.2, 16x256x128 4.2 -> 3.0, bf16 128x80x100 shared as well; bytes 64x64x64 0.7
// alone, 1.1 shared.
int64_t products_of_byte(const jit::Target& target, DotKind kind) {
    if (target.vectors < 32) return 1;
    return kind == DotKind::f32 || kind == DotKind::bf16_fma ? 4 : kind == DotKind::bf16 ? 6 : 8;
}

int vnni_factor(DotKind kind) {
    switch (kind) {
    case DotKind::f32:
        return 1;
    case DotKind::bf16:
    case DotKind::bf16_fma:
    case DotKind::amx_bf16:
    case DotKind::amx_f16:
        return 2;
    default:
        return 4;
    }
}
int step_of(DotKind kind) { return is_amx(kind) ? 16 * vnni_factor(kind) : vnni_factor(kind); }

// For 16 rows: a product of tiles takes 16 cycles, and an element of A is packed at 8 bytes a cycle.
int64_t fitting_step(DotKind kind, int64_t length, int64_t depth, int64_t columns) {
    constexpr int64_t cycles = 16, rows = 16, bytes_of_cycle = 8;
    const int64_t most = step_of(kind), vnni = vnni_factor(kind), bytes = 64 / most, panels = ceil_div(columns, 16);
    int64_t step = most;
    while (step > 0 && length % step) step -= vnni;
    if (step == 0) return 0;
    const int64_t longer = panels * cycles * (depth / step - ceil_div(depth, most));
    return longer * bytes_of_cycle <= rows * depth * bytes ? step : 0;
}

int64_t padded_depth(int64_t part, int64_t depth, DotKind kind) {
    return round_up(part, depth < step_of(kind) ? vnni_factor(kind) : step_of(kind));
}

// An odd number of lines, if many: panels are written side by side, and those 4 KiB apart share sets of L1.
int64_t packed_panel(int64_t part, int64_t depth, DotKind kind, int bits) {
    constexpr int64_t line = 64, many = 32;
    const int64_t bytes = 16 * padded_depth(part, depth, kind) * bits / 8;
    return bytes < many * line ? bytes : (ceil_div(bytes, line) | 1) * line;
}

KParts fitting_parts(const DotShape& s, int64_t depth, int64_t step) {
    if (s.cuts.size() < 2) return {depth};
    if (depth >= s.depth) return {s.depth};
    int64_t inside = 1; // k of a turn
    size_t loop = s.cuts.size() - 1;
    for (; depth >= inside * s.cuts[loop]; --loop) inside *= s.cuts[loop];
    for (;; inside *= s.cuts[loop--]) {
        const int64_t turns = s.cuts[loop], together = step / std::gcd(step, inside); // turns that are whole steps
        if (turns % together) {
            if (loop == 0) return {s.depth};
            continue;
        }
        const int64_t most = std::max(depth / inside / together, int64_t(1)) * together;
        const int64_t length = round_up(ceil_div(turns, ceil_div(turns, most)), together) * inside;
        return {length, loop ? turns * inside : 0};
    }
}

// Whether B's rows are interleaved by every block of rows rather than packed once. Zen 5, whose shuffles have pipes of
// their own, one thread. bf16 1000 of 32x32x32 1.27, 500 of 20x40x50 1.5, 8x1000x1000 1.8, 12x3000x3000 1.5, 64x512x512
// 1.1, 192x1000x333 1.05, 64x3000x3000 1.06, 16 heads of 512x512x64 1.0, 1500x100x300 0.96; from memory 6 rows 1.3, 16
// rows 0.96 and 1.1, 64 rows 0.91 to 0.98. Bytes 1000 of 32x32x32 1.25, 9x256x256 1.5, 12x1000x1000 1.5,
// 32x500x500 1.12, 64x500x500 1.03, 80x500x500 0.98, 192x1000x333 0.87; from memory 16 rows 0.35. Rows that share sets:
// bf16 16x2048x2048 0.63, 16x4096x4096 0.8, bytes 16x2048x4096 0.54, 16x1024x1024 0.9; every second, bf16
// 16x1024x1024 1.1, 32x1024x1024 0.9 to 1.19, 64x1024x1024 0.9.
bool interleaving_pays(const DotShape& s, const Machine& machine) {
    const int64_t bytes = s.columns * s.depth * bits(s.b) / 8;
    const bool from_memory = bytes > machine.l3_bytes / 2, far = bytes > 2 * machine.l2_bytes;
    const bool of_bytes = bits(s.b) == 8;
    // Rows that share a set with every second or fourth other leave the first level sooner.
    const int64_t sharing = of_bytes ? aliasing(machine) / 4 : aliasing(machine);
    const bool shares = bytes > machine.l1_bytes && s.rows_pitch % sharing == 0;
    const bool half_shares = bytes > machine.l1_bytes && s.rows_pitch % (aliasing(machine) / 2) == 0;
    const int64_t most_of_pairs = from_memory   ? 16
                                  : half_shares ? 32
                                  : far         ? 64
                                                : 256,
                  most_of_fours = from_memory ? 0 : 64;
    return s.rows_pitch && machine.two_shuffles && !shares && s.rows <= (of_bytes ? most_of_fours : most_of_pairs);
}

DotChoice choose_dot(const DotShape& shape, DotKind kind, const jit::Target& target, const Machine& machine) {
    DotShape s = shape;
    DotChoice c;
    c.spec = {kind, 1, 1, s.a, s.b, s.a_dense, target.masks && s.columns % 16 != 0};
    c.spec.corrected = s.corrected, c.spec.shifts_b = s.shifts_b;
    c.step = step_of(kind);
    if (s.turned) return choose_turned(s, c, machine);
    if (s.b_columns || s.b_rows) return choose_few(s, c, target, machine);
    if (s.tall) return choose_tall(s, c, target, machine);
    if (interleaving_pays(s, machine)) s.b_fits = true, s.b_pitch = s.rows_pitch;
    if (s.step) c.step = s.step;
    choose_sources(c, s, target, machine);
    c.spec.interleaves = c.b == DotSource::in_place && s.rows_pitch;
    if (c.spec.interleaves) c.spec.b_short = int(round_up(s.depth, step_of(kind)) - s.depth);
    return is_amx(kind) ? choose_tiles(s, c, target, machine) : choose_blocks(s, c, target, machine);
}

// Blocks of rows and columns change places where tiles turn.
EvenParts columns_of_units(int64_t columns, const DotChoice& c) {
    return {columns, c.way == DotWay::turned ? c.spec.rows : int64_t(16) * c.spec.panels, c.column_units};
}

// The last part has the rest of the rows, and no block more than the others for it: 256 rows on two threads are 126 and
// 130, not 132 and 124.
EvenParts rows_of_units(int64_t rows, const DotChoice& c) {
    return {rows, c.row_grain ? c.row_grain : c.unit_rows, ceil_div(rows, c.unit_rows)};
}

std::string to_string(const DotChoice& c) {
    if (c.way == DotWay::tall) return fmt::format("dots of {} columns; units of {} rows", c.spec.rows, c.unit_rows);
    if (c.way == DotWay::turned)
        return fmt::format("rows of tiles are columns, k {}{}, sums transposed; units of {} columns", c.depth,
                           c.chunk ? fmt::format(" by {}", c.chunk) : "", c.unit_columns);
    if (c.way != DotWay::blocks)
        return fmt::format("{} of {} rows{}; units of {} columns", c.way == DotWay::dots ? "dots" : "axpy", c.spec.rows,
                           c.a == DotSource::packed ? ", A packed" : "", c.unit_columns);
    const auto source = [](DotSource s) { return s == DotSource::packed ? "packed" : "in place"; };
    const char* const prefetches = c.prefetches_a && c.prefetches_b ? ", next A and B prefetched"
                                   : c.prefetches_a                 ? ", next A prefetched"
                                   : c.prefetches_b                 ? ", next B prefetched"
                                   : c.prefetched_rows              ? ", its next rows prefetched"
                                                                    : "";
    const bool short_steps = is_amx(c.spec.kind) && c.step < step_of(c.spec.kind);
    return fmt::format("{}x{} blocks, {} inside, k {}{}{}{}, A {}, B {}, {} rows; units of {} x {}{}{}{}{}{}",
                       c.spec.rows, 16 * c.spec.panels, c.rows_inside ? "rows" : "columns", c.depth,
                       c.chunk ? fmt::format(" by {}", c.chunk) : "",
                       c.spec.loops > 1 ? fmt::format(" of {} loops", c.spec.loops) : "",
                       short_steps ? fmt::format(" in steps of {}", c.step) : "", source(c.a),
                       c.by_depth ? "packed part by part" : source(c.b), c.block_rows, c.unit_rows, c.unit_columns,
                       c.strip && c.strip < c.unit_columns ? fmt::format(" by {}", c.strip) : "",
                       c.unit_batches > 1 ? fmt::format(", {} products", c.unit_batches) : "", prefetches,
                       c.streams ? ", stored past the caches" : "", c.finishes ? ", epilogue in registers" : "");
}

} // namespace tessera::cpu
