// SPDX-License-Identifier: Apache-2.0
// Chains of post-ops: parameters, length, equality.
// covers: PO-01 PO-02 PO-03 PO-04 PO-05 PO-06 ATR-04 ELT-31 STA-03
#include <limits>

#include <gtest/gtest.h>

#include "post_op_objects.hpp"

namespace tessera {
namespace {

Status status(PostOp p) {
    PostOps chain;
    const auto r = chain.append(std::move(p));
    if (r) return Status::success;
    EXPECT_FALSE(r.error().reason.empty());
    EXPECT_TRUE(chain.entries.empty());
    return r.error().status;
}

TEST(PostOps, The33rdIsOneTooMany) {
    PostOps chain;
    for (int i = 0; i < 32; ++i) ASSERT_TRUE(chain.append(sum_op(1)));
    const auto r = chain.append(sum_op(1));
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().status, Status::out_of_memory);
    EXPECT_EQ(chain.entries.size(), 32u);
}

TEST(PostOps, EltwiseAlgorithms) {
    for (int alg = 0; alg < 0x120; ++alg) {
        const bool known = (alg >= 0x20 && alg <= 0x34) || (alg >= 0x100 && alg <= 0x106);
        EXPECT_EQ(status(eltwise_op(alg)), known ? Status::success : Status::invalid_arguments) << alg;
    }
    EXPECT_EQ(status(eltwise_op(0x1fff0)), Status::invalid_arguments);
}

TEST(PostOps, EltwiseParameters) {
    for (const int clip : {0x2e, 0x2f, 0x106}) {
        EXPECT_EQ(status(eltwise_op(clip, 1, 0)), Status::invalid_arguments);
        EXPECT_EQ(status(eltwise_op(clip, 1, 1)), Status::success);
    }
    for (const int use_dst : {0x100, 0x102}) EXPECT_EQ(status(eltwise_op(use_dst, -1)), Status::invalid_arguments);
    EXPECT_EQ(status(eltwise_op(0x20, -1)), Status::success);
}

TEST(PostOps, SumTypes) {
    PostOp p = sum_op(1);
    p.type = DataType::s8;
    p.zero_point = 3;
    EXPECT_EQ(status(p), Status::success);
    p.type = DataType(77);
    EXPECT_EQ(status(p), Status::invalid_arguments);
}

TEST(PostOps, Binary) {
    const int64_t dims[] = {1, 3};
    PostOp p;
    p.kind = PostOpKind::binary;
    p.alg = 0x1fff0;
    EXPECT_EQ(status(p), Status::invalid_arguments) << "no src1";
    p.src1 = *make_desc_any(dims, DataType::f32);
    EXPECT_EQ(status(p), Status::success);
    p.alg = 0x1fffc; // select
    EXPECT_EQ(status(p), Status::invalid_arguments) << "no condition";
    p.src2 = *make_desc_any(dims, DataType::s8);
    EXPECT_EQ(status(p), Status::success);
    p.alg = 0x1fff1;
    EXPECT_EQ(status(p), Status::invalid_arguments) << "mul takes no src2";
    p.alg = 0x20;
    EXPECT_EQ(status(p), Status::invalid_arguments);
}

TEST(PostOps, Depthwise) {
    PostOp p;
    p.kind = PostOpKind::convolution;
    p.weights_type = p.dst_type = DataType::f32;
    const auto with = [&](int64_t kernel, int64_t stride, int64_t padding) {
        PostOp q = p;
        q.kernel = kernel;
        q.stride = stride;
        q.padding = padding;
        return status(q);
    };
    EXPECT_EQ(with(3, 1, 1), Status::success);
    EXPECT_EQ(with(0, 1, 0), Status::invalid_arguments);
    EXPECT_EQ(with(3, 0, 1), Status::invalid_arguments);
    EXPECT_EQ(with(3, 1, -1), Status::invalid_arguments);
    EXPECT_EQ(with(3, 1, 3), Status::invalid_arguments);
    p.weights_type = DataType::undef;
    EXPECT_EQ(with(3, 1, 1), Status::invalid_arguments);
}

TEST(PostOps, PreluMasks) {
    PostOp p;
    p.kind = PostOpKind::prelu;
    p.mask = 2;
    EXPECT_EQ(status(p), Status::success);
    p.mask = -1;
    EXPECT_EQ(status(p), Status::invalid_arguments);
    p.mask = 1 << 12;
    EXPECT_EQ(status(p), Status::invalid_arguments);
}

TEST(PostOps, KindsThatAreNone) {
    for (const int kind : {0, 1, 6, 99}) {
        PostOp p;
        p.kind = PostOpKind(kind);
        EXPECT_EQ(status(p), Status::invalid_arguments) << kind;
    }
}

TEST(PostOps, NanParametersEqualThemselves) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(sum_op(nan), sum_op(nan));
    EXPECT_FALSE(sum_op(nan) == sum_op(-nan));
    EXPECT_FALSE(sum_op(0.f) == sum_op(-0.f)) << "bits, not values";
}

TEST(PostOps, LentDescriptorsStayWhileTheChainGrows) {
    const int64_t dims[] = {1, 3};
    PostOp p;
    p.kind = PostOpKind::binary;
    p.alg = 0x1fff0;
    p.src1 = *make_desc_any(dims, DataType::f32);
    PostOps chain;
    ASSERT_TRUE(chain.append(sum_op(1)));
    ASSERT_TRUE(chain.append(p));
    const MemoryDesc* lent = &chain.entries[1].src1;
    while (chain.entries.size() < size_t(max_post_ops)) ASSERT_TRUE(chain.append(p));
    EXPECT_EQ(lent, &chain.entries[1].src1);
}

} // namespace
} // namespace tessera
