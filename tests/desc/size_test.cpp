// SPDX-License-Identifier: Apache-2.0
// Bytes of layouts: the largest of extent x stride, whole blocks, half bytes.
// covers: MEM-04 MEM-12 MEM-13 DER-01 QRY-03
#include "describe.hpp"

namespace tessera::testing {
namespace {

struct Row {
    List dims;
    std::string_view tag;
    List padded, strides;
    size_t bytes;
};

TEST(Size, BlockedLayouts) {
    const Row rows[] = {
        {{2, 17, 5}, "aBc8b", {2, 24, 5}, {120, 40, 8}, 960},
        {{2, 17, 5}, "aBc16b", {2, 32, 5}, {160, 80, 16}, 1280},
        {{17, 5}, "AB16b16a", {32, 16}, {256, 256}, 2048},
        {{17, 5}, "BA4b8a16b4a", {32, 64}, {2048, 2048}, 8192},
        {{3, 5, 7}, "ABc4b16a4b", {16, 16, 7}, {1792, 1792, 256}, 7168},
        {{2, 3, 5, 7}, "ABcd16b16a2b", {16, 32, 5, 7}, {17920, 17920, 3584, 512}, 71680},
        {{2, 3}, "AB2a4b", {2, 4}, {8, 8}, 32},
        {{5}, "a", {5}, {1}, 20},
        {{32, 64, 3, 3}, "ABcd16a16b", {32, 64, 3, 3}, {9216, 2304, 768, 256}, 73728},
        {{1, 1}, "Ab4a", {4, 1}, {4, 4}, 16},
        {{0, 3}, "ab", {0, 3}, {3, 1}, 0},
        {{3, 0}, "ab", {3, 0}, {1, 1}, 0},
        {{2, 0, 5}, "aBc8b", {2, 0, 5}, {40, 40, 8}, 0},
        {{0, 17, 5}, "aBc8b", {0, 24, 5}, {120, 40, 8}, 0},
        {{2, 3, 4, 5, 6, 7}, "giodhw", {2, 3, 4, 5, 6, 7}, {2520, 210, 630, 42, 7, 1}, 20160},
    };
    for (const Row& row : rows) {
        const MemoryDesc md = tagged(row.dims, row.tag);
        EXPECT_EQ(padded_of(md), row.padded) << row.tag;
        EXPECT_EQ(strides_of(md), row.strides) << row.tag;
        EXPECT_EQ(size_of(md), row.bytes) << row.tag;
    }
}

TEST(Size, StridesCountWholeRows) {
    EXPECT_EQ(size_of(strided({2, 3}, {10, 2})), 80u);
    EXPECT_EQ(size_of(strided({2, 3}, {0, 1})), 12u);
    EXPECT_EQ(size_of(strided({2, 3}, {1, 0})), 8u);
    EXPECT_EQ(size_of(strided({2, 3}, {3, 0})), 24u);
    EXPECT_EQ(size_of(strided({1, 4}, {77, 1})), 16u);
    EXPECT_EQ(size_of(strided({1, 1}, {5, 9})), 4u);
    EXPECT_EQ(size_of(strided({2, 3}, {0, 0})), 4u); // one element is read, so one is needed
}

TEST(Size, RegionsLeaveTheOffsetOut) {
    const MemoryDesc parent = tagged({4, 8}, "ab");
    EXPECT_EQ(size_of(must(submemory(parent, List{2, 3}, List{1, 2}))), 64u);
    EXPECT_EQ(size_of(must(submemory(parent, List{1, 1}, List{3, 7}))), 4u);
    EXPECT_EQ(size_of(must(submemory(tagged({4, 8}, "ab", DataType::s4), List{2, 3}, List{1, 2}))), 8u);
}

// What a primitive touches: from the start of the buffer to the last element, without the gap behind it.
TEST(Size, ReachCountsTheOffsetAndNoGap) {
    const MemoryDesc parent = tagged({4, 8}, "ab");
    EXPECT_EQ(reach_of(parent), size_of(parent));
    EXPECT_EQ(reach_of(must(submemory(parent, List{2, 3}, List{2, 5}))), size_of(parent));
    EXPECT_EQ(reach_of(must(submemory(parent, List{2, 3}, List{1, 2}))), size_t(8 + 2 + 8 + 3) * 4);
    EXPECT_EQ(reach_of(strided({2, 3}, {10, 2})), size_t(10 + 4 + 1) * 4);
    EXPECT_EQ(reach_of(tagged({2, 17, 5}, "aBc8b")), 960u);
    EXPECT_EQ(reach_of(must(submemory(tagged({4, 8}, "ab", DataType::s4), List{2, 3}, List{1, 2}))), 11u);
    EXPECT_EQ(reach_of(tagged({0, 3}, "ab")), 0u);
    EXPECT_EQ(reach_of(must(make_host_scalar_desc(DataType::f16))), 2u);
    const MemoryDesc csr = must(make_csr_desc(List{4, 6}, DataType::f32, 3, DataType::s32, DataType::s32));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(reach_of(csr, i), size_of(csr, i));
    Extra extra;
    extra.flags = Extra::s8s8;
    extra.compensation_mask = 1;
    const MemoryDesc compensated = must(with_extra(tagged({3, 5}, "ab", DataType::s8), extra));
    EXPECT_EQ(reach_of(compensated), 16u + 12u);
    EXPECT_EQ(reach_of(compensated), size_of(compensated));
}

TEST(Size, NoLayoutNoBytes) {
    EXPECT_EQ(size_of(must(make_desc_any(List{2, 3}, DataType::f32))), 0u);
    EXPECT_EQ(size_of(MemoryDesc()), 0u);
    EXPECT_EQ(size_of(tagged({2, 3}, "ab"), 1), 0u);
    EXPECT_EQ(size_of(tagged({2, 3}, "ab"), -1), 0u);
}

TEST(Size, OddNumberOfHalfBytes) {
    for (int64_t n = 1; n < 9; ++n) EXPECT_EQ(size_of(tagged({n}, "a", DataType::u4)), size_t(n + 1) / 2);
}

} // namespace
} // namespace tessera::testing
