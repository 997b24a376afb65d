// SPDX-License-Identifier: Apache-2.0
// Descriptors as text in verbose lines.
// covers: VRB-04
#include "describe.hpp"

namespace tessera::testing {
namespace {

TEST(Print, Tokens) {
    EXPECT_EQ(to_token(tagged({2, 3, 4, 5}, "nhwc")), "f32::blocked:acdb::f0");
    EXPECT_EQ(to_token(tagged({2, 1, 3, 4}, "nhwc")), "f32::blocked:acdb::f0");
    EXPECT_EQ(to_token(tagged({2, 3}, "ab"), true), "f32:a:blocked:ab::f0");
    EXPECT_EQ(to_token(strided({2, 3}, {10, 1})), "f32::blocked:ab:10x1:f0");
    EXPECT_EQ(to_token(strided({2, 3}, {0, 1})), "f32::blocked:ab:0x1:f0");
    EXPECT_EQ(to_token(tagged({2, 17, 3}, "aBc8b", DataType::s8), true), "s8:ap:blocked:aBc8b::f0");
    EXPECT_EQ(to_token(must(submemory(tagged({4, 8}, "ab"), List{2, 3}, List{1, 2}))), "f32:0:blocked:ab:8x1:f0");
    EXPECT_EQ(to_token(must(submemory(tagged({4, 8}, "ab"), List{2, 8}, List{1, 0}))), "f32:0:blocked:ab::f0");
    EXPECT_EQ(to_token(must(submemory(tagged({2, 20, 5}, "aBc8b"), List{2, 8, 5}, List{0, 8, 0}))),
              "f32:0:blocked:aBc8b:120x40x8:f0");
    EXPECT_EQ(to_token(MemoryDesc()), "undef::undef:::");
    EXPECT_EQ(to_token(must(make_desc_any(List{2, 3}, DataType::bf16))), "bf16::any:any::f0");
    EXPECT_EQ(to_token(must(make_csr_desc(List{4, 6}, DataType::f32, 3, DataType::s32, DataType::s32))),
              "f32::sparse:csr::");
    EXPECT_EQ(to_token(must(make_host_scalar_desc(DataType::f32))), "f32::host_scalar:::");
    EXPECT_EQ(to_token(tagged({any_extent, 3}, "ba")), "f32::blocked:*::f0");
    EXPECT_EQ(to_token(tagged({2, any_extent}, "ba")), "f32::blocked:ba::f0");
    EXPECT_EQ(to_token(strided({2, 3}, {any_extent, 1})), "f32::blocked:*::f0");
    EXPECT_EQ(to_token(tagged({2, any_extent}, "ab")), "f32::blocked:*::f0");
    EXPECT_EQ(to_token(strided({any_extent, 3}, {5, 1})), "f32::blocked:ab::f0");
    EXPECT_EQ(to_token(tagged({any_extent, 17, 3}, "aBc8b")), "f32:p:blocked:aBc8b::f0");
    const MemoryDesc weights = tagged({16, 16}, "ab", DataType::s8);
    EXPECT_EQ(to_token(must(with_extra(weights, {Extra::asymmetric_src, 0, 2, 1.f}))), "s8::blocked:ab::f8:zpm2");
}

TEST(Print, Dims) {
    EXPECT_EQ(to_string(std::span<const int64_t>()), "");
    EXPECT_EQ(to_string(List{2, 17, 5, 5}), "2x17x5x5");
    EXPECT_EQ(to_string(List{any_extent, 3}), "*x3");
}

} // namespace
} // namespace tessera::testing
