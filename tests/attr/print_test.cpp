// SPDX-License-Identifier: Apache-2.0
// Words of attributes in verbose lines.
// covers: VRB-05
#include <gtest/gtest.h>

#include "core/attr/attr.hpp"

namespace tessera {
namespace {

TEST(AttrText, DefaultIsEmpty) { EXPECT_EQ(to_string(Attr{}), ""); }

TEST(AttrText, EachAttributeOnce) {
    Attr a;
    a.scratchpad = ScratchpadMode::user;
    a.fpmath = FpmathMode::bf16;
    a.fpmath_apply_to_int = true;
    a.deterministic = true;
    Quant q;
    ASSERT_TRUE(a.set_scales(1, q));
    q.mask = 2;
    ASSERT_TRUE(a.set_scales(17, q));
    q = {};
    q.type = DataType::s32;
    q.on_host = true;
    ASSERT_TRUE(a.set_zero_points(17, q));
    PostOp sum;
    sum.kind = PostOpKind::sum;
    sum.scale = 2;
    ASSERT_TRUE(a.post_ops.append(sum));
    PostOp relu;
    relu.kind = PostOpKind::eltwise;
    relu.alg = 0x20;
    relu.alpha = 0.5f;
    ASSERT_TRUE(a.post_ops.append(relu));
    EXPECT_EQ(to_string(a), "attr-scratchpad:user attr-fpmath:bf16:true attr-deterministic:1 "
                            "attr-scales:src0:0:f32+dst:2:f32 attr-zero-points:dst:0:s32:host_scalar "
                            "attr-post-ops:sum:2+eltwise_relu:0.5");
}

TEST(AttrText, Groups) {
    Attr a;
    Quant q;
    q.mask = 3;
    q.groups = {1, 32};
    q.type = DataType::f16;
    ASSERT_TRUE(a.set_scales(33, q));
    EXPECT_EQ(to_string(a), "attr-scales:wei:3:f16:1x32");
}

TEST(AttrText, DefaultParametersAreLeftOut) {
    Attr a;
    PostOp sum;
    sum.kind = PostOpKind::sum;
    sum.type = DataType::s8;
    ASSERT_TRUE(a.post_ops.append(sum));
    EXPECT_EQ(to_string(a), "attr-post-ops:sum:1:0:s8");
}

// A mask of the dims that are not 1 and, for several of them, the layout.
TEST(AttrText, TensorsOfBinaryPostOps) {
    Attr a;
    const auto append = [&](const MemoryDesc& md) {
        PostOp p;
        p.kind = PostOpKind::binary;
        p.alg = 0x1fff0;
        p.src1 = md;
        ASSERT_TRUE(a.post_ops.append(p));
    };
    const int64_t full[] = {2, 3, 4}, channel[] = {1, 3, 1}, strides[] = {40, 10, 1};
    append(*make_desc_with_tag(full, DataType::f32, "acb"));
    append(*make_desc_any(full, DataType::s8));
    append(*make_desc_with_tag(channel, DataType::bf16, "abc"));
    append(*make_desc_with_strides(full, DataType::f32, strides));
    EXPECT_EQ(to_string(a), "attr-post-ops:binary_add:f32:7:acb+binary_add:s8:7:any+binary_add:bf16:2+"
                            "binary_add:f32:7:abc:40x10x1");
}

// What is usual comes first, as benchdnn has it.
TEST(AttrText, Depthwise) {
    Attr a;
    PostOp p;
    p.kind = PostOpKind::convolution;
    p.kernel = 3, p.stride = 2, p.padding = 1;
    p.weights_type = DataType::s8, p.bias_type = DataType::f32, p.dst_type = DataType::u8;
    ASSERT_TRUE(a.post_ops.append(p));
    EXPECT_EQ(to_string(a), "attr-post-ops:dw:k3s2p1:u8:f32:s8");
}

} // namespace
} // namespace tessera
