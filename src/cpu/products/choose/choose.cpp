// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/choose/choose.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/division.hpp"
#include "cpu/products/choose/cut.hpp"

namespace tessera::cpu {

namespace {

// Where A and B are read: where they lie, or packed.
void choose_sources(DotChoice& c, DotShape& s, const jit::Target& target, const Machine& machine) {
    // Up to so many rows read B in place even where its rows are far apart; a whole block of rows where the hardware
    // follows them. With 16 registers blocks are narrow, and every row of B is in a page of its own: fewer rows if B is
    // in the third level.
    const bool b_of_l3 = s.b_pitch * s.depth > 2 * machine.l2_bytes && s.b_pitch * s.depth < machine.l3_bytes / 2;
    const int64_t rows_in_place = target.vectors == 32 ? (follows_rows(s.b_pitch, machine) ? rows_of_block : 64)
                                  : b_of_l3            ? 11
                                                       : 16;
    // From this many rows on B is converted once, into a pack, not in every block of rows. With 16 registers a block
    // has two conversions for 12 products.
    const int64_t rows_of_conversion = target.vectors < 32 && s.b_pitch == 0 ? 13 : 96;
    constexpr int64_t columns_of_a = 96; // that read a packed row of A
    // Where A's k is not dense, each block of columns reads all its lines again, and those 4 KiB apart share sets.
    const int64_t columns_of_a_turned = target.vectors < 32 ? 32 : columns_of_a;
    constexpr int64_t columns_of_words = 32; // that read a row of A as words
    c.a = s.a_fits ? DotSource::in_place : DotSource::packed;
    // Elements of k lie in lines of their own, of which a register block uses half.
    if (s.a_step && s.columns >= columns_of_a_turned && s.rows >= 8) c.a = DotSource::packed;
    // s8 as a + 128: an xor for every register that is read, or once, in a pack.
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

// By which products become comparable with bytes moved, when it is asked whether threads share them.
int64_t products_of_byte(const jit::Target& target, DotKind kind) {
    if (target.vectors < 32) return 1;
    return kind == DotKind::f32 || kind == DotKind::bf16_fma ? 4 : kind == DotKind::bf16 ? 6 : 8;
}

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

KParts fitting_parts(const DotShape& s, int64_t depth, int64_t step) {
    if (s.cuts.size() < 2) return {depth};
    if (depth >= s.depth) return {s.depth};
    int64_t inside = 1; // k of an iteration
    size_t loop = s.cuts.size() - 1;
    for (; depth >= inside * s.cuts[loop]; --loop) inside *= s.cuts[loop];
    for (;; inside *= s.cuts[loop--]) {
        const int64_t iterations = s.cuts[loop],
                      whole = step / std::gcd(step, inside); // iterations that are whole steps
        if (iterations % whole) {
            if (loop == 0) return {s.depth};
            continue;
        }
        const int64_t most = std::max(depth / inside / whole, int64_t(1)) * whole;
        const int64_t length = round_up(ceil_div(iterations, ceil_div(iterations, most)), whole) * inside;
        return {length, loop ? iterations * inside : 0};
    }
}

// Whether every block of rows interleaves B's rows in registers, rather than a pack once: where shuffles have pipes of
// their own, up to as many rows as the shuffles of all blocks take less time than the pack. Rows that share sets of L1
// leave it before the next block reads them.
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

DotChoice choose_dot(const DotShape& shape, DotKind kind, const jit::Target& target, const Context& context) {
    DotShape s = shape;
    DotChoice c;
    c.spec = {kind, 1, 1, s.a, s.b, s.a_dense, target.masks && s.columns % 16 != 0};
    c.spec.corrected = s.sums.by_kernels, c.spec.shifts_b = s.sums.shifts_b;
    c.step = step_of(kind);
    if (interleaving_pays(s, context)) s.b_fits = true, s.b_pitch = s.rows_pitch;
    if (s.step) c.step = s.step;
    choose_sources(c, s, target, context);
    c.spec.interleaves = c.b == DotSource::in_place && s.rows_pitch;
    if (c.spec.interleaves) c.spec.b_short = int(round_up(s.depth, step_of(kind)) - s.depth);
    return is_amx(kind) ? choose_tiles(s, c, target, context) : choose_blocks(s, c, target, context);
}

EvenParts columns_of_units(int64_t columns, const DotChoice& c) {
    return {columns, int64_t(16) * c.spec.panels, c.column_units};
}

// The last part has the rest of the rows, and no block more than the others for it: 256 rows on two threads are 126 and
// 130, not 132 and 124.
EvenParts rows_of_units(int64_t rows, const DotChoice& c) {
    return {rows, c.row_grain ? c.row_grain : c.unit_rows, ceil_div(rows, c.unit_rows)};
}

std::string to_string(const DotChoice& c) {
    const auto source = [](DotSource s) { return s == DotSource::packed ? "packed" : "in place"; };
    const char* const prefetches = c.prefetches_a      ? ", next A prefetched"
                                   : c.prefetched_rows ? ", its next rows prefetched"
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
