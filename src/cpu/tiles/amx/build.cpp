// SPDX-License-Identifier: Apache-2.0
// Two by two tiles use all eight: 4 sums, 2 of A, 2 of B, four loads for four products. A and B from the first level:
// 0.93 of the peak, 2x1 and 1x1 0.81 and 0.63. Unrolling changes nothing.
#include "cpu/tiles/amx/contract.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cpu/tiles/dot/kernel/row_addresses.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

constexpr int rows_of_tile = 16, row_bytes = 64;

// The numbers of tiles. Three and four panels leave three for B; the last panel's is nobody else's, for it may have
// fewer columns.
struct Numbers {
    int row_tiles, panels;
    explicit Numbers(const DotSpec& spec) : row_tiles(spec.rows / rows_of_tile), panels(spec.panels) {}
    int sum(int row, int panel) const { return row_tiles == 1 ? panel : 2 * row + panel; }
    int a(int row) const { return 4 + row; }
    int b(int panel) const { return panels <= 2 ? 6 + panel : panel == panels - 1 ? 7 : 5 + panel % 2; }
};

class TilesBuilder {
public:
    TilesBuilder(const Target& target, const DotSpec& spec) : spec_(spec), c_(target), numbers_(spec) {
        for (int n = 0; n < 8; ++n) tiles_.push_back(c_.tile());
    }

    Code build() {
        arguments();
        for (int i = 0; i < numbers_.row_tiles; ++i)
            for (int j = 0; j < spec_.panels; ++j) c_.tile_zero(sum(i, j));
        c_.if_positive(c_.gload(arg(offsetof(DotArgs, accumulate))));
        each_sum([&](Tmm sum, Mem m, Gpr row) { c_.tile_load(sum, m, row); });
        c_.end_if();
        in_loops(
            c_, spec_.loops - 1, [&] { steps(); },
            [&](Mem a, Mem b) {
                for (const Gpr at : a_at_) c_.gadd_mem(at, at, a);
                for (const Gpr at : b_at_) c_.gadd_mem(at, at, b);
            });
        each_sum([&](Tmm sum, Mem m, Gpr row) { c_.tile_store(m, row, sum); });
        return std::move(c_);
    }

private:
    Mem arg(size_t at) const { return {c_.args(), int64_t(at)}; }
    Tmm sum(int row, int panel) const { return tiles_[size_t(numbers_.sum(row, panel))]; }
    Tmm a(int row) const { return tiles_[size_t(numbers_.a(row))]; }
    Tmm b(int panel) const { return tiles_[size_t(numbers_.b(panel))]; }

    void arguments() {
        a_row_ = c_.gload(arg(offsetof(DotArgs, a_row)));
        b_row_ = c_.gset(row_bytes);
        a_at_.push_back(c_.gload(arg(offsetof(DotArgs, a))));
        if (numbers_.row_tiles == 2) {
            a_at_.push_back(c_.gshl(a_row_, 4));
            c_.gadd(a_at_[1], a_at_[1], a_at_[0]);
        }
        b_at_.push_back(c_.gload(arg(offsetof(DotArgs, b))));
        for (int j = 1; j < spec_.panels; ++j) {
            b_at_.push_back(c_.gcopy(b_at_.back()));
            c_.gadd_mem(b_at_.back(), b_at_.back(), arg(offsetof(DotArgs, b_panel)));
        }
        if (spec_.ahead) next_at_.push_back(c_.gload(arg(offsetof(DotArgs, next))));
        for (int j = 1; spec_.ahead && j < spec_.panels; ++j) {
            next_at_.push_back(c_.gcopy(next_at_.back()));
            c_.gadd_mem(next_at_.back(), next_at_.back(), arg(offsetof(DotArgs, next_panel)));
        }
        a_step_ = c_.gload(arg(offsetof(DotArgs, a_step))), b_step_ = c_.gload(arg(offsetof(DotArgs, b_step)));
    }

    template <typename F> void each_sum(F f) {
        const Gpr first = c_.gload(arg(offsetof(DotArgs, c))), row = c_.gload(arg(offsetof(DotArgs, c_row)));
        for (int i = 0; i < numbers_.row_tiles; ++i) {
            if (i) c_.gadd(first, first, c_.gshl(row, 4));
            const Gpr at = c_.gcopy(first);
            for (int j = 0; j < spec_.panels; ++j) {
                if (j) c_.gadd_mem(at, at, arg(offsetof(DotArgs, c_panel)));
                f(sum(i, j), Mem{at}, row);
            }
        }
    }

    void steps() {
        const Gpr left = c_.gload(arg(offsetof(DotArgs, steps)));
        c_.loop();
        step();
        c_.end_loop(left, 1);
    }

    // Where A passes by, all loads before the first product (0.81 of the peak, 0.77 in front of each operand's first;
    // 0.44 and 0.42 where a neighbour has half of the core); else the first product starts after two (0.85, 0.76).
    void step() {
        const auto load_a = [&](int i) { c_.tile_load(a(i), {a_at_[size_t(i)]}, a_row_, spec_.a_transient); };
        const auto load_b = [&](int j) { c_.tile_load(b(j), {b_at_[size_t(j)]}, b_row_, spec_.b_transient); };
        const bool first = spec_.a_transient && spec_.panels <= 2; // more have fewer tiles than panels
        for (int i = 0; first && i < numbers_.row_tiles; ++i) load_a(i);
        for (int j = 0; first && j < spec_.panels; ++j) load_b(j);
        for (int i = 0; i < numbers_.row_tiles; ++i)
            for (int j = 0; j < spec_.panels; ++j) {
                if (!first && i == 0) load_b(j);
                if (!first && j == 0) load_a(i);
                product(sum(i, j), a(i), b(j));
            }
        for (Gpr at : next_at_) {
            for (int line = 0; line < spec_.ahead; ++line) c_.prefetch({at, line * row_bytes}, 3);
            c_.gadd(at, at, spec_.ahead * row_bytes);
        }
        for (Gpr at : a_at_) c_.gadd(at, at, a_step_);
        for (Gpr at : b_at_) c_.gadd(at, at, b_step_);
    }

    void product(Tmm sum, Tmm a, Tmm b) {
        if (spec_.kind == DotKind::amx_bf16)
            c_.tile_dot_bf16(sum, a, b);
        else if (spec_.kind == DotKind::amx_f16)
            c_.tile_dot_f16(sum, a, b);
        else
            c_.tile_dot_bytes(sum, a, b, spec_.a == DataType::s8, spec_.b == DataType::s8);
    }

    const DotSpec& spec_;
    Code c_;
    const Numbers numbers_;
    std::vector<Tmm> tiles_;
    std::vector<Gpr> a_at_, b_at_, next_at_;
    Gpr a_row_, a_step_, b_row_, b_step_;
};

} // namespace

bool can_build_tiles(const Target& target, const DotSpec& spec) {
    if (!target.amx || spec.tail) return false;
    const auto are = [&](DataType type) { return spec.a == type && spec.b == type; };
    if (spec.kind == DotKind::amx_int8 && (!is_byte(spec.a) || !is_byte(spec.b))) return false;
    if (spec.kind == DotKind::amx_bf16 && !are(DataType::bf16)) return false;
    if (spec.kind == DotKind::amx_f16 && (!target.amx_f16 || !are(DataType::f16))) return false;
    if (spec.ahead && spec.panels > 2) return false; // addresses beyond the registers
    const int most_panels = spec.rows == rows_of_tile ? 4 : spec.rows == 2 * rows_of_tile ? 2 : 0;
    return spec.panels >= 1 && spec.panels <= most_panels;
}

Code build_tiles(const Target& target, const DotSpec& spec) { return TilesBuilder(target, spec).build(); }

DotTiles dot_tiles(const DotSpec& spec, int rows, int columns, int groups) {
    DotTiles tiles;
    const Numbers numbers(spec);
    std::fill_n(tiles.rows, 8, uint8_t(rows_of_tile)), std::fill_n(tiles.row_bytes, 8, uint16_t(row_bytes));
    for (int i = 0; i < numbers.row_tiles; ++i) {
        const int in_tile = std::min(rows - i * rows_of_tile, rows_of_tile);
        tiles.rows[numbers.a(i)] = uint8_t(in_tile), tiles.row_bytes[numbers.a(i)] = uint16_t(4 * groups);
        for (int j = 0; j < spec.panels; ++j) tiles.rows[numbers.sum(i, j)] = uint8_t(in_tile);
    }
    const int last = spec.panels - 1;
    for (int j = 0; j < spec.panels; ++j) tiles.rows[numbers.b(j)] = uint8_t(groups);
    tiles.row_bytes[numbers.b(last)] = uint16_t(4 * columns);
    for (int i = 0; i < numbers.row_tiles; ++i) tiles.row_bytes[numbers.sum(i, last)] = uint16_t(4 * columns);
    return tiles;
}

Code build_configure_tiles(const Target& target) {
    Code c(target, "configure tiles");
    c.tile_configure({c.args()});
    return c;
}

Code build_release_tiles(const Target& target) {
    Code c(target, "release tiles");
    c.tile_release();
    return c;
}

} // namespace tessera::cpu
