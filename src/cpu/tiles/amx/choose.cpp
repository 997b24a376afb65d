// SPDX-License-Identifier: Apache-2.0
// Blocks of tiles. The measurements that constants stand on are in products/measured.tsv, by their names.
//
// Where k is short, rows of A stay in L1 while B passes by, which lies as it is read (0.85 of the peak for 0.79); else
// B of two panels stays there while A passes by, chunk by chunk of k for one block of columns, or, of k too long for A
// to stay in L2, part by part for all of them.
#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/choose/cut.hpp"

namespace tessera::cpu {

namespace {

class Tiles {
public:
    Tiles(DotShape shape, DotChoice choice, const Context& context)
        : s(std::move(shape)), c(std::move(choice)), m(context), size_(bits(c.spec.a) / 8), step_(c.step),
          bytes_(s.depth * size_), b_bytes_(s.columns * bytes_), chunk_(chunk_in_l1(m)),
          far_a_(s.batches * s.rows * bytes_ > m.l2_bytes) {}

    DotChoice choose(const jit::Target& target) {
        set_block();
        c.spec.a_transient = a_transient();
        set_parts_of_k();
        const bool several = set_rows();
        const int64_t strips = set_strips();
        c.streams = c.spec.panels == 2 && s.c_lines && s.c_bytes >= m.l2_bytes / 2 && s.bytes() > 2 * m.l2_bytes &&
                    (32 * s.c_bits >= 1024 || s.depth >= 2048);
        // B is loaded without evicting A from L1 (tileloaddt1) where it is more than L1 holds. Not from memory, beside
        // a dst stored past the caches, nor where several blocks of rows read it from L1.
        const bool passes = ceil_div(s.columns, strips) * c.depth * size_ > m.l1_bytes;
        c.spec.b_transient = !c.spec.a_transient && !several && !c.streams && passes && b_bytes_ <= m.l2_bytes;
        cut(c, s, strips, sharing_of(c.spec.kind, target, m));
        if (c.chunk >= c.depth || c.unit_batches > 1) c.chunk = 0;
        c.spec.ahead = lines_ahead();
        return std::move(c);
    }

private:
    // The register block, in runs of rows.
    void set_block() {
        // Rows of A half a way of L1 apart, or a multiple, share its sets: they are packed where enough columns read
        // the pack. A quarter is too near as well where addresses are no multiples of 64: a step takes two lines of
        // each row, one of which the next step needs again.
        const int64_t columns_of_pack = s.a_pitch % (aliasing(m) / 2) == 0 ? 256 : 1024; // that read it
        const bool shares_sets = s.a_pitch % (aliasing(m) / 4) == 0;
        if (s.a_fits && shares_sets && s.rows > enough_rows && s.columns >= columns_of_pack) pack_a(c, s);
        constexpr int64_t most_joined = 512;
        if (run_of(s) > 16) set_grain(s, c, 32, most_joined);
        few_ = run_of(s) <= 16;
        c.spec.rows = few_ ? 16 : 32, c.spec.panels = int(std::min<int64_t>(few_ ? 4 : 2, ceil_div(s.columns, 16)));
        c.spec.tail = false; // by the configuration
        c.run = run_of(s);
    }

    int64_t a_in_l1() const { return m.l1_bytes * 5 / 12; } // rows of A that stay there instead of B: 20 KiB
    int64_t a_block() const { return m.l2_bytes / 8 * 3; }  // A that stays in L2 while B passes by: 768 KiB of 2 MiB

    // Whether A passes by while B stays in L1.
    bool a_transient() const {
        const bool b_stays = b_bytes_ <= m.l2_bytes / 2 || s.rows * bytes_ <= a_in_l1();
        // Bytes of k up to which 32 rows of A stay in L1: half of it, or two thirds where B is a quarter of L2 or less.
        const bool little_b = b_bytes_ <= m.l2_bytes / 4;
        const int64_t in_l1 = little_b ? chunk_ : m.l1_bytes / 2 / 32;
        return (bytes_ > in_l1 || !b_stays) && !few_;
    }

    // KC is K if enough rows of A fit into L2, or if so few rows read B that nothing is reused. Else parts of it, of
    // all rows where that is possible: then B is packed part by part.
    void set_parts_of_k() {
        constexpr int64_t least_part = 2048, part_of_many = 4096; // bytes of a row
        const int64_t rows_of_all = a_block() / (round_up(bytes_, 64) * 32) * 32;
        const bool at_once = few_ || rows_of_all >= std::min(run_of(s), enough_rows);
        const int64_t part_of_all = a_block() / round_up(run_of(s), 32) / 64 * 64;
        const int64_t part = part_of_all < least_part ? part_of_many : std::min(part_of_all, part_of_many);
        const int64_t depth = at_once ? s.depth : std::min(s.depth, part / size_);
        c.set(fitting_parts(s, even_part(s.depth, depth, step_), step_));
        if (!c.spec.a_transient || c.depth * size_ <= chunk_) return;
        const KParts chunks = fitting_parts(s, even_part(c.depth, chunk_ / size_, step_), step_);
        c.chunk = chunks.length, c.chunk_loop = chunks.loop;
    }

    // Blocks of rows. Of very short k several of them stay in L1, and B is read once for all of them, which the result
    // says. A from beyond the second level is better read in its order.
    bool set_rows() {
        const int64_t block_bytes = round_up(c.depth * size_, 64) * 32;
        const bool several = !c.spec.a_transient && a_in_l1() >= 2 * block_bytes && !far_a_;
        c.rows_inside = c.spec.a_transient || several;
        c.block_rows = std::min(s.rows, std::max<int64_t>((several ? a_in_l1() : a_block()) / block_bytes, 1) * 32);
        if (s.grain) c.block_rows = std::min(s.rows, std::max(c.block_rows, s.grain));
        c.block_rows = fitting_block(s, c.block_rows);
        return several;
    }

    // Ranges of columns that are packed at once.
    int64_t set_strips() {
        // For few rows and a B in the second level, a pack that leaves it room; of B farther off, long runs.
        const bool near_b = s.rows <= enough_rows && b_bytes_ <= m.l2_bytes * 3 / 4;
        const int64_t strip = near_b ? 128 : 1024;
        int64_t strips = c.b == DotSource::packed ? std::max<int64_t>(1, (s.columns + strip / 2) / strip) : 1;
        // Sums stay in half of the second level while all of k passes by.
        const int64_t sums = s.columns * c.block_rows * 4;
        if (c.depth < s.depth && !few_) strips = std::max(strips, ceil_div(sums, m.l2_bytes / 2));
        // Few rows read a pack once: it stays in L1 where B is in the second level, as for vectors. Few columns, so
        // that k is long and sums are loaded and stored less often, but whole lines of B (of bf16 two).
        const int64_t columns_in_l1 = size_ == 1 ? 64 : 128;
        const int64_t part_in_l1 = m.l1_bytes * 2 / 3 / (columns_in_l1 * size_) / step_ * step_;
        if (few_ && c.b == DotSource::packed && s.b_cuts && s.cuts.empty() && b_bytes_ <= m.l2_bytes * 2 &&
            part_in_l1 < s.depth) {
            c.by_depth = true, c.depth = std::max(part_in_l1, step_);
            return ceil_div(s.columns, columns_in_l1);
        }
        pack_by_depth(c, s, strips, m);
        return strips;
    }

    // Lines that a step prefetches.
    int lines_ahead() const {
        const int64_t blocks = ceil_div(c.unit_columns, int64_t(16) * c.spec.panels);
        // A that is read once while B stays, its rows without gaps: the next block of rows is prefetched while a few
        // blocks of columns read this one.
        if (!c.rows_inside && !few_ && c.a == DotSource::in_place && s.a_pitch == bytes_ && blocks <= 8 && far_a_)
            return int(std::max<int64_t>(16 * bytes_ / (ceil_div(s.depth, step_) * 64 * blocks), 1));
        // B that is read once, from beyond the second level, is prefetched a block of columns ahead.
        const int64_t near = m.l2_bytes / (c.b == DotSource::packed ? 1 : 4);
        return c.spec.a_transient && !c.by_depth && c.unit_columns * bytes_ >= near ? 4 : 0;
    }

    static constexpr int64_t enough_rows = 128; // that read what passes by of B

    DotShape s;
    DotChoice c;
    const Context& m;
    const int64_t size_, step_, bytes_, b_bytes_; // bytes of an element of A, of a row, of B
    const int64_t chunk_;                         // bytes of a row's k of which two panels of B stay in L1
    const bool far_a_;                            // A is beyond the second level
    bool few_ = false;                            // rows of a run: one tile of them
};

} // namespace

DotChoice choose_tiles(DotShape s, DotChoice c, const jit::Target& target, const Context& context) {
    return Tiles(std::move(s), std::move(c), context).choose(target);
}

} // namespace tessera::cpu
