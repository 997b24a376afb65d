// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/transpose/kernel/network.hpp"

#include <algorithm>
#include <bit>

namespace tessera::cpu {

namespace {

using Bits = std::vector<TileBit>;

bool has(const Bits& bits, TileBit b) { return std::find(bits.begin(), bits.end(), b) != bits.end(); }

// The bits that inserts put at positions above the piece: dst's own where they are not in the piece already.
Bits inserted(const Bits& piece, const Bits& line, int element) {
    const size_t need = line.size() - piece.size();
    Bits natural, rest;
    for (size_t p = piece.size(); p < line.size(); ++p) natural.push_back(has(piece, line[p]) ? TileBit{} : line[p]);
    // One lane bit to insert above a piece of two lanes: the lower one, since a lane stage enters at the top.
    if (need == 1 && int(piece.size()) + element == 5 && !has(piece, line[line.size() - 2]) && natural[0].loop >= 0)
        natural[0] = line[line.size() - 2];
    for (size_t p = line.size(); p-- > 0;)
        if (!has(piece, line[p]) && !has(natural, line[p])) rest.push_back(line[p]);
    for (TileBit& b : natural)
        if (b.loop < 0) b = rest.front(), rest.erase(rest.begin());
    return natural;
}

// The bits that joins add: of dst's low ones the highest, which may then stay where unpacks move them.
Bits joined_of(const TransposeSpec& spec, size_t count, int lane_start) {
    Bits result;
    auto take = [&](size_t p) {
        if (result.size() < count && !has(spec.piece, spec.line[p])) result.insert(result.begin(), spec.line[p]);
    };
    for (auto p = size_t(lane_start); p-- > 0;) take(p);
    for (auto p = size_t(lane_start); p < spec.line.size(); ++p) take(p);
    return result;
}

struct Builder {
    Network n;
    Bits at; // by position from n.element on

    int lane_start() const { return std::min(4, n.positions) - n.element; } // in `at`

    void permute_to(const Bits& wanted) {
        if (at == wanted) return;
        Stage s{StageKind::permute};
        for (int q = 0; q < n.element; ++q) s.from[size_t(q)] = int8_t(q);
        for (size_t q = 0; q < wanted.size(); ++q)
            s.from[q + size_t(n.element)] = int8_t(std::find(at.begin(), at.end(), wanted[q]) - at.begin() + n.element);
        n.stages.push_back(s);
        at = wanted;
    }
    void exchange(StageKind kind, TileBit in) {
        const auto g = size_t(std::find(n.stored_bits.begin(), n.stored_bits.end(), in) - n.stored_bits.begin());
        n.stages.push_back({kind, int(g), {}});
        const auto top = size_t(lane_start());
        if (kind == StageKind::unpack) {
            n.stored_bits[g] = at[top - 1];
            at.insert(at.begin(), in);
            at.erase(at.begin() + long(top));
        } else {
            n.stored_bits[g] = at[top];
            at.erase(at.begin() + long(top));
            at.push_back(in);
        }
    }
};

} // namespace

Network network_of(const TransposeSpec& spec) {
    Builder b;
    b.n.element = std::countr_zero(unsigned(moved_bytes(spec)));
    b.n.positions = b.n.element + int(spec.line.size());
    b.at = spec.piece;
    const auto join = [&](size_t count, long behind) {
        b.n.brought = joined_of(spec, count, b.lane_start());
        b.at.insert(b.at.begin() + behind, b.n.brought.begin(), b.n.brought.end());
    };
    switch (spec.join) {
    case Join::words:
        join(1, 0);
        break;
    case Join::bytes:
        join(2, 2);
        break;
    case Join::split: // lanes hold 0 2 4 6 1 3 5 7 of a row, then of the next; the upper half two more rows
        join(2, 3);
        std::rotate(b.at.begin(), b.at.begin() + 1, b.at.begin() + 3);
        std::rotate(b.at.begin() + 4, b.at.begin() + 5, b.at.end());
        break;
    default:
        b.n.brought = inserted(spec.piece, spec.line, b.n.element);
        b.at.insert(b.at.end(), b.n.brought.begin(), b.n.brought.end());
    }
    b.n.loaded = b.at;
    for (int l = 0; l < int(spec.loops.size()); ++l)
        for (int k = 0; k < spec.loops[size_t(l)].bits; ++k)
            if (const TileBit t{int8_t(l), int8_t(k)}; !has(b.at, t)) b.n.reg_bits.push_back(t);
    b.n.stored_bits = b.n.reg_bits;

    const auto lanes_at = size_t(b.lane_start());
    const Bits low(spec.line.begin(), spec.line.begin() + long(lanes_at));
    const Bits high(spec.line.begin() + long(lanes_at), spec.line.end());
    Bits missing_low, missing_high, kept_low;
    for (TileBit t : low) (has(b.at, t) ? kept_low : missing_low).push_back(t);
    for (TileBit t : high)
        if (!has(b.at, t)) missing_high.push_back(t);
    Bits extra;
    for (TileBit t : b.at)
        if (!has(spec.line, t)) extra.push_back(t);
    // Before the exchanges: kept low bits, extras that unpacks push out; in the lanes extras first, kept ones after.
    Bits wanted = kept_low;
    std::stable_partition(extra.begin(), extra.end(), [&](TileBit t) {
        return size_t(std::find(b.at.begin(), b.at.end(), t) - b.at.begin()) < lanes_at;
    });
    wanted.insert(wanted.end(), extra.begin(), extra.begin() + long(missing_low.size()));
    wanted.insert(wanted.end(), extra.begin() + long(missing_low.size()), extra.end());
    for (TileBit t : high)
        if (has(b.at, t)) wanted.push_back(t);
    b.permute_to(wanted);
    for (size_t k = missing_low.size(); k-- > 0;) b.exchange(StageKind::unpack, missing_low[k]);
    for (TileBit t : missing_high) b.exchange(StageKind::lanes, t);
    b.permute_to(spec.line);
    return b.n;
}

std::optional<Parts> parts_of(const Network& network, int group_bits) {
    const int bits = int(network.reg_bits.size());
    Parts parts{network.stages.size(), 0};
    while (parts.inner > 0) { // as many of the last stages as it takes
        unsigned inner = 0;
        for (size_t i = 0; i < parts.inner; ++i)
            if (network.stages[i].reg_bit >= 0) inner |= 1u << network.stages[i].reg_bit;
        const unsigned clash = inner & parts.outer;
        if (!clash && bits - std::popcount(parts.outer) <= group_bits) return parts;
        const Stage& last = network.stages[--parts.inner];
        if (last.reg_bit >= 0) parts.outer |= 1u << last.reg_bit;
        if (std::popcount(parts.outer) > group_bits) return std::nullopt;
    }
    return bits == 0 || bits <= group_bits ? std::optional(Parts{network.stages.size(), 0}) : std::nullopt;
}

} // namespace tessera::cpu
