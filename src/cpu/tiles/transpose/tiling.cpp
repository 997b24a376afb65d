// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/transpose/tiling.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/division.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t smallest_line = 16;

struct Run {
    std::vector<std::pair<size_t, int>> loops; // index into the nest, bits taken
    int bits = 0;
};

// The contiguous run of `operand`, at most `most` bits of elements, and at least `least` (the last loop then only
// partly exists). Empty when the operand is dense nowhere. `scattered`: of src, loops whose places in dst are in a
// table count as well.
Run contiguous(const Nest& nest, size_t operand, int most, int least, bool scattered = false) {
    Run run;
    int64_t stride = 1;
    while (run.bits < most) {
        size_t found = nest.loops.size();
        for (size_t k = 0; k < nest.loops.size(); ++k)
            if ((!nest.loops[k].indexed() || (scattered && operand == 0 && !nest.loops[k].table[0])) &&
                nest.loops[k].stride[operand] == stride && nest.loops[k].extent > 1)
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
        // An extent that is no power of two ends the run; a short loop is rather cut down to the power below.
        run.loops.emplace_back(found, bits);
        run.bits += bits;
        if (!whole) break;
        stride *= extent;
    }
    if (!run.loops.empty() && run.bits < least) run.loops.back().second += least - run.bits, run.bits = least;
    return run;
}

int log2_of(int64_t x) { return std::bit_width(uint64_t(x)) - 1; }

Tiling tiling_of(const Nest& nest, const TransposeSpec& base, const Run& line, const Run& piece) {
    Tiling t{base, {}};
    auto index_of = [&](size_t k) {
        const auto it = std::find(t.loops.begin(), t.loops.end(), k);
        if (it != t.loops.end()) return size_t(it - t.loops.begin());
        t.loops.push_back(k);
        t.spec.loops.emplace_back();
        return t.loops.size() - 1;
    };
    auto take = [&](const Run& run, bool dst) {
        int64_t stride = 1;
        for (const auto& [k, bits] : run.loops) {
            const size_t i = index_of(k);
            TileLoop& loop = t.spec.loops[i];
            loop.bits = std::max(loop.bits, bits);
            (dst ? loop.dst : loop.src) = stride;
            for (int b = 0; b < bits; ++b) (dst ? t.spec.line : t.spec.piece).push_back({int8_t(i), int8_t(b)});
            stride *= nest.loops[k].extent;
        }
    };
    take(line, true);
    take(piece, false);
    for (size_t i = 0; i < t.loops.size(); ++i)
        t.spec.loops[i].valid =
            int(std::min<int64_t>(nest.loops[t.loops[i]].extent, int64_t(1) << t.spec.loops[i].bits));
    return t;
}

// In tiles of one or two registers the loop itself costs: they are unrolled by 4 along a loop that exists anyway.
void unroll(const Nest& nest, Tiling& t) {
    int bits = -int(t.spec.line.size());
    for (const TileLoop& l : t.spec.loops) bits += l.bits;
    if (bits > 1) return;
    for (size_t k : by_distance(nest)) {
        const Loop& loop = nest.loops[k];
        const auto it = std::find(t.loops.begin(), t.loops.end(), k);
        const int has = it == t.loops.end() ? 0 : t.spec.loops[size_t(it - t.loops.begin())].bits;
        if (loop.extent < int64_t(4) << has) continue;
        if (const int64_t tiles = loop.extent >> has; tiles < 16 && tiles % 4) continue; // 9 by fours are 12
        if (it == t.loops.end()) {
            if (t.loops.size() == tile_loops) continue;
            t.loops.push_back(k);
            t.spec.loops.push_back({2, 4, -1, -1});
        } else {
            TileLoop& l = t.spec.loops[size_t(it - t.loops.begin())];
            if (l.valid != 1 << l.bits) continue;
            l.bits += 2, l.valid *= 4;
        }
        return;
    }
}

// Pieces of a whole line, bytes 64 x 64: 16 loads and 96 shuffles a KiB in place of 64 loads (48 of them inserts) and
// 64 shuffles. Zen 5, from L1 46 cycles in place of 56, from L2 58 in place of 75 (a copy 33); level or behind where
// shuffles take a cycle each. Of the columns every one is a line of dst: in rows a power of two apart they evict one
// another before the next tile fills them (bf16 ab -> ba 1024x1024, 32 columns in 2 sets of 12 ways: 0.38 of memcpy; 16
// columns 0.54).
bool parts_win(const Nest& nest, const Tiling& t, const Machine& machine) {
    if (!machine.two_shuffles) return false;
    for (size_t i = 0; i < t.loops.size(); ++i) {
        // 49 of 64 rows take the shuffles of 64: bytes nhwc -> nchw 32x512x7x7 0.49 -> 0.46.
        if (t.spec.loops[i].valid != 1 << t.spec.loops[i].bits) return false;
        const Loop& loop = nest.loops[t.loops[i]];
        // The last tile of a loop computes what the one before has: s8 nhwc -> nchw of 67 channels 0.38 -> 0.28.
        const int64_t tile = t.spec.loops[i].valid;
        if (round_up(loop.extent, tile) * 3 > loop.extent * 4) return false;
        if (loop.stride[0] == 1 && loop.stride[1] != 1 &&
            lines_collide(machine, loop.stride[1] * t.spec.element, t.spec.loops[i].valid))
            return false;
    }
    return true;
}

} // namespace

bool lines_collide(const Machine& machine, int64_t step_bytes, int64_t lines) {
    step_bytes = std::abs(step_bytes);
    if (step_bytes % line_bytes) return false;
    constexpr int64_t sets = page / line_bytes;
    const int64_t used = sets / std::gcd(step_bytes / line_bytes, sets);
    return lines > used * machine.l1_ways;
}

bool loads_lines(const TransposeSpec& spec) {
    return spec.source << spec.piece.size() == line_bytes && spec.piece.size() == spec.line.size();
}

std::optional<Tiling> tiling_of(const Nest& nest, const TransposeSpec& base, const jit::Target& target,
                                const Machine& machine) {
    const int moved = moved_bytes(base), lane_bits = log2_of(16 / moved);
    const Run line = contiguous(nest, 1, log2_of(target.vector_bytes / moved),
                                log2_of((base.late ? target.vector_bytes : smallest_line) / moved));
    if (line.loops.empty()) return std::nullopt;
    auto attempt = [&](int bits, int least) -> std::optional<Tiling> {
        const Run piece = contiguous(nest, 0, std::min(bits, line.bits), least, base.scattered >= 0);
        if (piece.loops.empty()) return std::nullopt;
        Tiling t = tiling_of(nest, base, line, piece);
        if (base.scattered >= 0)
            for (size_t i = 0; i < t.loops.size(); ++i)
                if (nest.loops[t.loops[i]].indexed()) t.spec.scattered = int(i);
        t.spec.join = join_of(target, t.spec);
        if (!can_build_transpose(target, t.spec)) return std::nullopt;
        return t;
    };
    std::optional<Tiling> t;
    if (converts(base) && !base.late) {
        const int values = log2_of(target.vector_bytes / 4);
        t = attempt(values, values);
    } else {
        // The longest pieces that fit the registers: every doubling halves the inserts and adds a shuffle a line
        // (4-byte elements by 16, 32, 64 bytes: 0.89, 0.95, 0.99 of memcpy in cache).
        const int most = target.vector_bytes == 64 ? lane_bits + 2 : lane_bits;
        for (int bits = most; !t && bits >= lane_bits - 1 && bits >= 0; --bits) {
            t = attempt(bits, 0);
            if (t && runs_in_parts(t->spec) && !parts_win(nest, *t, machine)) t.reset();
        }
    }
    if (!t) return std::nullopt;
    unroll(nest, *t);
    if (!can_build_transpose(target, t->spec)) return std::nullopt;
    return t;
}

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

} // namespace tessera::cpu
