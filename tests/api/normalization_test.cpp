// SPDX-License-Identifier: Apache-2.0
// The C calls of the normalizations: creation, queries, execution, refusals.
// covers: BNO-03 BNO-04 BNO-05 BNO-06 BNO-07 BNO-08 BNO-09 BNO-12 BNO-13 LNO-03 LNO-06 LNO-07 LNO-11 GNO-03
#include <cmath>
#include <random>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "c_objects.hpp"

namespace tessera::test {
namespace {

bool same(const_dnnl_memory_desc_t a, const_dnnl_memory_desc_t b) { return dnnl_memory_desc_equal(a, b) != 0; }
bool none(const_dnnl_memory_desc_t md) {
    int ndims = -1;
    return md && dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims) == dnnl_success && ndims == 0;
}
const_dnnl_memory_desc_t md(const PrimitiveDesc& pd, dnnl_query_t what, int index = 0) {
    return dnnl_primitive_desc_query_md(pd, what, index);
}

// A memory with these values.
struct Filled : Memory {
    Filled(const_dnnl_memory_desc_t md, const std::vector<float>& given) : Memory(md) {
        std::memcpy(bytes.data(), given.data(), std::min(bytes.size(), 4 * given.size()));
    }
};

TEST(NormalizationCalls, LayerAnswersAndExecutes) {
    const Desc a({2, 3, 4}, dnnl_f32, dnnl_bac), open({2, 3, 4}, dnnl_f32, dnnl_format_tag_any);
    const Desc rows({2, 3}, dnnl_f32, dnnl_ba), channels({4}, dnnl_f32, dnnl_a);
    PrimitiveDesc pd;
    ASSERT_EQ(dnnl_layer_normalization_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_training, a, open,
                                                                     nullptr, 0, dnnl_use_scale | dnnl_use_shift,
                                                                     nullptr),
              dnnl_success)
        << last_error();
    EXPECT_TRUE(same(md(pd, dnnl_query_src_md), a));
    EXPECT_TRUE(same(md(pd, dnnl_query_dst_md), a)); // follows src
    EXPECT_TRUE(same(md(pd, dnnl_query_dst_md, 1), rows));
    EXPECT_TRUE(same(md(pd, dnnl_query_dst_md, 2), rows));
    EXPECT_TRUE(none(md(pd, dnnl_query_src_md, 1)));
    EXPECT_TRUE(same(md(pd, dnnl_query_weights_md), channels));
    EXPECT_TRUE(same(md(pd, dnnl_query_weights_md, 1), channels));
    EXPECT_TRUE(same(md(pd, dnnl_query_exec_arg_md, DNNL_ARG_MEAN), rows));
    EXPECT_TRUE(none(md(pd, dnnl_query_workspace_md)));
    unsigned flags = 0;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_flags, 0, &flags), dnnl_success);
    EXPECT_EQ(flags, unsigned(dnnl_use_scale | dnnl_use_shift));
    float epsilon = -1;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_epsilon_f32, 0, &epsilon), dnnl_success);
    EXPECT_EQ(epsilon, 0);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0), 3);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_outputs_s32, 0), 3);

    const Primitive p(pd);
    std::vector<float> values;
    for (int row = 0; row < 6; ++row)
        for (const float x : {-1.f, 1.f, -1.f, 1.f}) values.push_back(float(row) + x * float(row + 1));
    Filled src(a, values);
    Memory dst(a), mean(rows), variance(rows), scale(channels, {1.f, 2.f, 1.f, 1.f}),
        shift(channels, {0.f, 0.f, 0.f, 5.f});
    ASSERT_EQ(execute(p, {{DNNL_ARG_SRC, src},
                          {DNNL_ARG_DST, dst},
                          {DNNL_ARG_MEAN, mean},
                          {DNNL_ARG_VARIANCE, variance},
                          {DNNL_ARG_SCALE, scale},
                          {DNNL_ARG_SHIFT, shift}}),
              dnnl_success)
        << last_error();
    EXPECT_EQ(mean.values<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(variance.values<float>(), (std::vector<float>{1, 4, 9, 16, 25, 36}));
    const std::vector<float> got = dst.values<float>();
    for (size_t i = 0; i < got.size(); i += 4)
        EXPECT_EQ(std::vector<float>(got.begin() + long(i), got.begin() + long(i) + 4),
                  (std::vector<float>{-1, 2, -1, 6}));
    EXPECT_EQ(execute(p, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("DNNL_ARG_MEAN"), std::string::npos) << last_error();
}

TEST(NormalizationCalls, LayerTypesAndRootOfMeanSquares) {
    const Desc a({2, 4}, dnnl_f32, dnnl_ab), rows({2}, dnnl_f32, dnnl_a), wide({4}, dnnl_bf16, dnnl_a),
        half({4}, dnnl_f16, dnnl_a);
    PrimitiveDesc forward, pd;
    const unsigned flags = dnnl_use_scale | dnnl_rms_norm;
    ASSERT_EQ(dnnl_layer_normalization_forward_primitive_desc_create_v2(forward.out(), cpu(), dnnl_forward_training, a,
                                                                        a, rows, dnnl_bf16, 1e-5f, flags, nullptr),
              dnnl_success)
        << last_error();
    EXPECT_TRUE(same(md(forward, dnnl_query_weights_md), wide));
    EXPECT_TRUE(same(md(forward, dnnl_query_exec_arg_md, DNNL_ARG_MEAN), rows)); // never read or written
    EXPECT_TRUE(same(md(forward, dnnl_query_exec_arg_md, DNNL_ARG_VARIANCE), rows));
    ASSERT_EQ(dnnl_layer_normalization_backward_primitive_desc_create_v2(pd.out(), cpu(), dnnl_backward, a, a, a,
                                                                         nullptr, dnnl_f16, dnnl_bf16, 1e-5f, flags,
                                                                         forward, nullptr),
              dnnl_success)
        << last_error();
    EXPECT_TRUE(same(md(pd, dnnl_query_weights_md), wide));
    EXPECT_TRUE(same(md(pd, dnnl_query_diff_weights_md), half));
    EXPECT_TRUE(same(md(pd, dnnl_query_src_md, 2), rows));
    EXPECT_TRUE(same(md(pd, dnnl_query_diff_src_md), a));
}

// Inference without statistics of the caller's shows none; its own are outputs of training, given ones inputs.
TEST(NormalizationCalls, BatchStatisticsAndWorkspace) {
    const Desc a({2, 3, 4}, dnnl_f32, dnnl_acb), channels({3}, dnnl_f32, dnnl_a), mask({2, 3, 4}, dnnl_u8, dnnl_acb);
    const auto create = [&](PrimitiveDesc& pd, dnnl_prop_kind_t prop, unsigned flags) {
        return dnnl_batch_normalization_forward_primitive_desc_create(pd.out(), cpu(), prop, a, a, 1e-5f, flags,
                                                                      nullptr);
    };
    PrimitiveDesc training, inference, given, fused;
    ASSERT_EQ(create(training, dnnl_forward_training, 0), dnnl_success);
    ASSERT_EQ(create(inference, dnnl_forward_inference, dnnl_fuse_norm_relu), dnnl_success);
    ASSERT_EQ(create(given, dnnl_forward_inference, dnnl_use_global_stats), dnnl_success);
    ASSERT_EQ(create(fused, dnnl_forward_training, dnnl_fuse_norm_relu), dnnl_success);
    EXPECT_TRUE(same(md(training, dnnl_query_dst_md, 1), channels));
    EXPECT_TRUE(none(md(inference, dnnl_query_dst_md, 1)));
    EXPECT_TRUE(none(md(inference, dnnl_query_src_md, 2)));
    EXPECT_TRUE(none(md(inference, dnnl_query_workspace_md)));
    EXPECT_TRUE(same(md(given, dnnl_query_src_md, 1), channels));
    EXPECT_TRUE(same(md(fused, dnnl_query_workspace_md), mask));
    EXPECT_EQ(md(fused, dnnl_query_workspace_md, 1), nullptr);

    // The backward computation takes the mask of its hint.
    const auto gradient = [&](PrimitiveDesc& pd, const_dnnl_primitive_desc_t hint, unsigned flags) {
        return dnnl_batch_normalization_backward_primitive_desc_create(pd.out(), cpu(), dnnl_backward_data, a, a, a,
                                                                       1e-5f, flags, hint, nullptr);
    };
    PrimitiveDesc pd;
    for (const_dnnl_primitive_desc_t hint : {const_dnnl_primitive_desc_t(training),
                                             const_dnnl_primitive_desc_t(inference), const_dnnl_primitive_desc_t()}) {
        EXPECT_EQ(gradient(pd, hint, dnnl_fuse_norm_relu), dnnl_unimplemented);
        EXPECT_NE(last_error().find("must be the hint"), std::string::npos) << last_error();
        PrimitiveDesc plain;
        EXPECT_EQ(gradient(plain, hint, 0), dnnl_success) << last_error();
    }
    ASSERT_EQ(gradient(pd, fused, dnnl_fuse_norm_relu), dnnl_success) << last_error();
    EXPECT_TRUE(same(md(pd, dnnl_query_workspace_md), mask));

    std::vector<float> values;
    for (int i = 0; i < 24; ++i) values.push_back(float(i % 3 + 1) * (i / 3 % 2 ? -1.f : 1.f));
    Filled src(a, values), from(a, std::vector<float>(24, 1.f));
    Memory dst(a), mean(channels), variance(channels), workspace(mask), to(a);
    ASSERT_EQ(execute(Primitive(fused), {{DNNL_ARG_SRC, src},
                                         {DNNL_ARG_DST, dst},
                                         {DNNL_ARG_MEAN, mean},
                                         {DNNL_ARG_VARIANCE, variance},
                                         {DNNL_ARG_WORKSPACE, workspace}}),
              dnnl_success)
        << last_error();
    EXPECT_EQ(variance.values<float>(), (std::vector<float>{1, 4, 9}));
    for (size_t i = 0; i < 24; ++i)
        EXPECT_EQ(int(workspace.values<uint8_t>()[i]), int(src.values<float>()[i] > 0)) << i;
    ASSERT_EQ(execute(Primitive(pd), {{DNNL_ARG_SRC, src},
                                      {DNNL_ARG_MEAN, mean},
                                      {DNNL_ARG_VARIANCE, variance},
                                      {DNNL_ARG_WORKSPACE, workspace},
                                      {DNNL_ARG_DIFF_DST, from},
                                      {DNNL_ARG_DIFF_SRC, to}}),
              dnnl_success)
        << last_error();
    for (const float x : to.values<float>()) EXPECT_NEAR(x, 0, 1e-4); // 1 and 0 in halves are explained by src
}

TEST(NormalizationCalls, GroupsAndRefusals) {
    const Desc a({2, 6, 4}, dnnl_f32, dnnl_abc), sets({2, 3}, dnnl_f32, dnnl_ab), b({2, 6, 5}, dnnl_f32, dnnl_abc);
    PrimitiveDesc pd;
    ASSERT_EQ(dnnl_group_normalization_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_training, a, a, 3,
                                                                     1e-5f, 0, nullptr),
              dnnl_success);
    EXPECT_TRUE(same(md(pd, dnnl_query_dst_md, 1), sets));
    dnnl_dim_t groups = 0;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_group_size_s64, 0, &groups), dnnl_success);
    EXPECT_EQ(groups, 3);
    const auto refused = [&](const char* word, dnnl_status_t status) {
        EXPECT_EQ(status, dnnl_invalid_arguments) << word;
        EXPECT_NE(last_error().find(word), std::string::npos) << last_error();
    };
    PrimitiveDesc made;
    const auto group = [&](const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst, dnnl_dim_t count,
                           unsigned flags) {
        return dnnl_group_normalization_forward_primitive_desc_create(made.out(), cpu(), dnnl_forward_training, src,
                                                                      dst, count, 1e-5f, flags, nullptr);
    };
    refused("src_desc", group(nullptr, a, 3, 0));
    refused("4 groups of the 6 channels", group(a, a, 4, 0));
    refused("shapes must be equal", group(a, b, 3, 0));
    refused("have 64", group(a, a, 3, 64));
    const auto layer = [&](const_dnnl_memory_desc_t statistics, dnnl_prop_kind_t prop) {
        return dnnl_layer_normalization_forward_primitive_desc_create(made.out(), cpu(), prop, a, a, statistics, 1e-5f,
                                                                      0, nullptr);
    };
    refused("the dims of src without the last", layer(sets, dnnl_forward_training));
    refused("is neither forward_training", layer(nullptr, dnnl_backward));
    EXPECT_EQ(dnnl_layer_normalization_forward_primitive_desc_create_v2(made.out(), cpu(), dnnl_forward_training, a, a,
                                                                        nullptr, static_cast<dnnl_data_type_t>(99),
                                                                        1e-5f, dnnl_use_scale, nullptr),
              dnnl_unimplemented);
}

// 10^7 numbers of mean 10^4 and deviation 1, decision 017: mean within a unit in its last place, variance within
// 1e-5 of itself, where a sum of squares in f32 has no correct digit.
TEST(NormalizationCalls, ManyNumbersFarFromZero) {
    for (const dnnl_format_tag_t tag : {dnnl_abc, dnnl_acb}) {
        constexpr int64_t count = 10'000'000;
        const Desc a({10, 1, count / 10}, dnnl_f32, tag), one({1}, dnnl_f32, dnnl_a);
        std::mt19937 random(1);
        std::normal_distribution<float> deviation(0, 1);
        std::vector<float> values(count);
        double sum = 0, squares = 0;
        for (float& x : values) x = 10000 + deviation(random), sum += double(x);
        for (const float x : values) squares += (double(x) - sum / count) * (double(x) - sum / count);
        PrimitiveDesc pd;
        ASSERT_EQ(dnnl_batch_normalization_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_training, a, a,
                                                                         1e-5f, 0, nullptr),
                  dnnl_success);
        const Filled src(a, values);
        Memory mean(one), variance(one);
        ASSERT_EQ(
            execute(Primitive(pd),
                    {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, src}, {DNNL_ARG_MEAN, mean}, {DNNL_ARG_VARIANCE, variance}}),
            dnnl_success);
        RecordProperty("mean", std::to_string(double(mean.values<float>()[0]) - sum / count));
        RecordProperty("variance", std::to_string(double(variance.values<float>()[0]) / (squares / count) - 1));
        EXPECT_NEAR(double(mean.values<float>()[0]), sum / count, 0.001);
        EXPECT_NEAR(double(variance.values<float>()[0]) / (squares / count), 1, 1e-5);
    }
}

// mean_desc() and variance_desc() of dnnl.hpp ask for a source or a destination, programs for the argument; scale and
// shift are the weights, also where the operation reads neither.
TEST(NormalizationCalls, DescriptorsOfStatisticsAndWeights) {
    const Desc a({3, 5, 8}, dnnl_bf16, dnnl_abc), rows({3, 5}, dnnl_f32, dnnl_ba), channels({8}, dnnl_f32, dnnl_a),
        narrow({8}, dnnl_f16, dnnl_a);
    const auto check = [&](const PrimitiveDesc& pd, unsigned flags, bool given, bool has, bool backward, bool f16) {
        const std::string where = fmt::format("flags {}, {}", flags, backward ? "backward" : "forward");
        const dnnl_query_t side = given ? dnnl_query_src_md : dnnl_query_dst_md;
        for (const auto& [arg, index] : {std::pair{DNNL_ARG_MEAN, 1}, {DNNL_ARG_VARIANCE, 2}}) {
            EXPECT_TRUE(same(md(pd, dnnl_query_exec_arg_md, arg), md(pd, side, index))) << where << ", " << arg;
            EXPECT_EQ(none(md(pd, side, index)), !has) << where << ", " << arg;
            if (has) { EXPECT_TRUE(same(md(pd, side, index), rows)) << where << ", " << arg; }
        }
        const bool weights = flags & (dnnl_use_scale | dnnl_use_shift);
        for (const int index : {0, 1}) {
            if (weights) {
                EXPECT_TRUE(same(md(pd, dnnl_query_weights_md, index), f16 ? narrow : channels)) << where;
            } else {
                EXPECT_TRUE(none(md(pd, dnnl_query_weights_md, index))) << where;
            }
        }
    };
    for (unsigned flags = 0; flags < 64; ++flags) {
        if (flags & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu)) continue;
        const bool given = flags & dnnl_use_global_stats;
        for (const auto type : {dnnl_f32, dnnl_f16})
            for (const auto prop : {dnnl_forward_training, dnnl_forward_inference}) {
                PrimitiveDesc pd;
                ASSERT_EQ(dnnl_layer_normalization_forward_primitive_desc_create_v2(pd.out(), cpu(), prop, a, a, rows,
                                                                                    type, 1e-5f, flags, nullptr),
                          dnnl_success)
                    << last_error();
                check(pd, flags, given, given || prop == dnnl_forward_training, false, type == dnnl_f16);
            }
        for (const auto type : {dnnl_f32, dnnl_f16})
            for (const auto prop : {dnnl_backward, dnnl_backward_data}) {
                PrimitiveDesc pd;
                ASSERT_EQ(dnnl_layer_normalization_backward_primitive_desc_create_v2(
                              pd.out(), cpu(), prop, a, a, a, rows, dnnl_f32, type, 1e-5f, flags, nullptr, nullptr),
                          dnnl_success)
                    << last_error();
                check(pd, flags, true, true, true, type == dnnl_f16);
            }
    }
}

} // namespace
} // namespace tessera::test
