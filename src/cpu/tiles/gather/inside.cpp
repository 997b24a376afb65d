// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/gather/inside.hpp"

#include <algorithm>

namespace tessera::cpu {

namespace {

constexpr int64_t most_indexed = 16 << 10; // bytes of a point with offset tables: 256 lines
constexpr int64_t vectors_of_loop = 4;     // the only loop beyond that is one of the kernel
// Rows that are short on both sides: 0.55 to 0.65 of memcpy in tiles of whole lines, whose last one repeats up to 60
// bytes of a row.
constexpr int64_t longest_row = 256;
constexpr int64_t rows_of_point = 64;

// Short rows: the row itself, and of the loops whose rows touch on one side the shorter one, so that a turn reads or
// writes a contiguous piece. Empty where there are none.
std::vector<bool> inside_rows(const std::vector<Loop>& loops, int64_t size) {
    size_t row = loops.size(), next = loops.size();
    for (size_t k = 0; k < loops.size(); ++k) {
        if (loops[k].indexed()) return {};
        if (is_short_row(loops[k], size)) row = k;
    }
    if (row == loops.size()) return {};
    const int64_t extent = loops[row].extent;
    for (size_t k = 0; k < loops.size(); ++k) {
        if (loops[k].stride[0] != extent && loops[k].stride[1] != extent) continue;
        if (next == loops.size() || loops[k].extent < loops[next].extent) next = k;
    }
    std::vector<bool> in(loops.size());
    in[row] = true;
    if (next < loops.size() && loops[next].extent <= rows_of_point) in[next] = true;
    return in;
}

// Loops whose iterations lie closer than a vector on one side, the closest first, but for the longest one of them; a
// loop with equal strides on both sides is left to the points unless its elements are contiguous.
std::vector<bool> inside_vectors(const std::vector<Loop>& loops, int64_t size, int64_t width, size_t row, int64_t zeros,
                                 int64_t most_bytes) {
    std::vector<bool> in(loops.size());
    int64_t bytes = ((row < loops.size() ? loops[row].extent : 1) + zeros) * size;
    if (row < loops.size()) in[row] = true;
    for (size_t k = 0; k < loops.size(); ++k)
        if (k != row && (loops[k].table[0] || loops[k].table[1])) in[k] = true, bytes *= loops[k].extent;
    const bool indexed = std::ranges::any_of(loops, [](const Loop& l) { return l.indexed(); });
    const int64_t most = indexed ? most_indexed : most_bytes;
    const auto distance = [&](size_t k) { return std::min(loops[k].stride[0], loops[k].stride[1]) * size; };
    const auto close = [&](size_t k) {
        const bool equal = loops[k].stride[0] == loops[k].stride[1] && loops[k].stride[0] != 1;
        return !in[k] && !equal && distance(k) < width;
    };
    size_t longest = loops.size();
    for (size_t k = 0; k < loops.size(); ++k)
        if (close(k) && (longest == loops.size() || loops[k].extent > loops[longest].extent)) longest = k;
    for (;;) {
        size_t next = loops.size();
        for (size_t k = 0; k < loops.size(); ++k)
            if (k != longest && close(k) && bytes * loops[k].extent <= most &&
                (next == loops.size() || distance(k) < distance(next)))
                next = k;
        if (next == loops.size()) break;
        in[next] = true, bytes *= loops[next].extent;
    }
    bool another = false; // for the points
    for (size_t k = 0; k < loops.size(); ++k) another |= !in[k] && k != longest;
    if (longest < loops.size() &&
        bytes * loops[longest].extent <= std::min(most, another ? most : vectors_of_loop * width))
        in[longest] = true;
    return in;
}

} // namespace

bool is_short_row(const Loop& l, int64_t size) {
    return !l.indexed() && l.stride[0] == 1 && l.stride[1] == 1 && l.extent * size >= 16 &&
           l.extent * size < longest_row;
}

GatherLoops gather_loops(const std::vector<Loop>& loops, int64_t size, int64_t width, bool copies, size_t row,
                         int64_t zeros, int64_t most) {
    GatherLoops chosen;
    if (copies && zeros == 0) chosen.inside = inside_rows(loops, size);
    if (chosen.inside.empty()) chosen.inside = inside_vectors(loops, size, width, row, zeros, most);
    const auto closest = [&](size_t but) { // in dst
        size_t best = loops.size();
        for (size_t k = 0; k < loops.size(); ++k)
            if (!chosen.inside[k] && k != but && (best == loops.size() || loops[k].stride[1] < loops[best].stride[1]))
                best = k;
        return best;
    };
    chosen.points = closest(loops.size());
    chosen.rows = closest(chosen.points);
    return chosen;
}

} // namespace tessera::cpu
