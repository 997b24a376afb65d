// SPDX-License-Identifier: Apache-2.0
// What the ways of choose_dot share: how long parts of a product are, and how it is cut into units.
//
// Figures of a cache were measured on 48 KiB of L1 in 12 ways and 1 or 2 MiB of L2 (Zen 5, Sapphire Rapids), and scale
// with it where the cache is the reason (products/measured.tsv, by the names of functions and constants).
//
// What is promised of the bits of a sum: they are the same for any number of threads of one machine. The register
// block, the parts of k and the kernels are chosen without looking at threads, and units begin at whole register
// blocks: threads change who computes an element, and nothing else. Between machines of one instruction set bits may
// differ. Blocks of vectors add up a part of k before they add it to the others, and take such parts from the second
// level where B is packed part by part, from follows_rows where it lies far apart; the register block depends on the
// sets of L1. (Tiles begin at the sums so far, and sums of integers are exact: parts of k are nothing to either.)
// bits_test.cpp tests these sentences.
#pragma once

#include <algorithm>

#include "cpu/products/choose/choose.hpp"

namespace tessera::cpu {

// Rows so many bytes apart share a set of L1; half of it leaves two sets.
inline int64_t aliasing(const Machine& machine) { return machine.l1_bytes / machine.l1_ways; }

// Whether B's rows share sets, or B is more than the second level.
inline bool lies_far(const DotShape& s, const Machine& machine) {
    return s.b_pitch % aliasing(machine) == 0 || s.b_pitch * s.depth > machine.l2_bytes;
}

// The hardware prefetches rows of B that lie so many bytes apart, where they do not share sets.
inline bool follows_rows(int64_t pitch, const Machine& machine) {
    return machine.follows_rows && pitch % aliasing(machine) != 0;
}

constexpr int64_t rows_of_block = 252; // MC; 84 to 504 rows take about the same time

// The length of parts about equal, in whole steps, as few as `most` allows.
inline int64_t even_part(int64_t all, int64_t most, int64_t step) {
    return round_up(ceil_div(all, ceil_div(all, most)), step);
}

inline int64_t run_of(const DotShape& s) { return s.run ? s.run : s.rows; }

// Rows at once: whole runs, or a part of a run in whole register blocks.
inline int64_t fitting_block(const DotShape& s, int64_t rows) {
    if (s.grain && rows < s.rows) return std::max(rows / s.grain, int64_t(1)) * s.grain;
    return rows >= run_of(s) ? rows / run_of(s) * run_of(s) : rows;
}

// A is packed, in runs that register blocks do not end with.
inline bool joins_runs(const DotChoice& c, const DotShape& s) {
    return c.a == DotSource::packed && s.run_of_a && s.run_of_a < run_of(s);
}
void pack_a(DotChoice& c, DotShape& s);
// Runs of A whose rows are joined in register blocks of so many begin with blocks of rows, so that each is packed as a
// whole: rows after which both begin anew. No more than `most`, or runs stay apart.
void set_grain(DotShape& s, const DotChoice& c, int64_t height, int64_t most);

// AMX: bytes of a row's k of which two panels of B fill two thirds of L1, beside A that passes by: 1 KiB.
inline int64_t chunk_in_l1(const Machine& machine) { return machine.l1_bytes * 2 / 3 / 32 / 64 * 64; }

struct Sharing {
    int threads;
    int64_t least;     // products, below which one thread computes all units
    bool wide = false; // vectors of 64 bytes
    int64_t l2_bytes = 0;
    int64_t rows_of_reading = 16; // fewer take no less time, if B comes from the second level
};
inline Sharing sharing_of(DotKind kind, const jit::Target& target, const Context& context) {
    const int64_t of_byte = products_of_byte(target, kind);
    const bool wide = target.vectors == 32;
    return {context.threads, of_byte * context.parallel_bytes / 2, wide, context.l2_bytes, wide ? 2 * of_byte : 16};
}

int64_t bytes_of_b(const DotChoice& c, const DotShape& s);
inline bool comes_from_memory(const DotChoice& c, const DotShape& s, const Machine& machine) { // B
    return bytes_of_b(c, s) > machine.l3_bytes / 2;
}

// Units: at least `strips` ranges of columns, and as many more as so many threads can use.
void cut(DotChoice& c, const DotShape& s, int64_t strips, const Sharing& sharing);

// B packed part by part where one block of rows reads it. The parts are those of one thread's units, whatever the
// threads: kernels add up several sums of a part, so other parts would give other bits.
void pack_by_depth(DotChoice& c, const DotShape& s, int64_t strips, const Machine& machine);

// Blocks of vectors, and tiles.
DotChoice choose_blocks(DotShape s, DotChoice c, const jit::Target& target, const Context& context);
DotChoice choose_tiles(DotShape s, DotChoice c, const jit::Target& target, const Context& context);
// Whether packing A, so that register blocks have rows of several of its runs, takes less time than blocks that end
// with them.
bool joining_pays(const DotShape& s, const DotChoice& c, const jit::Target& target, const Machine& machine);

} // namespace tessera::cpu
