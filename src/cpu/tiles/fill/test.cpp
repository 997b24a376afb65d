// SPDX-License-Identifier: Apache-2.0
// Generated fills: every length up to two vectors, rows apart and one behind the other, any alignment; the bytes
// around each row stay as they were. covers: MEM-12
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/fill/contract.hpp"
#include "machines.hpp"
#include "run_code.hpp"

namespace tessera::cpu {

TEST(FillTile, writes_rows_and_nothing_else) {
    if (jit::vector_targets().empty()) GTEST_SKIP() << "no code is generated for this processor";
    for (const jit::Target& target : jit::vector_targets())
        for (int bytes = 1; bytes <= 2 * target.vector_bytes; ++bytes) {
            ASSERT_TRUE(can_build_fill(target, bytes));
            const auto kernel = jit::kernel(target, fill_key(bytes), [&] { return build_fill(target, bytes); });
            ASSERT_TRUE(kernel);
            for (int64_t rows : {1, 2, 7})
                for (int64_t gap : {0, 1, 64})
                    for (size_t shift : {0, 1, 37}) {
                        const int64_t row = bytes + gap;
                        std::vector<unsigned char> want(shift + size_t(rows * row) + 64, 0xa5), got = want;
                        for (int64_t i = 0; i < rows; ++i) std::memset(want.data() + shift + i * row, 0, size_t(bytes));
                        FillArgs args{got.data() + shift, row, rows};
                        (*kernel)(&args);
                        ASSERT_EQ(want, got) << bytes << " bytes, " << rows << " rows of " << row;
                    }
        }
    for (const jit::Target& target : jit::vector_targets()) {
        EXPECT_FALSE(can_build_fill(target, 0));
        EXPECT_FALSE(can_build_fill(target, 2 * target.vector_bytes + 1));
    }
}

} // namespace tessera::cpu
