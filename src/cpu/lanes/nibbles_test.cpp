// SPDX-License-Identifier: Apache-2.0
// Unpacking of elements of 4 bits to bytes against the codec: every code, every length, nothing written behind. covers:
// MAT-43
#include "cpu/lanes/nibbles.hpp"

#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include "core/types/convert.hpp"

namespace tessera::cpu {

TEST(Nibbles, every_code_and_length) {
    std::vector<char> src;
    for (int i = 0; i < 300; ++i) src.push_back(char(i * 37 + i / 16));
    for (const DataType type : {DataType::s4, DataType::u4, DataType::f4_e2m1, DataType::f4_e3m0})
        for (int64_t count = 1, skipped = 0; count < 599; count += skipped, skipped = 1 - skipped) {
            std::vector<char> dst(size_t(count) + 1, 99);
            unpack_nibbles(nibble_at(src.data(), skipped), dst.data(), count, type);
            for (int64_t i = 0; i < count; ++i) {
                const auto got = read<float>(unpacked_type(type), dst.data(), i),
                           want = read<float>(type, src.data(), i + skipped);
                ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(want)) << i << " of " << count;
            }
            ASSERT_EQ(dst.back(), 99) << count;
        }
}

} // namespace tessera::cpu
