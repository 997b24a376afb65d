// SPDX-License-Identifier: Apache-2.0
// The rules of eltwise and of attributes that compute, as values: what is refused, with which status and why; which
// layouts open descriptors take; what goes into a problem.
#include <cmath>

#include <gtest/gtest.h>

#include "core/cache/problem_key.hpp"
#include "objects.hpp"
#include "ops/eltwise/eltwise.hpp"
#include "ops/epilogue.hpp"
#include "ops/ops.hpp"

namespace tessera::ops {

namespace {

constexpr int relu = 0x20, tanh_ = 0x21, linear = 0x26, clip = 0x2e, clip_v2 = 0x2f, round_ = 0x32;
constexpr int relu_dst = 0x100, tanh_dst = 0x101, elu_dst = 0x102, binary_add = 131056, binary_select = 131068;
constexpr PropKind training = PropKind::forward_training;

MemoryDesc any(std::vector<int64_t> dims, DataType type) { return *make_desc_any(dims, type); }

const MemoryDesc f32 = md({2, 3, 4, 5}, DataType::f32, "abcd");

MemoryDesc of(DataType type, std::string_view tag = "abcd") { return md({2, 3, 4, 5}, type, tag); }

Result<Problem> forward(int alg, const MemoryDesc& m, float alpha = 0, float beta = 0, const Attr& attr = {}) {
    return make_eltwise_forward(training, alg, m, m, alpha, beta, attr);
}
Result<Problem> backward(int alg, const MemoryDesc& m, float alpha = 0, float beta = 0) {
    return make_eltwise_backward(alg, m, m, m, alpha, beta, {});
}

Attr with(std::vector<PostOp> chain) {
    Attr attr;
    attr.post_ops.entries = std::move(chain);
    return attr;
}

} // namespace

// covers: ELT-31 ELT-35
TEST(EltwiseRules, algorithms_and_parameters) {
    for (int alg = 0; alg < 400; ++alg) {
        const bool known = (alg >= relu && alg <= 0x34) || (alg >= relu_dst && alg <= 0x106);
        EXPECT_EQ(bool(forward(alg, f32, 1, 2)), known) << alg;
        EXPECT_EQ(bool(backward(alg, f32, 1, 2)), known && alg != round_) << alg;
    }
    expect_refusal(forward(clip, f32, 2, 1), Status::invalid_arguments, "empty range");
    expect_refusal(forward(clip_v2, f32, 2, 1), Status::invalid_arguments, "empty range");
    expect_refusal(forward(clip, f32, std::nanf(""), 1), Status::invalid_arguments, "nan");
    EXPECT_TRUE(forward(clip, f32, 1, 1));
    expect_refusal(forward(relu_dst, f32, -1), Status::invalid_arguments, "alpha");
    expect_refusal(backward(elu_dst, f32, -1), Status::invalid_arguments, "alpha");
    EXPECT_TRUE(forward(relu, f32, -1));
    for (PropKind prop : {PropKind::undef, PropKind::backward, PropKind::backward_data, PropKind(77)})
        expect_refusal(make_eltwise_forward(prop, relu, f32, f32, 0, 0, {}), Status::invalid_arguments, "propagation");
}

// covers: ELT-19 ELT-33
TEST(EltwiseRules, types) {
    for (DataType t : {DataType::f32, DataType::bf16, DataType::f16, DataType::f8_e5m2, DataType::f8_e4m3}) {
        EXPECT_TRUE(forward(tanh_, of(t)));
        EXPECT_TRUE(backward(tanh_, of(t)));
        if (t != DataType::f32) expect_refusal(forward(round_, of(t)), Status::invalid_arguments, "f32 alone");
    }
    for (DataType t : {DataType::s32, DataType::s8, DataType::u8}) {
        for (int alg = relu; alg <= 0x34; ++alg) {
            if (alg == relu || alg == linear || alg == clip)
                EXPECT_TRUE(forward(alg, of(t), 1, 2)) << alg;
            else
                expect_refusal(forward(alg, of(t), 1, 2), Status::invalid_arguments, "integers");
        }
        expect_refusal(backward(relu, of(t)), Status::unimplemented, "gradients");
    }
    expect_refusal(forward(relu, of(DataType::f64)), Status::unimplemented, "f64");
    expect_refusal(make_eltwise_forward(training, relu, f32, of(DataType::bf16), 0, 0, {}), Status::unimplemented,
                   "types must be equal");
}

// covers: ELT-35
TEST(EltwiseRules, layouts) {
    const MemoryDesc open = any({2, 3, 4, 5}, DataType::f32), nhwc = of(DataType::f32, "acdb");
    const MemoryDesc blocked = of(DataType::f32, "aBcd16b");
    expect_refusal(make_eltwise_forward(training, relu, open, f32, 0, 0, {}), Status::invalid_arguments, "any");
    for (const MemoryDesc& src : {f32, nhwc, blocked}) {
        const auto p = make_eltwise_forward(training, relu, src, open, 0, 0, {});
        ASSERT_TRUE(p);
        EXPECT_EQ(p->md(arg::dst), src);
        EXPECT_TRUE(p->find(arg::dst)->was_any);
    }
    EXPECT_TRUE(make_eltwise_forward(training, relu, f32, nhwc, 0, 0, {})); // different ones are possible
    expect_refusal(make_eltwise_forward(training, relu, f32, md({2, 3, 4, 6}, DataType::f32, "abcd"), 0, 0, {}),
                   Status::invalid_arguments, "2x3x4x6");
    expect_refusal(make_eltwise_forward(training, relu, f32, md({2, 3, 4}, DataType::f32, "abc"), 0, 0, {}),
                   Status::invalid_arguments, "2x3x4");
    expect_refusal(make_eltwise_forward(training, relu, f32, MemoryDesc{}, 0, 0, {}), Status::invalid_arguments,
                   "empty");

    expect_refusal(make_eltwise_backward(relu, f32, f32, open, 0, 0, {}), Status::invalid_arguments, "any");
    auto p = make_eltwise_backward(relu, open, open, nhwc, 0, 0, {});
    ASSERT_TRUE(p);
    EXPECT_EQ(p->md(arg::diff_src), nhwc);
    EXPECT_EQ(p->md(arg::diff_dst), nhwc);
    p = make_eltwise_backward(relu, open, blocked, nhwc, 0, 0, {});
    ASSERT_TRUE(p);
    EXPECT_EQ(p->md(arg::diff_src), blocked);
    p = make_eltwise_backward(relu, blocked, open, nhwc, 0, 0, {});
    ASSERT_TRUE(p);
    EXPECT_EQ(p->md(arg::diff_dst), blocked);
}

// covers: ELT-32
TEST(EltwiseRules, tensors) {
    auto p = backward(tanh_, f32);
    EXPECT_TRUE(p->find(arg::src));
    EXPECT_FALSE(p->find(arg::dst));
    p = backward(tanh_dst, f32);
    EXPECT_FALSE(p->find(arg::src));
    EXPECT_TRUE(p->find(arg::dst));
    EXPECT_EQ(p->tensors.size(), 3u);
    EXPECT_TRUE(p->tensors[2].output && p->tensors[2].arg == arg::diff_src);
}

// covers: PO-05 PO-06 PO-07 ATR-03
TEST(AttributeTensors, become_inputs) {
    const MemoryDesc nhwc = of(DataType::f32, "acdb");
    const auto p = forward(
        relu, nhwc, 0, 0,
        with({binary_op(binary_add, any({2, 3, 4, 5}, DataType::bf16)), sum_op(1, 0, DataType::undef),
              binary_op(binary_select, md({1, 3, 1, 1}, DataType::s8, "abcd"), md({2, 3, 4, 5}, DataType::s8, "abcd")),
              prelu_op(2)}));
    ASSERT_TRUE(p) << p.error().reason;
    ASSERT_EQ(p->tensors.size(), 6u);
    const int ids[] = {arg::src,
                       arg::dst,
                       arg::post_op(0) | arg::src_1,
                       arg::post_op(2) | arg::src_1,
                       arg::post_op(2) | arg::src_2,
                       arg::post_op(3) | arg::weights};
    for (size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(p->tensors[i].arg, ids[i]);
        EXPECT_EQ(p->tensors[i].attribute, i > 1);
        EXPECT_EQ(p->tensors[i].output, i == 1);
    }
    EXPECT_EQ(p->tensors[2].md, of(DataType::bf16, "acdb"));
    EXPECT_TRUE(p->tensors[2].was_any);
    EXPECT_EQ(p->attr.post_ops.entries[0].src1, of(DataType::bf16, "acdb"));
    EXPECT_EQ(p->tensors[5].md, md({1, 3, 1, 1}, DataType::f32, "abcd"));
    EXPECT_EQ(arg::post_op(0), 32768);
    EXPECT_EQ(arg::post_op(31), 32 * 32768);
}

// covers: PO-03 PO-05 PO-06 PO-09 ATR-02 SCL-08 ZPT-04 ELT-37
TEST(AttributeRules, refusals_say_why) {
    const auto refused = [](std::vector<PostOp> chain, Status status, std::string_view word) {
        expect_refusal(forward(relu, f32, 0, 0, with(std::move(chain))), status, word);
    };
    refused({binary_op(binary_add, md({2, 3, 4, 4}, DataType::f32, "abcd"))}, Status::invalid_arguments, "dimension 3");
    refused({binary_op(binary_add, md({2, 3, 4}, DataType::f32, "abc"))}, Status::invalid_arguments, "3 dimensions");
    refused({binary_op(binary_add, of(DataType::f64))}, Status::unimplemented, "f64");
    refused({binary_op(binary_select, f32, md({2, 3, 4, 6}, DataType::s8, "abcd"))}, Status::invalid_arguments, "src2");
    refused({binary_op(binary_select, f32, f32)}, Status::unimplemented, "s8");
    refused({sum_op(1, 0, DataType::bf16)}, Status::invalid_arguments, "as wide");
    refused({sum_op(1, 3, DataType::undef)}, Status::invalid_arguments, "zero point");
    EXPECT_TRUE(forward(relu, f32, 0, 0, with({sum_op(1, 3, DataType::s32)})));
    refused({prelu_op(16)}, Status::invalid_arguments, "mask 16");
    PostOp depthwise;
    depthwise.kind = PostOpKind::convolution;
    refused({depthwise}, Status::unimplemented, "depthwise");
    // The contradiction is found behind what is not supported.
    refused({depthwise, prelu_op(16)}, Status::invalid_arguments, "mask 16");
    expect_refusal(make_eltwise_backward(relu, f32, f32, f32, 0, 0, with({sum_op(1, 0, DataType::undef)})),
                   Status::unimplemented, "post-ops");

    Attr attr;
    attr.scales[arg::src] = {};
    expect_refusal(forward(relu, f32, 0, 0, attr), Status::unimplemented, "scales of src");
    attr = {};
    attr.zero_points[arg::dst] = {};
    expect_refusal(forward(relu, of(DataType::s8), 0, 0, attr), Status::unimplemented, "zero points of dst");
    attr = {};
    attr.rounding[arg::dst] = RoundingMode::stochastic;
    expect_refusal(forward(relu, f32, 0, 0, attr), Status::unimplemented, "stochastic");
    attr = {};
    attr.output_scales.values = {2.f};
    expect_refusal(forward(relu, f32, 0, 0, attr), Status::unimplemented, "output scales");
    attr = {};
    attr.scratchpad = ScratchpadMode::user;
    attr.fpmath = FpmathMode::bf16;
    attr.accumulation = AccumulationMode::relaxed;
    attr.deterministic = true;
    EXPECT_TRUE(forward(relu, f32, 0, 0, attr));
}

// covers: SCL-08
TEST(AttributeRules, scales_where_they_are_possible) {
    AllowedAttributes one;
    one.scales = {arg::src};
    Attr attr;
    attr.scales[arg::src] = {};
    EXPECT_TRUE(check_attributes("x", attr, f32, one));
    attr.scales[arg::src].mask = 2;
    EXPECT_EQ(check_attributes("x", attr, f32, one).error().status, Status::unimplemented);
    one.scale_masks = true;
    EXPECT_TRUE(check_attributes("x", attr, f32, one));
    attr.scales[arg::src].mask = 16;
    EXPECT_EQ(check_attributes("x", attr, f32, one).error().status, Status::invalid_arguments);
    attr.scales[arg::src].mask = 12;
    attr.scales[arg::src].groups = {2, 1};
    EXPECT_EQ(check_attributes("x", attr, f32, one).error().status, Status::unimplemented);
    attr.scales[arg::src] = {};
    attr.scales[arg::src].mode = QuantizationMode::dynamic_mx;
    EXPECT_EQ(check_attributes("x", attr, f32, one).error().status, Status::unimplemented);
    attr = {};
    attr.scales[arg::dst] = {};
    EXPECT_NE(check_attributes("x", attr, f32, one).error().reason.find("src can have them"), std::string::npos);
}

// covers: ATR-04 VRB-06
TEST(EltwiseProblem, parameters_decide_bit_by_bit) {
    const auto a = *forward(relu, f32, 0.5f, 0), b = *forward(relu, f32, 0.5f, -0.f), c = *forward(relu, f32, 0.5f, 0);
    EXPECT_TRUE(same_problem(a, c));
    EXPECT_EQ(a.text(), c.text());
    EXPECT_EQ(hash(a), hash(c));
    EXPECT_FALSE(same_problem(a, b));
    EXPECT_NE(a.text(), b.text());
    const auto nan = *forward(relu, f32, std::nanf("")), again = *forward(relu, f32, std::nanf(""));
    EXPECT_TRUE(same_problem(nan, again));
    EXPECT_EQ(a.auxiliary(), "alg:eltwise_relu alpha:0.5 beta:0");
    EXPECT_EQ(a.shape(), "2x3x4x5");
}

} // namespace tessera::ops
