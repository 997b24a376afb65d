// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/dot/kernel/interleave.hpp"

namespace tessera::cpu {

using namespace jit;

void Interleaver::prepare() {
    std::vector<uint8_t> table(64, 0);
    if (bytes_) { // as 4 bytes of each lane: interleaving takes four columns of every lane to a vector
        for (int lane = 0; lane < 4; ++lane)
            for (int vector = 0; vector < 4; ++vector)
                table[size_t(4 * (4 * lane + vector))] = uint8_t(4 * vector + lane);
        order_ = {c_.constant(table)};
        return;
    }
    for (int vector = 0; vector < 2; ++vector) { // words of the first row and, from 32 on, of the second
        for (int column = 0; column < columns; ++column)
            for (int row = 0; row < 2; ++row)
                table[size_t(4 * column + 2 * row)] = uint8_t(32 * row + columns * vector + column);
        order_.push_back(c_.constant(table));
    }
}

std::vector<Vec> Interleaver::vectors(std::span<const Mem> rows, int vectors, const Mask* mask) {
    const int size = bytes_ ? 1 : 2, length = vectors * columns * size;
    std::vector<Vec> loaded;
    for (const Mem& row : rows) {
        const Vec x = mask ? c_.load_masked(row, *mask, size) : c_.load(row, length);
        loaded.push_back(bytes_ ? c_.permute(x, order_[0], 4) : x);
    }
    while (int(loaded.size()) < this->rows()) loaded.push_back(c_.zero());
    return bytes_ ? of_fours(loaded, vectors) : of_pairs(loaded, vectors);
}

std::vector<Vec> Interleaver::of_pairs(std::span<const Vec> rows, int vectors) {
    std::vector<Vec> out;
    for (int v = 0; v < vectors; ++v) out.push_back(c_.permute2(rows[0], rows[1], order_[size_t(v)], 2));
    return out;
}

std::vector<Vec> Interleaver::of_fours(std::span<const Vec> rows, int vectors) {
    std::vector<Vec> out;
    for (const bool high : {false, true}) {
        if (vectors <= (high ? 2 : 0)) break;
        const Vec first = c_.unpack(high, rows[0], rows[1], 1), second = c_.unpack(high, rows[2], rows[3], 1);
        out.push_back(c_.unpack(false, first, second, 2));
        if (vectors > (high ? 3 : 1)) out.push_back(c_.unpack(true, first, second, 2));
    }
    return out;
}

} // namespace tessera::cpu
