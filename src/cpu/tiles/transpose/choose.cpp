#include "cpu/tiles/transpose/choose.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace tessera::cpu {

namespace {

constexpr int64_t unit_bytes = 64 << 10;    // read and written: some microseconds, and a call costs some 20 ns
constexpr int64_t source_run_bytes = 256;   // of a row before the next rows: four lines keep the prefetcher going
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
            if (!nest.loops[k].indexed() && nest.loops[k].stride[operand] == stride && nest.loops[k].extent > 1) found = k;
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

// One or two registers a turn leave the loop around them visible: more of the same along a loop that is there anyway.
void unroll(const Nest& nest, std::vector<size_t>& tiled, TransposeSpec& spec) {
    int bits = -int(spec.line.size());
    for (const TileLoop& l : spec.loops) bits += l.bits;
    if (bits > 1) return;
    for (size_t k = nest.loops.size(); k-- > 0;) {
        const Loop& loop = nest.loops[k];
        const auto it = std::find(tiled.begin(), tiled.end(), k);
        const int has = it == tiled.end() ? 0 : spec.loops[size_t(it - tiled.begin())].bits;
        if (loop.indexed() || loop.extent < int64_t(4) << has) continue;
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

std::optional<TransposeChoice> choose_transpose(const Nest& nest, const TransposeSpec& base, const jit::Target& target,
                                                const Machine& machine) {
    const int element = base.element;
    const int lane_bits = log2_of(16 / element);
    const Run line = contiguous(nest, 1, log2_of(target.vector_bytes / element), log2_of(smallest_line / element));
    if (line.loops.empty()) return std::nullopt;
    TransposeChoice choice;
    std::vector<size_t> tiled;
    bool found = false;
    auto attempt = [&](int bits, int least) {
        const Run piece = contiguous(nest, 0, std::min(bits, line.bits), least);
        tiled.clear();
        if (piece.loops.empty()) return;
        choice.spec = spec_of(nest, base, line, piece, tiled);
        found = can_build_transpose(target, choice.spec);
    };
    // 32-byte pieces need a third of the inserts and one shuffle a line more; bytes would need 32 registers.
    const int most = lane_bits + (target.vector_bytes == 64 && element > 1 ? 1 : 0);
    if (!base.program.ops.empty())
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
    const size_t columns = tiled.size() > 1 ? size_t(std::find_if(tiled.begin(), tiled.end(), [&](size_t k) {
                                                         return nest.loops[k].stride[0] == 1;
                                                     }) - tiled.begin())
                                            : tiled.size();
    // In cache: a few lines of each src row, row by row. Beyond: 256 bytes of each dst row at once and the same of each
    // src row, the lines after them on their way; the streams of both sides then cover pages well.
    const bool stream = base.stream;
    std::vector<size_t> order;
    if (columns < tiled.size()) order.push_back(tiled[columns]);
    for (size_t k : tiled)
        if (std::find(order.begin(), order.end(), k) == order.end()) order.push_back(k);
    if (stream && columns < tiled.size() && order.size() > 1) std::swap(order[0], order[1]);
    for (size_t k = nest.loops.size(); k-- > 0;)
        if (!nest.loops[k].indexed() && std::find(order.begin(), order.end(), k) == order.end()) order.push_back(k);
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
        if (other_moves && k == tiled[columns]) most = std::max<int64_t>(1, source_run_bytes / (t.tile * base.source));
        if (stream && other_moves && t.loop.stride[1] == 1)
            most = std::max<int64_t>(1, source_run_bytes / (t.tile * element));
        t.block = std::min(t.tiles, most);
        if (t.tiles > t.block && t.tiles < 2 * t.block) t.block = (t.tiles + 1) / 2;
        bytes *= t.block;
    }
    for (const TiledLoop& t : choice.loops) choice.units *= t.blocks();
    (void)machine;
    return choice;
}

std::string to_string(const TransposeChoice& c) {
    std::string loops;
    for (const TiledLoop& t : c.loops)
        loops += fmt::format("{}{}/{}x{}{}", loops.empty() ? "" : " . ", t.loop.extent, t.tile, t.block,
                             t.level >= 0 ? fmt::format("@{}", t.level) : "");
    return fmt::format("{}; loops extent/tile x block {}; {} units", key(c.spec), loops, c.units);
}

} // namespace tessera::cpu
