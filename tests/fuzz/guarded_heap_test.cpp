// SPDX-License-Identifier: Apache-2.0
// The guarded heap of the fuzz programs sees what it is there for: an access beside a block, on each side, through each
// way to get one; a block that is freed twice; and it keeps what a heap has to keep.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace tessera {

namespace {

volatile char sink;

// Blocks until one has the guard on that side: they take turns.
template <typename Make> void until_it_dies(const Make& make, int64_t offset) {
    for (int i = 0; i < 16; ++i) sink = make()[offset];
}

using GuardedHeapDeathTest = testing::Test;

} // namespace

TEST(GuardedHeapDeathTest, reads_beside_a_block_fault) {
    constexpr int64_t bytes = 4000; // of the alignment
    const auto by_new = [] { return new char[bytes]; };
    const auto by_malloc = [] { return static_cast<char*>(std::malloc(bytes)); };
    const auto aligned = [] { return static_cast<char*>(std::aligned_alloc(32, bytes)); };
    EXPECT_DEATH(until_it_dies(by_new, bytes), "");
    EXPECT_DEATH(until_it_dies(by_new, -1), "");
    EXPECT_DEATH(until_it_dies(by_malloc, bytes), "");
    EXPECT_DEATH(until_it_dies(by_malloc, -1), "");
    EXPECT_DEATH(until_it_dies(aligned, bytes), "");
    EXPECT_DEATH(until_it_dies(aligned, bytes + (60 << 10)), "");
}

TEST(GuardedHeapDeathTest, bytes_up_to_the_alignment_are_looked_at) {
    EXPECT_DEATH(
        {
            auto* const p = static_cast<char*>(std::malloc(1001));
            p[1001] = 1;
            std::free(p);
        },
        "were overwritten");
    EXPECT_DEATH(
        {
            void* const p = std::malloc(1001);
            void* volatile same = p;
            std::free(p);
            std::free(same);
        },
        "no block");
}

TEST(GuardedHeap, keeps_what_is_written) {
    std::vector<std::vector<uint8_t>> blocks;
    for (size_t n = 1; n < 3000; n = n * 5 / 4 + 1) blocks.emplace_back(n * n, uint8_t(n));
    for (const auto& block : blocks)
        for (const uint8_t byte : block) ASSERT_EQ(byte, block[0]);
    void* p = std::malloc(300);
    std::memset(p, 7, 300);
    for (const size_t bytes : {5000, 200, 100000}) p = std::realloc(p, bytes);
    for (int i = 0; i < 200; ++i) ASSERT_EQ(static_cast<char*>(p)[i], 7);
    std::free(p);
    for (const size_t alignment : {16, 64, 512, 4096, 65536}) {
        void* const at = std::aligned_alloc(alignment, alignment * 3);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(at) % alignment, 0U);
        std::free(at);
    }
    void* const zeros = std::calloc(100, 30);
    for (int i = 0; i < 3000; ++i) ASSERT_EQ(static_cast<char*>(zeros)[i], 0);
    std::free(zeros);
}

} // namespace tessera
