// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/pack/short_rows.hpp"

#include <cstring>

namespace tessera::cpu {

namespace {

template <int bytes> void pad_dense(const ShortRows& from, uint32_t flips, int64_t count, char* to) {
    const char* row = from.first;
    for (int64_t i = 0; i < count; ++i, row += from.row) {
        uint16_t pair = 0;
        std::memcpy(&pair, row, bytes == 1 ? 1 : 2);
        const uint32_t third =
            bytes == 3 ? uint32_t(uint8_t(row[2])) << 16 : 0; // 3 bytes at once would go through memory
        const uint32_t x = (pair | third) ^ flips;
        std::memcpy(to + 4 * i, &x, sizeof x);
    }
}

} // namespace

void pad_rows(const ShortRows& from, int64_t count, char* to) {
    uint32_t flips = 0;
    for (int k = 0; k < from.elements; ++k) flips |= from.flip << 8 * from.size * k;
    const bool dense = from.column == from.size || from.elements == 1;
    switch (dense ? from.elements * from.size : 0) {
    case 1:
        return pad_dense<1>(from, flips, count, to);
    case 2:
        return pad_dense<2>(from, flips, count, to);
    case 3:
        return pad_dense<3>(from, flips, count, to);
    default: // bytes apart
        for (int64_t i = 0; i < count; ++i) {
            uint32_t x = 0;
            for (int k = 0; k < from.elements; ++k)
                x |= uint32_t(uint8_t(from.first[i * from.row + k * from.column])) << 8 * k;
            x ^= flips;
            std::memcpy(to + 4 * i, &x, sizeof x);
        }
    }
}

} // namespace tessera::cpu
