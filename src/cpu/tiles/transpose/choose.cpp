#include "cpu/tiles/transpose/choose.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace tessera::cpu {

namespace {

// Read and written by a unit: 16 KiB cost 0.15 of the speed in calls and address arithmetic, 64 KiB 0.05 to 0.1.
constexpr int64_t smallest_unit = 16 << 10, largest_unit = 256 << 10;
constexpr int64_t units_per_thread = 8;
constexpr int64_t source_run_bytes = 256;  // of a row before the next rows: four lines keep the prefetcher going
constexpr int64_t longer_run_bytes = 1024; // beyond the caches: 4096^2 f32 0.25 -> 0.5 of memcpy on Zen 4, bytes lose
constexpr int64_t smallest_line = 16;

struct Run {
    std::vector<std::pair<size_t, int>> loops; // index into the nest, bits taken
    int bits = 0;
};

// The contiguous run of `operand`, at most `most` bits of elements, and at least `least` (the last loop then only
// partly exists). Empty when the operand is dense nowhere.
Run contiguous(const Nest& nest, size_t operand, int most, int least) {
    Run run;
    int64_t stride = 1;
    while (run.bits < most) {
        size_t found = nest.loops.size();
        for (size_t k = 0; k < nest.loops.size(); ++k)
            if (!nest.loops[k].indexed() && nest.loops[k].stride[operand] == stride && nest.loops[k].extent > 1)
                found = k;
        if (found == nest.loops.size()) break;
        const int64_t extent = nest.loops[found].extent;
        const int left = most - run.bits;
        if (extent >= int64_t(1) << left) {
            run.loops.emplace_back(found, left);
            run.bits = most;
            break;
        }
        const bool whole = std::has_single_bit(uint64_t(extent));
        const int bits = std::bit_width(uint64_t(extent - 1));
        // A loop that ends between powers of two ends the run; a short one is rather cut down to the power below.
        run.loops.emplace_back(found, bits);
        run.bits += bits;
        if (!whole) break;
        stride *= extent;
    }
    if (!run.loops.empty() && run.bits < least) run.loops.back().second += least - run.bits, run.bits = least;
    return run;
}

int log2_of(int64_t x) { return std::bit_width(uint64_t(x)) - 1; }

TransposeSpec spec_of(const Nest& nest, const TransposeSpec& base, const Run& line, const Run& piece,
                      std::vector<size_t>& tiled) {
    TransposeSpec spec = base;
    auto index_of = [&](size_t k) {
        const auto it = std::find(tiled.begin(), tiled.end(), k);
        if (it != tiled.end()) return size_t(it - tiled.begin());
        tiled.push_back(k);
        spec.loops.emplace_back();
        return tiled.size() - 1;
    };
    auto take = [&](const Run& run, bool dst) {
        int64_t stride = 1;
        for (const auto& [k, bits] : run.loops) {
            const size_t i = index_of(k);
            TileLoop& loop = spec.loops[i];
            loop.bits = std::max(loop.bits, bits);
            (dst ? loop.dst : loop.src) = stride;
            for (int b = 0; b < bits; ++b) (dst ? spec.line : spec.piece).push_back({int8_t(i), int8_t(b)});
            stride *= nest.loops[k].extent;
        }
    };
    take(line, true);
    take(piece, false);
    for (size_t i = 0; i < tiled.size(); ++i)
        spec.loops[i].valid = int(std::min<int64_t>(nest.loops[tiled[i]].extent, int64_t(1) << spec.loops[i].bits));
    return spec;
}

// Loops from the one whose points lie closest on either side: neighbouring lines first, so that runs get longer.
std::vector<size_t> by_distance(const Nest& nest) {
    std::vector<size_t> order;
    for (size_t k = 0; k < nest.loops.size(); ++k)
        if (!nest.loops[k].indexed()) order.push_back(k);
    auto rank = [&](size_t k) {
        const Loop& l = nest.loops[k];
        return std::pair(std::min(std::abs(l.stride[0]), std::abs(l.stride[1])), l.extent);
    };
    std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return rank(x) < rank(y); });
    return order;
}

// One or two registers a turn leave the loop around them visible: more of the same along a loop that is there anyway.
void unroll(const Nest& nest, std::vector<size_t>& tiled, TransposeSpec& spec) {
    int bits = -int(spec.line.size());
    for (const TileLoop& l : spec.loops) bits += l.bits;
    if (bits > 1) return;
    for (size_t k : by_distance(nest)) {
        const Loop& loop = nest.loops[k];
        const auto it = std::find(tiled.begin(), tiled.end(), k);
        const int has = it == tiled.end() ? 0 : spec.loops[size_t(it - tiled.begin())].bits;
        if (loop.extent < int64_t(4) << has) continue;
        if (const int64_t tiles = loop.extent >> has; tiles < 16 && tiles % 4) continue; // 9 in turns of 4: 12
        if (it == tiled.end()) {
            if (tiled.size() == tile_loops) continue;
            tiled.push_back(k);
            spec.loops.push_back({2, 4, -1, -1});
        } else {
            TileLoop& l = spec.loops[size_t(it - tiled.begin())];
            if (l.valid != 1 << l.bits) continue;
            l.bits += 2, l.valid *= 4;
        }
        return;
    }
}

} // namespace

namespace {

std::optional<TransposeChoice> choose(const Nest& nest, const TransposeSpec& base, const jit::Target& target,
                                      const Machine& machine) {
    const int element = base.element, moved = moved_bytes(base);
    const int lane_bits = log2_of(16 / moved);
    const Run line = contiguous(nest, 1, log2_of(target.vector_bytes / moved),
                                log2_of((base.late ? target.vector_bytes : smallest_line) / moved));
    if (line.loops.empty()) return std::nullopt;
    TransposeChoice choice;
    std::vector<size_t> tiled;
    bool found = false;
    auto attempt = [&](int bits, int least) {
        const Run piece = contiguous(nest, 0, std::min(bits, line.bits), least);
        tiled.clear();
        if (piece.loops.empty()) return;
        choice.spec = spec_of(nest, base, line, piece, tiled);
        choice.spec.join = join_of(target, choice.spec);
        found = can_build_transpose(target, choice.spec);
    };
    // The longest pieces that fit the registers: every doubling halves the inserts and adds a shuffle a line (4-byte
    // elements by 16, 32, 64 bytes: 0.89, 0.95, 0.99 of memcpy in cache).
    const int most = target.vector_bytes == 64 ? lane_bits + 2 : lane_bits;
    if (converts(base) && !base.late)
        attempt(log2_of(target.vector_bytes / 4), log2_of(target.vector_bytes / 4));
    else
        for (int bits = most; !found && bits >= lane_bits - 1 && bits >= 0; --bits) attempt(bits, 0);
    if (!found) return std::nullopt;
    unroll(nest, tiled, choice.spec);
    if (!can_build_transpose(target, choice.spec)) return std::nullopt;

    for (size_t k = 0; k < nest.loops.size(); ++k) {
        TiledLoop t{nest.loops[k], 1, 1, 1, -1, -1};
        const auto it = std::find(tiled.begin(), tiled.end(), k);
        if (it != tiled.end()) {
            t.index = int(it - tiled.begin());
            t.tile = choice.spec.loops[size_t(t.index)].valid;
        }
        t.tiles = (t.loop.extent + t.tile - 1) / t.tile;
        choice.loops.push_back(t);
    }
    // The kernel's loops, innermost first: along src for a few lines, along dst, then what is left from inside out.
    const size_t columns =
        tiled.size() > 1
            ? size_t(std::find_if(tiled.begin(), tiled.end(), [&](size_t k) { return nest.loops[k].stride[0] == 1; }) -
                     tiled.begin())
            : tiled.size();
    // In cache: a few lines of each src row, row by row. Beyond: 256 bytes of each dst row at once and the same of each
    // src row, the lines after them on their way; the streams of both sides then cover pages well.
    const bool stream = base.stream;
    const int64_t run_bytes = stream && element > 1 ? longer_run_bytes : source_run_bytes;
    // The same in cache where short rows adjoin: of src up to 256 bytes (nhwc with 64 channels), of dst two tiles (17 x
    // 100000 f32 0.52 -> 0.60). Rows that lie apart (reversed dimensions) lose 0.05 and more, bytes too.
    bool dst_first = stream;
    if (element > 1 && columns < tiled.size() && choice.loops[tiled[columns]].tiles > 1) {
        const Loop& column = nest.loops[tiled[columns]];
        for (size_t k : tiled) {
            const Loop& row = nest.loops[k];
            if (row.stride[1] != 1 || k == tiled[columns]) continue;
            dst_first |= row.stride[0] == column.extent && column.extent * base.source <= source_run_bytes;
            dst_first |= column.stride[1] == row.extent && choice.loops[k].tiles == 2;
        }
    }
    std::vector<size_t> order;
    auto add = [&](size_t k) {
        if (std::find(order.begin(), order.end(), k) == order.end()) order.push_back(k);
    };
    bool turns = false; // different loops are dense: a real transposition
    for (size_t k : tiled) turns |= nest.loops[k].stride[0] != 1 && nest.loops[k].stride[1] == 1;
    if (turns) {
        if (columns < tiled.size()) add(tiled[columns]);
        for (size_t k : tiled) add(k);
        if (dst_first && columns < tiled.size() && order.size() > 1) std::swap(order[0], order[1]);
    }
    for (size_t k : by_distance(nest)) add(k);
    const int64_t total = nest.points() * (base.source + element);
    const int64_t unit_bytes = std::clamp(total / (machine.threads * units_per_thread), smallest_unit, largest_unit);
    int level = 0;
    int64_t bytes = base.source + element;
    for (const TileLoop& l : choice.spec.loops) bytes *= l.valid;
    bool other_moves = false;
    for (size_t k : tiled) other_moves |= columns < tiled.size() && k != tiled[columns] && choice.loops[k].tiles > 1;
    for (size_t k : order) {
        TiledLoop& t = choice.loops[k];
        if (level == 3) break;
        if (t.tiles == 1) continue;
        t.level = level++;
        int64_t most = std::max<int64_t>(1, unit_bytes / bytes);
        if (other_moves && k == tiled[columns]) most = std::max<int64_t>(1, run_bytes / (t.tile * base.source));
        if (dst_first && other_moves && t.loop.stride[1] == 1)
            most = std::max<int64_t>(1, source_run_bytes / (t.tile * element));
        t.block = std::min(t.tiles, most);
        if (t.tiles > t.block && t.tiles < 2 * t.block) t.block = (t.tiles + 1) / 2;
        bytes *= t.block;
    }
    for (const TiledLoop& t : choice.loops) choice.units *= t.blocks();
    return choice;
}

} // namespace

std::optional<TransposeChoice> choose_transpose(const Nest& nest, const TransposeSpec& base, const jit::Target& target,
                                                const Machine& machine) {
    if (converts(base) && base.source < base.element && base.element <= 4) {
        TransposeSpec late = base;
        late.late = true;
        if (auto choice = choose(nest, late, target, machine)) return choice;
    }
    return choose(nest, base, target, machine);
}

std::string to_string(const TransposeChoice& c) {
    std::string loops;
    for (const TiledLoop& t : c.loops)
        loops += fmt::format("{}{}/{}x{}{}", loops.empty() ? "" : " . ", t.loop.extent, t.tile, t.block,
                             t.level >= 0 ? fmt::format("@{}", t.level) : "");
    return fmt::format("{}; loops extent/tile x block {}; {} units", key(c.spec), loops, c.units);
}

} // namespace tessera::cpu
