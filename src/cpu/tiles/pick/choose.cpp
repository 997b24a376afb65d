// SPDX-License-Identifier: Apache-2.0
// Which way, and how large a piece: a piece costs its windows, its table and its store, so large pieces of few windows
// are best. Columns close to each other (src no shorter than a half of dst) come from one window a vector.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "core/division.hpp"
#include "cpu/tiles/gather/choose.hpp"
#include "cpu/tiles/pick/contract.hpp"

namespace tessera::cpu {

namespace {

struct Row {
    int element;
    std::span<const int64_t> places;
    int64_t low, high; // the first byte and the one behind the last
};

// Where the windows of elements [begin, end) start; none if they do not hold them.
std::optional<PickPiece> windows_of(const Row& row, const PickSpec& spec, size_t begin, size_t end) {
    PickPiece piece{{0, 0}, int64_t(begin) * row.element};
    const auto start = [&](int64_t least) { return std::min(least, row.high - spec.window); };
    const auto held = [&](int64_t place, int64_t from) {
        return place >= from && place + row.element <= from + spec.window;
    };
    int64_t least = row.high, rest = row.high;
    for (size_t e = begin; e < end; ++e) least = std::min(least, row.places[e]);
    piece.src[0] = piece.src[1] = start(least);
    for (size_t e = begin; e < end; ++e)
        if (!held(row.places[e], piece.src[0])) rest = std::min(rest, row.places[e]);
    if (rest == row.high) return piece;
    if (spec.windows() == 1) return std::nullopt;
    piece.src[1] = start(rest);
    for (size_t e = begin; e < end; ++e)
        if (!held(row.places[e], piece.src[0]) && !held(row.places[e], piece.src[1])) return std::nullopt;
    return piece;
}

size_t pieces_of(const Row& row, const PickSpec& spec) {
    return size_t(ceil_div(std::ssize(row.places), int64_t(spec.piece / spec.element)));
}
size_t begin_of(const Row& row, const PickSpec& spec, size_t piece) {
    const size_t each = size_t(spec.piece / spec.element);
    return std::min(piece * each, row.places.size() - each);
}

bool holds(const Row& row, const PickSpec& spec) {
    const size_t each = size_t(spec.piece / spec.element);
    if (each > row.places.size()) return false;
    for (size_t p = 0; p < pieces_of(row, spec); ++p)
        if (const size_t at = begin_of(row, spec, p); !windows_of(row, spec, at, at + each)) return false;
    return true;
}

PickSpec cheapest(const jit::Target& target, const Row& row) {
    std::optional<PickSpec> best;
    double least = 0;
    const int width = target.vector_bytes;
    for (const PickWay way : {PickWay::permute, PickWay::permute2, PickWay::shuffle, PickWay::shuffle2}) {
        const bool shuffle = way == PickWay::shuffle || way == PickWay::shuffle2;
        if (!shuffle && !permutes(target, row.element)) continue;
        if (way == PickWay::permute2 && !target.masks) continue;
        PickSpec spec{.way = way, .element = row.element};
        const int most = shuffle ? 16 : width;
        spec.window = int(std::min<int64_t>(most, row.high - row.low));
        for (spec.piece = most; spec.piece >= row.element; spec.piece /= 2) {
            const double cost = double(1 + spec.windows()) * double(pieces_of(row, spec));
            if (best && cost >= least) continue;
            if (!holds(row, spec)) continue;
            best = spec, least = cost;
            break; // smaller pieces cost more
        }
    }
    return *best; // pieces of one element are always possible
}

} // namespace

Picks picks_of(const jit::Target& target, int element, const std::vector<int64_t>& places) {
    const auto [low, high] = std::ranges::minmax(places);
    const Row row{element, places, low, high + element};
    Picks picks{.spec = cheapest(target, row), .pieces = {}, .tables = {}};
    PickSpec& spec = picks.spec;
    const size_t count = pieces_of(row, spec), each = size_t(spec.piece / element);
    spec.turn = count <= most_pick_turn ? int(count) : most_pick_turn / 2;
    const auto all = size_t(round_up(int64_t(count), int64_t(spec.turn)));
    const auto table_bytes = size_t(pick_table_bytes(target, spec));
    const bool shuffle = spec.way == PickWay::shuffle || spec.way == PickWay::shuffle2;
    picks.tables.resize(ceil_div(all * table_bytes, sizeof(Picks::Line)));
    uint8_t* table = picks.tables.data()->bytes;
    std::memset(table, shuffle ? 0x80 : 0, picks.tables.size() * sizeof(Picks::Line));
    for (size_t p = 0; p < all; ++p, table += table_bytes) {
        const size_t begin = begin_of(row, spec, std::min(p, count - 1));
        const PickPiece piece = *windows_of(row, spec, begin, begin + each);
        picks.pieces.push_back(piece);
        for (size_t e = 0; e < each; ++e) {
            const int64_t place = places[begin + e];
            const bool second = place < piece.src[0] || place + element > piece.src[0] + spec.window;
            const int64_t at = place - piece.src[second ? 1 : 0];
            if (shuffle)
                for (int b = 0; b < element; ++b)
                    table[(second ? 16 : 0) + e * size_t(element) + size_t(b)] = uint8_t(at + b);
            else
                table[e * size_t(element)] = uint8_t((at + (second ? target.vector_bytes : 0)) / element);
        }
    }
    return picks;
}

} // namespace tessera::cpu
