// SPDX-License-Identifier: Apache-2.0
// The rules of reorder and shuffle as values: which problems are refused, with which status, and that each refusal
// says what would work instead.
#include <gtest/gtest.h>

#include "objects.hpp"
#include "ops/ops.hpp"
#include "ops/reorder/reorder.hpp"
#include "ops/shuffle/shuffle.hpp"

namespace tessera::ops {

namespace {

const MemoryDesc f32 = md({2, 6, 4}, DataType::f32, "abc"), s8 = md({2, 6, 4}, DataType::s8, "acb");

Attr with_scales(int arg, int mask, QuantizationMode mode = QuantizationMode::static_sazp) {
    Attr attr;
    Quant q;
    q.mask = mask;
    q.mode = mode;
    attr.scales[arg] = q;
    return attr;
}

Attr with_sum(int entries, int32_t zero_point = 0) {
    Attr attr;
    for (int i = 0; i < entries; ++i) {
        PostOp sum;
        sum.kind = PostOpKind::sum;
        sum.zero_point = zero_point;
        attr.post_ops.entries.push_back(sum);
    }
    return attr;
}

Result<Problem> shuffled(const MemoryDesc& src, const MemoryDesc& dst, int axis = 1, int64_t group = 2,
                         const Attr& attr = {}, PropKind prop = PropKind::forward_training) {
    return make_shuffle(prop, src, dst, axis, group, attr);
}

} // namespace

// covers: REO-04 REO-05 REO-25
TEST(ReorderRules, shapes_and_layouts) {
    EXPECT_TRUE(make_reorder(f32, s8, {}));
    expect_refusal(make_reorder(f32, md({2, 6, 5}, DataType::f32, "abc"), {}), Status::invalid_arguments,
                   "dimension 2");
    expect_refusal(make_reorder(f32, md({2, 24}, DataType::f32, "ab"), {}), Status::invalid_arguments, "3 dimensions");
    const MemoryDesc any = *make_desc_any(f32.dims_span(), DataType::f32);
    expect_refusal(make_reorder(f32, any, {}), Status::invalid_arguments, "any");
    expect_refusal(make_reorder(any, f32, {}), Status::invalid_arguments, "any");
    expect_refusal(make_reorder(f32, MemoryDesc{}, {}), Status::invalid_arguments, "empty");
    expect_refusal(make_reorder(*make_host_scalar_desc(DataType::f32), *make_host_scalar_desc(DataType::f32), {}),
                   Status::invalid_arguments, "host scalar");
}

// covers: REO-13 REO-24 SCL-03 SCL-04
TEST(ReorderRules, scales) {
    EXPECT_TRUE(make_reorder(f32, s8, with_scales(arg::src, 2)));
    expect_refusal(make_reorder(f32, s8, with_scales(arg::src, 8)), Status::invalid_arguments, "mask 8");
    Attr both = with_scales(arg::src, 1);
    both.scales[arg::dst] = both.scales[arg::src];
    EXPECT_TRUE(make_reorder(f32, s8, both));
    both.scales[arg::dst].mask = 2;
    expect_refusal(make_reorder(f32, s8, both), Status::unimplemented, "equal masks work");
    expect_refusal(make_reorder(f32, s8, with_scales(arg::dst, 0, QuantizationMode::dynamic_mx)), Status::unimplemented,
                   "matmul");
    expect_refusal(make_reorder(f32, s8, with_scales(33, 0)), Status::unimplemented, "src and dst");
    Attr groups = with_scales(arg::src, 6);
    groups.scales[arg::src].groups = {3, 1};
    EXPECT_TRUE(make_reorder(f32, s8, groups));
    groups.scales[arg::src].groups = {4, 1};
    expect_refusal(make_reorder(f32, s8, groups), Status::invalid_arguments, "no multiple");
}

// covers: REO-14
TEST(ReorderRules, zero_points_need_integers) {
    Attr attr;
    attr.zero_points[arg::dst] = {0, {}, DataType::s32};
    EXPECT_TRUE(make_reorder(f32, s8, attr));
    expect_refusal(make_reorder(s8, f32, attr), Status::invalid_arguments, "integer");
}

// covers: REO-10 REO-12
TEST(ReorderRules, one_sum_without_its_own_zero_point) {
    EXPECT_TRUE(make_reorder(f32, s8, with_sum(1)));
    expect_refusal(make_reorder(f32, s8, with_sum(2)), Status::unimplemented, "2 sum");
    expect_refusal(make_reorder(f32, s8, with_sum(1, 3)), Status::unimplemented, "zero point");
    Attr eltwise = with_sum(1);
    eltwise.post_ops.entries[0].kind = PostOpKind::eltwise;
    expect_refusal(make_reorder(f32, s8, eltwise), Status::unimplemented, "only post-op");
}

// covers: REO-16 REO-17 REO-20
TEST(ReorderRules, compensated_and_sparse_layouts) {
    Extra extra;
    extra.flags = Extra::s8s8;
    extra.compensation_mask = 1;
    const MemoryDesc weights = *with_extra(s8, extra);
    EXPECT_TRUE(make_reorder(f32, weights, {}));
    EXPECT_TRUE(make_reorder(f32, weights, with_scales(arg::src, 1)));
    EXPECT_TRUE(make_reorder(weights, f32, {}));
    EXPECT_TRUE(make_reorder(weights, weights, {}));
    expect_refusal(make_reorder(f32, weights, with_scales(arg::src, 2)), Status::unimplemented, "mask 1");
    const auto packed = make_packed_desc(std::vector<int64_t>{8, 8}, DataType::s8, 12);
    ASSERT_TRUE(packed);
    expect_refusal(make_reorder(md({8, 8}, DataType::f32, "ab"), *packed, {}), Status::unimplemented, "sparse");
}

// covers: REO-26
TEST(ReorderRules, attributes_of_other_primitives) {
    Attr harmless;
    harmless.fpmath = FpmathMode::bf16;
    harmless.scratchpad = ScratchpadMode::user;
    harmless.deterministic = true;
    EXPECT_TRUE(make_reorder(f32, s8, harmless));
    Attr dropout;
    dropout.dropout = Dropout{};
    expect_refusal(make_reorder(f32, s8, dropout), Status::unimplemented, "dropout");
    Attr stochastic;
    stochastic.rounding[arg::dst] = RoundingMode::stochastic;
    expect_refusal(make_reorder(f32, s8, stochastic), Status::unimplemented, "stochastic");
}

// covers: REO-11
TEST(ReorderRules, the_dst_scale_divides_the_sum_term_too) {
    // (0.5 * 10 + 2 * 3) / 4 = 2.75 for every dst type; see doc/decisions/004-conversions.md.
    const MemoryDesc one = md({1}, DataType::f32, "a");
    Attr attr = with_sum(1);
    attr.post_ops.entries[0].scale = 2;
    attr.scales[arg::src] = Quant{};
    attr.scales[arg::dst] = Quant{};
    const auto p = make_reorder(one, one, attr);
    ASSERT_TRUE(p);
    float src = 10, dst = 3, s_src = 0.5f, s_dst = 4;
    row(PrimitiveKind::reorder)
        .ref(*p,
             {{arg::src, &src}, {arg::dst, &dst}, {arg::scales | arg::src, &s_src}, {arg::scales | arg::dst, &s_dst}});
    EXPECT_EQ(dst, 2.75f);
}

// covers: SHU-05 SHU-13
TEST(ShuffleRules, every_type_in_both_directions_and_any_rank) {
    for (DataType type : all_types)
        for (PropKind prop : {PropKind::forward_training, PropKind::forward_inference, PropKind::backward_data}) {
            const MemoryDesc t = md({4, 6}, type, "ab");
            EXPECT_TRUE(shuffled(t, t, 1, 3, {}, prop)) << name(type);
        }
    const MemoryDesc deep = md({2, 1, 2, 1, 6, 1, 2, 1, 1, 1, 2, 1}, DataType::f32, "abcdefghijkl");
    EXPECT_TRUE(shuffled(deep, deep, 4, 3));
    expect_refusal(shuffled(f32, f32, 1, 2, {}, PropKind::undef), Status::invalid_arguments, "propagation kind");
}

// covers: SHU-07 SHU-08
TEST(ShuffleRules, axis_and_group) {
    EXPECT_TRUE(shuffled(f32, f32, 2, 4));
    expect_refusal(shuffled(f32, f32, 3, 1), Status::invalid_arguments, "0..2");
    expect_refusal(shuffled(f32, f32, -1, 1), Status::invalid_arguments, "0..2");
    for (int64_t group : {0, -2, 4, 7})
        expect_refusal(shuffled(f32, f32, 1, group), Status::invalid_arguments, "divisor");
    const MemoryDesc empty = md({2, 0}, DataType::f32, "ab"), none = md({0, 6}, DataType::f32, "ab");
    expect_refusal(shuffled(empty, empty, 1, 1), Status::invalid_arguments, "divisor");
    EXPECT_TRUE(shuffled(none, none, 1, 3));
}

// covers: SHU-09
TEST(ShuffleRules, descriptors) {
    const MemoryDesc any = *make_desc_any(f32.dims_span(), DataType::f32);
    const auto p = shuffled(f32, any);
    ASSERT_TRUE(p);
    EXPECT_TRUE(p->md(arg::dst) == f32) << "`any` takes the layout of src";
    EXPECT_TRUE(p->tensors[1].was_any);
    expect_refusal(shuffled(any, f32), Status::invalid_arguments, "any");
    expect_refusal(shuffled(f32, s8), Status::unimplemented, "reorder does");
    expect_refusal(shuffled(f32, md({2, 6, 5}, DataType::f32, "abc")), Status::invalid_arguments, "equal");
    EXPECT_TRUE(shuffled(f32, md({2, 6, 4}, DataType::f32, "acb"))) << "another layout is no reason to refuse";
    const auto backward = make_shuffle(PropKind::backward_data, any, s8, 1, 2, {});
    expect_refusal(backward, Status::unimplemented, "does not convert");
}

// covers: SHU-10
TEST(ShuffleRules, attributes) {
    expect_refusal(shuffled(f32, f32, 1, 2, with_sum(1)), Status::unimplemented, "post-ops");
    expect_refusal(shuffled(f32, f32, 1, 2, with_scales(arg::src, 0)), Status::unimplemented, "reorder");
    Attr fine;
    fine.scratchpad = ScratchpadMode::user;
    fine.fpmath = FpmathMode::any;
    EXPECT_TRUE(shuffled(f32, f32, 1, 2, fine));
}

} // namespace tessera::ops
