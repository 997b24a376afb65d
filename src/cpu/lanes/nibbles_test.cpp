// Unpacking of s4 and u4 to bytes against the codec: every code, every length, nothing written behind. covers: MAT-43
#include "cpu/lanes/nibbles.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "core/types/convert.hpp"

namespace tessera::cpu {

TEST(Nibbles, every_code_and_length) {
    std::vector<char> src;
    for (int i = 0; i < 300; ++i) src.push_back(char(i * 37 + i / 16));
    for (const DataType type : {DataType::s4, DataType::u4})
        for (int64_t count = 1; count < 600; ++count) {
            std::vector<char> dst(size_t(count) + 1, 99);
            unpack_nibbles(src.data(), dst.data(), count, type == DataType::s4);
            for (int64_t i = 0; i < count; ++i)
                ASSERT_EQ(int(dst[size_t(i)]), read<int32_t>(type, src.data(), i)) << i << " of " << count;
            ASSERT_EQ(dst.back(), 99) << count;
        }
}

} // namespace tessera::cpu
