// SPDX-License-Identifier: Apache-2.0
// Which of the ways other than blocks a product can go: tiles over B as it lies, dots and axpy of few rows, dots of few
// columns.
#include "cpu/products/choose/cut.hpp"
#include "cpu/products/see/seen.hpp"
#include "cpu/tiles/few/run.hpp"

namespace tessera::cpu {

namespace {

// Instructions for fours of bytes of B in rows.
bool takes_fours(const Seen& x) {
    return x.views.integers && x.target.vnni && x.target.masks && is_byte(x.type_of(x.p.left.operand)) &&
           is_byte(x.type_of(x.p.right.operand));
}

class Ways {
public:
    explicit Ways(Seen& seen) : x(seen), p(seen.p), kind(seen.kind) {}

    // Whether tiles can take B's columns for rows, as they lie. A single row is left to dots, which reads as fast; many
    // rows, or a B that fits half of the second level, are packed in less time.
    bool see_turned() {
        constexpr int64_t most_rows_of_far = 128, most_rows_of_near = 64, least_columns = 64, least_depth = 256;
        const bool near_b = p.columns * p.depth * bits(x.b_type) / 8 <= x.context.l2_bytes / 2;
        const int64_t most_rows = near_b && !x.pairs_spec ? most_rows_of_near : most_rows_of_far;
        if (!is_amx(kind) || x.groups.length || p.rows < 2 || p.rows > most_rows || p.columns < least_columns ||
            p.depth < least_depth || p.depth % step_of(kind) || in_runs())
            return false;
        if (p.left.zero >= 0) return false;
        if (!x.pairs_spec && (p.right.operand < 0 || p.right.zero >= 0 || x.type_of(p.right.operand) != x.b_type))
            return false;
        const auto b = x.flat_of(p.right.factor.operand);
        if (!b || !is_strided(b->n) || !is_strided(b->k) || stride_of(b->k) != 1 || !can_pack(x, p.left, true))
            return false;
        x.few_b = x.view(p.right.factor.operand, *b, 1, stride_of(b->n));
        return true;
    }
    // Whether dots or axpy can do it: elements of strided matrices, without zero points, enough of them to be worth it.
    bool see_few(bool& dots) {
        constexpr int64_t most_rows = 4, most_rows_by_groups = 64, least_depth_by_groups = 256;
        constexpr int64_t least_products = 4096; // of a row: from there on a kernel of its own pays
        if (p.rows > most_rows_by_groups || p.columns * p.depth < least_products || in_runs()) return false;
        if (!are_matrices() || !x.is_bytes(p.left.operand)) return false;
        const Flat a = *x.flat_of(p.left.operand), b = *x.flat_of(p.right.operand);
        x.few_a = x.view(p.left.operand, a, stride_of(a.m), stride_of(a.k));
        x.few_b = x.view(p.right.operand, b, stride_of(b.k), stride_of(b.n));
        // With 16 registers packing B takes longer than reading it again for every six rows. A that is not dense in k
        // is packed for them.
        const bool floats = x.is_bare(p.left, DataType::f32) && x.is_bare(p.right, DataType::f32);
        const bool packs_a = p.rows > most_rows_of_dots, axpy = x.few_b.column == 1;
        dots = x.few_b.row == 1 && (x.few_a.column == 1 || packs_a);
        const bool many_dots = !x.groups.length &&
                               (x.target.vectors == 32 ? dots_of_groups() : floats && p.depth >= least_depth_by_groups);
        const bool fours = axpy && !dots && fours_of_rows();
        if (p.rows > most_rows && !(dots ? many_dots : fours)) return false;
        // Sums of A's rows take four of k.
        if (x.groups.length && x.views.integers && x.few_a.column != 1) return false;
        if (!x.is_bytes(p.right.operand)) {
            const int64_t length = x.groups.length ? x.groups.length : p.depth;
            if (!x.is_lines_of_nibbles(b, p.right.operand)) return false;
            if (dots ? length % 16 || p.depth % 16 : p.columns % 16) return false;
        }
        if (!dots && (!axpy || !axpy_pays(floats, fours))) return false;
        return can_build_few_rows(few_rows_spec(x, rows_of_group(p.rows, dots), dots, false), dots);
    }
    // Whether dots can do it with the factors swapped: many rows, dense in k, that few columns read.
    // Vectors of 64 bytes fill blocks of 16 columns as fast where rows are few or k is short.
    bool see_tall() {
        constexpr int64_t most_columns = 4, most_depth = 1024;
        const bool words = kind == DotKind::s8_exact, wide = x.target.vectors == 32, pairs = kind == DotKind::bf16;
        const int64_t least_rows = !wide ? 64 : pairs ? 512 : 160;
        const int64_t least_depth = !wide ? 16 : std::max<int64_t>(16, (pairs ? 32 : 6) * p.columns);
        if ((x.views.integers && !words) || is_amx(kind) || x.groups.length || p.columns < 2 ||
            p.columns > most_columns || p.rows < least_rows || p.depth < least_depth || p.depth > most_depth)
            return false;
        if (in_runs() || !are_matrices()) return false;
        if (!x.is_bytes(p.left.operand) || !x.is_bytes(p.right.operand)) return false;
        const Flat a = *x.flat_of(p.left.operand), b = *x.flat_of(p.right.operand);
        if (stride_of(a.k) != 1) return false;
        x.few_a = x.view(p.left.operand, a, stride_of(a.m), 1);
        x.few_b = x.view(p.right.operand, b, stride_of(b.k), stride_of(b.n));
        return can_build_few_rows(tall_spec(x), true);
    }

private:
    bool in_runs() const { return x.views.run_of_rows < p.rows || x.views.panels_apart; }
    // Whether both factors are elements of strided matrices.
    bool are_matrices() const {
        for (const MatrixFactor* side : {&p.left, &p.right}) {
            if (side->operand < 0 || side->zero >= 0) return false;
            const auto f = x.flat_of(side->operand);
            if (!f || !is_strided(f->m) || !is_strided(f->n) || !is_strided(f->k)) return false;
        }
        return true;
    }
    bool axpy_pays(bool floats, bool fours) const {
        // From 3 rows on, packing B for the instructions of bytes is faster than axpy on words of 16 bits.
        constexpr int64_t rows_of_words = 2;
        if (x.views.integers && x.target.vnni && p.rows > rows_of_words && !fours) return false;
        // With 16 registers blocks keep the sums of three rows and more, which axpy loads from L1 and stores again.
        const bool wide = !x.views.integers && !x.groups.length && bits(x.type_of(p.right.operand)) >= 16;
        if (p.rows > 2 && x.target.vectors < 32 && wide) return false;
        // A pass of axpy over few columns is short, and blocks keep their sums in registers.
        const int64_t narrow = !floats ? 31 : x.target.vectors == 32 ? 64 : 32;
        if (p.columns <= narrow && !x.groups.length) return false;
        // Where the hardware follows the rows of B, blocks that read f32 in place are faster.
        return p.rows <= 2 || !floats || !follows_rows(x.few_b.bytes(x.few_b.row), x.context);
    }
    // Whether axpy, with rows of B in fours, is faster than blocks that pack them: rows of a cache line and a half at
    // least, more of both dims for more rows.
    bool fours_of_rows() const {
        constexpr int64_t least_columns = 96, least_of_many = 256;
        const bool enough = p.rows > 4 ? std::min(p.columns, p.depth) >= least_of_many : p.columns >= least_columns;
        return kind == DotKind::u8s8 && takes_fours(x) && p.rows <= most_rows_of_fours && enough;
    }
    // Whether groups of rows are faster than blocks that pack B, with 32 registers: 24 products of a step take ten
    // loads, a result as long as four steps, so k has to be long for many rows.
    bool dots_of_groups() const {
        constexpr int64_t most_rows = 32;             // of two and four bytes
        const int64_t least_bytes = 64 + 12 * p.rows; // of k
        const bool near_b = p.columns * p.depth * 2 <= 4 * x.context.l2_bytes;
        if (p.rows > most_rows && kind != DotKind::u8s8 && !(kind == DotKind::bf16 && near_b)) return false;
        const DataType a = x.type_of(p.left.operand), b = x.type_of(p.right.operand);
        const bool fits = kind == DotKind::f32    ? a == DataType::f32 && b == DataType::f32
                          : kind == DotKind::bf16 ? a == DataType::bf16 && b == DataType::bf16
                                                  : kind == DotKind::u8s8 && is_byte(a) && b == DataType::s8;
        return fits && p.depth * bits(b) / 8 >= least_bytes;
    }

    Seen& x;
    const Matrices& p;
    const DotKind kind;
};

} // namespace

// Instructions for pairs and for fours pay where products are the limit, from 5 rows on. One or two rows that prefetch
// B are limited by memory: with fours they run at 0.73 to 0.95 of the speed of plain words.
FewRowsSpec few_rows_spec(const Seen& x, int64_t rows, bool dots, bool prefetches) {
    FewRowsSpec spec{int(rows), x.type_of(x.p.left.operand), x.type_of(x.p.right.operand), x.p.type};
    spec.pairs = x.p.rows > 4 && dots && x.kind == DotKind::bf16;
    spec.shifts_b = dots && x.views.integers && x.target.vnni && spec.a == DataType::s8 && spec.b == DataType::s8;
    spec.prefetches = prefetches;
    spec.fours = !dots && takes_fours(x) && (rows > 2 || !spec.prefetches);
    spec.a_dense = spec.fours && x.few_a.column == 1;
    return spec;
}

FewRowsSpec tall_spec(const Seen& x) {
    return {int(x.p.columns), x.type_of(x.p.right.operand), x.type_of(x.p.left.operand), x.p.type};
}

void Seen::see_way() {
    Ways ways(*this);
    bool dots = false;
    if (ways.see_turned())
        way = ProductWay::turned;
    else if (ways.see_few(dots))
        way = dots ? ProductWay::dots : ProductWay::axpy;
    else if (ways.see_tall())
        way = ProductWay::tall;
}

} // namespace tessera::cpu
