// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/transpose/choose.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/plan/cut.hpp"
#include "cpu/tiles/transpose/tiling.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t source_run_bytes = 256; // of a row before the next rows: four lines keep the prefetcher going
// Beyond the caches, of a row of src (of bytes as above) and of dst: 32x256x56x56 nchw -> nhwc, of a copy's 31 GB/s,
// f32 15.9 -> 24.2, bf16 21.2 -> 24.1; nhwc -> nchw bytes 13.8 -> 26.3 (runs of 1024 and 256, of 256 and 256 before).
constexpr int64_t stream_source_bytes = 4096, stream_target_bytes = 1024;
constexpr int kernel_loops = 3;

std::vector<TiledLoop> tiled_loops(const Nest& nest, const Tiling& tiling) {
    std::vector<TiledLoop> loops;
    for (size_t k = 0; k < nest.loops.size(); ++k) {
        TiledLoop t{nest.loops[k], 1, 1, 1, -1, -1};
        const auto it = std::find(tiling.loops.begin(), tiling.loops.end(), k);
        if (it != tiling.loops.end()) {
            t.index = int(it - tiling.loops.begin());
            t.tile = tiling.spec.loops[size_t(t.index)].valid;
        }
        t.tiles = ceil_div(t.loop.extent, t.tile);
        loops.push_back(t);
    }
    return loops;
}

// The order in which the kernel walks the tiles of a unit.
struct Walk {
    std::vector<size_t> order;     // loops of the nest, innermost first
    std::optional<size_t> columns; // the tile's loop that is dense in src, if the tile has others too
    bool others_move = false;      // of which some have several tiles
    bool dst_first = false;        // runs along dst before those along src
};

// Rows without a gap between them are better written in runs: of src up to 256 bytes (nhwc with 64 channels), of dst
// two tiles (17 x 100000 f32 0.52 -> 0.60). Rows that lie apart (reversed dimensions) lose 0.05 and more; so do bytes
// in pieces of 16, while whole lines of them win (nhwc -> nchw 32x256x14x14 0.50 -> 0.67, 8x192x16x16 0.45 -> 0.60).
bool rows_adjoin(const Nest& nest, const std::vector<TiledLoop>& loops, const Tiling& tiling, size_t columns) {
    if ((tiling.spec.element == 1 && !loads_lines(tiling.spec)) || loops[columns].tiles == 1) return false;
    const Loop& column = nest.loops[columns];
    for (size_t k : tiling.loops) {
        const Loop& row = nest.loops[k];
        if (row.stride[1] != 1 || k == columns) continue;
        if (row.stride[0] == column.extent && column.extent * tiling.spec.source <= source_run_bytes) return true;
        if (column.stride[1] == row.extent && loops[k].tiles == 2) return true;
    }
    return false;
}

// Loop order: along src for a few lines, then along dst, then the remaining loops from the inside out. In cache: a few
// lines of each src row, row by row. Beyond (non-temporal stores): 256 bytes of each dst row and as many of each src
// row, the next lines being prefetched; both sides then go through their pages in long runs.
Walk walk_of(const Nest& nest, const std::vector<TiledLoop>& loops, const Tiling& tiling) {
    Walk walk;
    if (tiling.loops.size() > 1)
        for (size_t k : tiling.loops)
            if (!walk.columns && nest.loops[k].stride[0] == 1) walk.columns = k;
    walk.dst_first = tiling.spec.stream || (walk.columns && rows_adjoin(nest, loops, tiling, *walk.columns));
    bool turns = false; // different loops are dense: a real transposition
    for (size_t k : tiling.loops) {
        turns |= nest.loops[k].stride[0] != 1 && nest.loops[k].stride[1] == 1;
        walk.others_move |= walk.columns && k != *walk.columns && loops[k].tiles > 1;
    }
    auto add = [&](size_t k) {
        if (std::find(walk.order.begin(), walk.order.end(), k) == walk.order.end()) walk.order.push_back(k);
    };
    if (turns) {
        if (walk.columns) add(*walk.columns);
        for (size_t k : tiling.loops) add(k);
        if (walk.dst_first && walk.columns && walk.order.size() > 1) std::swap(walk.order[0], walk.order[1]);
    }
    for (size_t k : by_distance(nest)) add(k);
    return walk;
}

// Assigns loops to the levels of the kernel and tiles to blocks, up to the bytes of a unit.
void cut_blocks(const Nest& nest, const Context& context, const Walk& walk, TransposeChoice& choice) {
    const TransposeSpec& spec = choice.spec;
    const int64_t total = nest.points() * (spec.source + spec.element);
    const int64_t unit_bytes = bytes_of_unit(total, context);
    const int64_t run_bytes = spec.stream && spec.element > 1 ? stream_source_bytes : source_run_bytes;
    int level = 0;
    int64_t bytes = spec.source + spec.element;
    for (const TileLoop& l : spec.loops) bytes *= l.valid;
    for (size_t k : walk.order) {
        TiledLoop& t = choice.loops[k];
        if (level == kernel_loops) break;
        if (t.tiles == 1) continue;
        t.level = level++;
        int64_t most = std::max<int64_t>(1, unit_bytes / bytes);
        if (walk.others_move && k == *walk.columns) most = std::max<int64_t>(1, run_bytes / (t.tile * spec.source));
        if (walk.others_move && walk.dst_first && t.loop.stride[1] == 1)
            most =
                std::max<int64_t>(1, (spec.stream ? stream_target_bytes : source_run_bytes) / (t.tile * spec.element));
        t.block = std::min(t.tiles, most);
        if (t.tiles > t.block && t.tiles < 2 * t.block) t.block = ceil_div(t.tiles, 2);
        bytes *= t.block;
    }
    for (const TiledLoop& t : choice.loops) choice.units *= t.blocks();
}

std::optional<TransposeChoice> choose(const Nest& nest, const TransposeSpec& base, const jit::Target& target,
                                      const Context& context) {
    const std::optional<Tiling> tiling = tiling_of(nest, base, target, context);
    if (!tiling) return std::nullopt;
    TransposeChoice choice{tiling->spec, tiled_loops(nest, *tiling)};
    cut_blocks(nest, context, walk_of(nest, choice.loops, *tiling), choice);
    return choice;
}

} // namespace

std::optional<TransposeChoice> choose_transpose(const Nest& nest, const TransposeSpec& base, const jit::Target& target,
                                                const Context& context) {
    if (converts(base) && base.source < base.element && base.element <= 4) {
        TransposeSpec late = base;
        late.late = true;
        if (auto choice = choose(nest, late, target, context)) return choice;
    }
    return choose(nest, base, target, context);
}

TransposeBuffers transpose_buffers(const Context& context) {
    const int64_t most = std::min(buffer_bytes, context.l1_bytes / 4 * 3);
    return {most, std::min(most, context.l1_bytes / 8 * 5), most};
}

std::optional<Nest> with_chain(const Nest& nest, int64_t most) {
    std::vector<size_t> chain; // innermost first
    int64_t points = 1;
    for (bool found = true; found && points % 64;) {
        found = false;
        for (size_t k = 0; k < nest.loops.size() && !found; ++k) {
            const Loop& l = nest.loops[k];
            if (l.indexed() || l.extent == 1 || l.stride[0] != points || l.stride[1] == 1) continue;
            if (points * l.extent > most) break;
            chain.push_back(k), points *= l.extent, found = true;
        }
    }
    if (chain.size() < 2) return std::nullopt;
    std::vector<int64_t> places{0};
    for (size_t k : chain) {
        const size_t had = places.size();
        for (int64_t i = 1; i < nest.loops[k].extent; ++i)
            for (size_t p = 0; p < had; ++p) places.push_back(places[p] + i * nest.loops[k].stride[1]);
    }
    Nest result;
    result.base = nest.base;
    for (size_t k = 0; k < nest.loops.size(); ++k)
        if (std::find(chain.begin(), chain.end(), k) == chain.end()) result.loops.push_back(nest.loops[k]);
    Loop one;
    one.extent = points, one.stride[0] = 1;
    one.table.set(1, std::move(places));
    result.loops.push_back(std::move(one));
    return result;
}

std::string to_string(const TransposeChoice& c) {
    std::string loops;
    for (const TiledLoop& t : c.loops)
        loops += fmt::format("{}{}/{}x{}{}", loops.empty() ? "" : " . ", t.loop.extent, t.tile, t.block,
                             t.level >= 0 ? fmt::format("@{}", t.level) : "");
    return fmt::format("{}; loops extent/tile x block {}; {} units", key(c.spec), loops, c.units);
}

} // namespace tessera::cpu
