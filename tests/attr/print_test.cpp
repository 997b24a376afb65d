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

} // namespace
} // namespace tessera
