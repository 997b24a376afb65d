// SPDX-License-Identifier: Apache-2.0
#include "cpu/portable/schedule.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/cut.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"
#include "cpu/lanes/lanes.hpp"

namespace tessera::cpu {

namespace {

// Points of a tile below which loops are joined into an indexed one: two grids of lanes. With 64 points instead, plain
// C++ takes 652 us for 148 (f32 -> s8, nchw -> 4i16o4i of 128x128x3x3), 117 for 58 (8i8o), 70 for 52 (16i16o) (Zen 5,
// one thread). Transpositions of a grid of lanes or more stay strided: bytes 500x20x4x20 abcd -> adcb 394 us joined,
// 252 not.
constexpr int64_t short_tile = 512;
// Entries: 32 KiB for each operand, fewer of more than 8 operands. 1024 and 16384 are as fast.
constexpr int64_t longest_table = 4096;
// Of a map block: 64 KiB of f32, some microseconds of work. 4096 0.89 to 1 of the speed, 65536 the same.
constexpr int64_t map_lanes = 16 << 10;
// Rows and columns of a transpose block, whole lines on both sides: 32 0.87 of the speed, 128 1 to 1.04.
constexpr int64_t transpose_edge = 64;

// Joins the last two loops into an indexed one, with an offset table for each operand.
void fold_last_two(Nest& nest, size_t operands) {
    const Loop inner = nest.loops.back();
    nest.loops.pop_back();
    const Loop outer = nest.loops.back();
    Loop folded;
    folded.extent = outer.extent * inner.extent;
    folded.kind = inner.kind;
    for (size_t o = 0; o < operands; ++o) {
        std::vector<int64_t> offsets;
        offsets.reserve(size_t(folded.extent));
        for (int64_t i = 0; i < outer.extent; ++i)
            for (int64_t j = 0; j < inner.extent; ++j)
                offsets.push_back(outer.offset(int(o), i) + inner.offset(int(o), j));
        folded.table.set(o, std::move(offsets));
    }
    nest.loops.back() = folded;
}

bool transposes_a_grid(const Nest& nest) {
    const size_t src = dense_loop(nest, 0), dst = dense_loop(nest, 1), none = nest.loops.size();
    return src != none && dst + 1 == none && nest.loops[src].extent * nest.loops[dst].extent >= max_lanes;
}

// Moves the loop that is dense in src before the last one, which is dense in dst. False if there is none.
bool choose_columns(Nest& nest) {
    if (nest.loops.size() < 2 || nest.loops.back().indexed() || nest.loops.back().stride[1] != 1) return false;
    for (size_t k = nest.loops.size() - 1; k-- > 0;) {
        if (nest.loops[k].indexed() || nest.loops[k].stride[0] != 1) continue;
        std::rotate(nest.loops.begin() + long(k), nest.loops.begin() + long(k) + 1, nest.loops.end());
        return true;
    }
    return false;
}

// Moves the loop that fills a grid of lanes best before the columns: with 4 rows of 16 most of the 256 lanes are idle.
void choose_rows(Nest& nest) {
    const size_t last = nest.loops.size() - 1;
    auto filled = [&](size_t k) {
        return nest.loops[k].indexed() ? 0 : std::min(nest.loops[k].extent * nest.loops[last].extent, max_lanes);
    };
    size_t best = last - 1;
    for (size_t k = last - 1; k-- > 0;)
        if (filled(k) > filled(best)) best = k;
    std::rotate(nest.loops.begin() + long(best), nest.loops.begin() + long(best) + 1, nest.loops.end() - 1);
}

// Two threads must not write the nibbles of one byte: every stride between blocks has to be whole bytes.
bool whole_bytes(const Schedule& s, size_t written) {
    auto even = [](int64_t x) { return x % 2 == 0; };
    if (!even(s.nest.base[written])) return false;
    for (size_t k = 0; k < s.nest.loops.size(); ++k) {
        const Loop& loop = s.nest.loops[k];
        if (loop.table[written]) return false;
        const int64_t block = k + 2 == s.nest.loops.size()   ? s.block_rows
                              : k + 1 == s.nest.loops.size() ? s.block_columns
                                                             : 1;
        if (block < loop.extent && !even(loop.stride[written] * block)) return false;
    }
    return true;
}

} // namespace

Schedule schedule(const Step& step, const Plan& plan, const Context& context) {
    Schedule s{tile_of(plan, step), step.nest};
    const size_t operands = plan.operands.size();
    const auto written = size_t(step.kind == StepKind::fill ? step.fill_operand
                                                            : plan.programs[size_t(step.program)].ops.back().operand);
    const bool narrow = is_sub_byte(plan.operands[0].type) || is_sub_byte(plan.operands[written].type);
    if (s.tile == Tile::reduce) {
        while (s.outer < s.nest.loops.size() && s.nest.loops[s.outer].kind != LoopKind::reduce) ++s.outer;
        if (s.outer == s.nest.loops.size()) s.nest.loops.push_back(Loop{.kind = LoopKind::reduce});
        s.units = iterations({s.nest.loops.data(), s.outer});
    } else {
        while (s.nest.loops.size() > 2 && !(s.tile == Tile::transpose && transposes_a_grid(s.nest))) {
            const auto& l = s.nest.loops;
            const int64_t tile = l.back().extent * l[l.size() - 2].extent;
            const int64_t entries = longest_table * 8 / std::max<int64_t>(8, int64_t(operands));
            if (tile >= short_tile || tile * l[l.size() - 3].extent > entries) break;
            fold_last_two(s.nest, operands);
        }
        if (s.tile == Tile::transpose && (narrow || !choose_columns(s.nest))) s.tile = Tile::map;
        while (s.nest.loops.size() < 2) s.nest.loops.insert(s.nest.loops.begin(), Loop{});
        if (s.tile != Tile::transpose) choose_rows(s.nest);
        s.outer = s.nest.loops.size() - 2;
        const int64_t rows = s.nest.loops[s.outer].extent, columns = s.nest.loops[s.outer + 1].extent;
        if (s.tile == Tile::transpose) {
            s.block_rows = std::min(rows, transpose_edge);
            s.block_columns = std::min(columns, transpose_edge);
        } else {
            s.block_columns = std::min(columns, map_lanes);
            s.block_rows =
                s.nest.loops[s.outer].indexed() ? 1 : std::clamp<int64_t>(map_lanes / s.block_columns, 1, rows);
            s.block_rows = std::min(s.block_rows, rows);
        }
        s.units = ceil_div(rows, s.block_rows) * ceil_div(columns, s.block_columns) *
                  iterations({s.nest.loops.data(), s.outer});
    }
    const int64_t points = s.nest.points();
    const int64_t width = bits(plan.operands[0].type) + bits(plan.operands[written].type);
    s.parallel =
        context.threads > 1 && s.units > 1 && points > context.parallel_bytes * 8 / std::max<int64_t>(width, 1);
    if (s.parallel && is_sub_byte(plan.operands[written].type)) s.parallel = whole_bytes(s, written);
    const int64_t chunks = s.parallel ? chunks_of(s.units, context.threads) : 1;
    s.units_per_chunk = ceil_div(std::max<int64_t>(s.units, 1), chunks);
    return s;
}

std::string to_string(const Schedule& s, int operands) {
    const int64_t chunks = s.units ? ceil_div(s.units, s.units_per_chunk) : 0;
    return fmt::format("{} {}x{} in loops({}), {} units {}", name(s.tile), s.block_rows, s.block_columns,
                       to_string(s.nest, operands), s.units,
                       s.parallel ? fmt::format("in {} chunks", chunks) : "on one thread");
}

} // namespace tessera::cpu
