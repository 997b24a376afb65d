// SPDX-License-Identifier: Apache-2.0
// Problem: its words; arguments of scales and zero points. What makes two problems the same: problem_key_test.cpp.
// covers: SCL-03 SCL-04 OSC-01 OSC-02 CCH-01 ARG-01 ARG-02 ARG-03 ARG-04 VRB-06
#include "core/problem/problem.hpp"

#include <bit>

#include <gtest/gtest.h>

#include "core/cache/problem_key.hpp"

namespace tessera {
namespace {

MemoryDesc desc(std::vector<int64_t> dims, DataType type = DataType::f32, const char* tag = "abcd") {
    return *make_desc_with_tag(dims, type, tag);
}

Problem reorder(const MemoryDesc& src, const MemoryDesc& dst) {
    Problem p;
    p.kind = PrimitiveKind::reorder;
    p.tensors = {{arg::src, src, false, false}, {arg::dst, dst, true, false}};
    return p;
}

Problem base() { return reorder(desc({2, 6, 3, 4}), desc({2, 6, 3, 4}, DataType::s8, "acdb")); }

TEST(Problem, StridesOfExtentOneAreKept) {
    const int64_t dims[] = {1, 4}, s1[] = {4, 1}, s2[] = {77, 1};
    const MemoryDesc a = *make_desc_with_strides(dims, DataType::f32, s1),
                     b = *make_desc_with_strides(dims, DataType::f32, s2);
    ASSERT_TRUE(a == b);
    EXPECT_FALSE(same_problem(reorder(a, a), reorder(b, b))) << "queries answer the caller's strides";
}

TEST(Problem, Words) {
    Problem p = base();
    EXPECT_EQ(p.shape(), "2x6x3x4");
    EXPECT_EQ(p.auxiliary(), "");
    p.params = {{23, 1}, {32, 2}};
    EXPECT_EQ(p.auxiliary(), "axis:1 group:2");
    const int64_t open[] = {runtime_dim, 3, runtime_dim};
    const MemoryDesc md = *make_desc_with_tag(open, DataType::f32, "abc");
    EXPECT_EQ(reorder(md, md).auxiliary(), "runtime-dim-mask:5");
    EXPECT_EQ(name(PrimitiveKind::shuffle), "shuffle");
    EXPECT_EQ(name(PropKind::backward_data), "backward_data");
}

TEST(Problem, ArgumentNames) {
    EXPECT_EQ(arg_name(1), "src");
    EXPECT_EQ(arg_name(145), "diff_dst");
    EXPECT_EQ(arg_name(4096 | 1), "scales of src");
    EXPECT_EQ(arg_name(8192 | 33), "zero points of weights");
    EXPECT_EQ(arg_name(513), "output scales");
    EXPECT_EQ(arg_name(1024 + 3), "src 3");
    EXPECT_EQ(arg_name(2048 + 3), "dst 3");
    EXPECT_EQ(arg_name(32768 * 3 + 2), "src_1 of post-op 2");
    EXPECT_EQ(arg_name(16384 | 33), "weights of the depthwise post-op");
    EXPECT_EQ(arg_name(-5), "argument -5");
}

TEST(QuantDims, MaskedDimsAndGroups) {
    const MemoryDesc md = desc({2, 6, 3, 4});
    Quant q;
    EXPECT_EQ(quant_dims(q, md), (std::vector<int64_t>{1, 1, 1, 1}));
    q.mask = 0b0110;
    EXPECT_EQ(quant_dims(q, md), (std::vector<int64_t>{1, 6, 3, 1}));
    q.mask = 0b1100;
    q.groups = {3, 2};
    EXPECT_EQ(quant_dims(q, md), (std::vector<int64_t>{1, 1, 1, 2}));
}

TEST(QuantArgs, AscendingIdsWithCounts) {
    Problem p = base();
    p.attr.scales[1].mask = 2;
    p.attr.scales[17] = {};
    p.attr.zero_points[17].type = DataType::s32;
    p.attr.output_scales.mask = 3;
    p.attr.output_scales.values = {std::bit_cast<float>(0x7fc000d0u)};
    const auto args = quant_args(p);
    ASSERT_EQ(args.size(), 4u);
    EXPECT_EQ(args[0].id, 513);
    EXPECT_EQ(args[0].count, 12);
    EXPECT_EQ(args[1].id, 4096 | 1);
    EXPECT_EQ(args[1].count, 6);
    EXPECT_EQ(args[2].id, 4096 | 17);
    EXPECT_EQ(args[2].count, 1);
    EXPECT_EQ(args[3].id, 8192 | 17);
    EXPECT_EQ(args[3].quant.type, DataType::s32);
}

TEST(QuantArgs, RuntimeDimsGiveRuntimeCounts) {
    const int64_t dims[] = {runtime_dim, 6};
    const MemoryDesc md = *make_desc_with_tag(dims, DataType::f32, "ab");
    Problem p = reorder(md, md);
    p.attr.scales[1].mask = 1;
    p.attr.scales[17].mask = 2;
    const auto args = quant_args(p);
    EXPECT_EQ(args[0].count, runtime_dim);
    EXPECT_EQ(args[1].count, 6);
}

} // namespace
} // namespace tessera
