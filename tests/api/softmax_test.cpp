// SPDX-License-Identifier: Apache-2.0
// The C calls of softmax: creation, queries, execution, hints, refusals.
// covers: SOF-03 SOF-04 SOF-10 SOF-11 SOF-12
#include <cmath>

#include "c_objects.hpp"

namespace tessera::test {
namespace {

TEST(SoftmaxCalls, CreateAnswerAndExecute) {
    const Desc a({2, 3}, dnnl_f32, dnnl_ba), open({2, 3}, dnnl_f32, dnnl_format_tag_any);
    PrimitiveDesc pd, back;
    ASSERT_EQ(dnnl_softmax_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_training, dnnl_softmax_log, a,
                                                         open, 1, nullptr),
              dnnl_success)
        << last_error();
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), a)); // follows src
    EXPECT_EQ(dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0) == nullptr ||
                  dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0)) == 0,
              true);
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_alg_kind, 0, &alg), dnnl_success);
    EXPECT_EQ(alg, dnnl_softmax_log);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_axis_s32, 0), 1);
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_prop_kind, 0, &prop), dnnl_success);
    EXPECT_EQ(prop, dnnl_forward_training);

    const Primitive p(pd);
    const float ln2 = std::log(2.f);
    Memory data(a, {1.f, 0.f, 1.f, 0.f, -INFINITY, -INFINITY});
    ASSERT_EQ(execute(p, {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, data}}), dnnl_success) << last_error(); // in place
    const std::vector<float> got = data.values<float>(), want{-ln2, -ln2, -ln2, -ln2, -INFINITY, -INFINITY};
    for (size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(got[i] == want[i] || std::abs(got[i] - want[i]) < 1e-6f) << i << ": " << got[i];
    EXPECT_EQ(execute(p, {{DNNL_ARG_SRC, data}}), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("DNNL_ARG_DST"), std::string::npos) << last_error();

    const dnnl_primitive_desc_t hints[] = {pd, nullptr};
    for (const dnnl_primitive_desc_t hint : hints)
        ASSERT_EQ(dnnl_softmax_backward_primitive_desc_create(back.out(), cpu(), dnnl_softmax_log, open, open, a, 1,
                                                              hint, nullptr),
                  dnnl_success)
            << last_error();
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(back, dnnl_query_diff_src_md, 0), a));
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(back, dnnl_query_diff_dst_md, 0), a));
    EXPECT_EQ(dnnl_softmax_backward_primitive_desc_create(pd.out(), cpu(), dnnl_softmax_log, a, a, a, 1, back, nullptr),
              dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("hint"), std::string::npos) << last_error();
    const Primitive q(back);
    Memory d(a, {0.f, 0.f, 0.f, 0.f, 0.f, 0.f}), dd(a, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}), ds(a);
    ASSERT_EQ(execute(q, {{DNNL_ARG_DST, d}, {DNNL_ARG_DIFF_DST, dd}, {DNNL_ARG_DIFF_SRC, ds}}), dnnl_success)
        << last_error();
    EXPECT_EQ(ds.values<float>(), (std::vector<float>{1 - 9, 2 - 12, 3 - 9, 4 - 12, 5 - 9, 6 - 12}));
}

// Along rows and along columns, 20 of each kind. covers: SOF-09
TEST(SoftmaxCalls, InfinitiesAndNan) {
    constexpr float inf = INFINITY, nan = NAN, most = 3.4028235e38f;
    struct Row {
        std::vector<float> src, dst;
    };
    const Row rows[] = {
        {{-inf, -inf, -inf}, {nan, nan, nan}}, {{-inf, 1, -inf}, {0, 1, 0}},      {{inf, 1, 2}, {nan, 0, 0}},
        {{1, inf, inf}, {0, nan, nan}},        {{nan, 1, -inf}, {nan, nan, nan}}, {{nan, -inf, -inf}, {nan, nan, nan}},
        {{nan, nan, nan}, {nan, nan, nan}},    {{-most, most, -most}, {0, 1, 0}}, {{0, -90, -1000}, {1, 0, 0}}};
    for (const Row& row : rows)
        for (const auto tag : {dnnl_ab, dnnl_ba})
            for (const auto alg : {dnnl_softmax_accurate, dnnl_softmax_log}) {
                const Desc desc({20, 3}, dnnl_f32, tag);
                PrimitiveDesc pd;
                ASSERT_EQ(dnnl_softmax_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_inference, alg, desc,
                                                                     desc, 1, nullptr),
                          dnnl_success)
                    << last_error();
                std::vector<float> src;
                const auto at = [&](size_t i) { return tag == dnnl_ab ? i % 3 : i / 20; };
                for (size_t i = 0; i < 60; ++i) src.push_back(row.src[at(i)]);
                Memory from(desc), to(desc);
                std::memcpy(from.bytes.data(), src.data(), from.bytes.size());
                ASSERT_EQ(execute(Primitive(pd), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}}), dnnl_success);
                const std::vector<float> got = to.values<float>();
                for (size_t i = 0; i < 60; ++i) {
                    const float want = row.dst[at(i)],
                                log = want == 0 && row.src[0] == 0 ? row.src[at(i)] : std::log(want);
                    if (std::isnan(want))
                        EXPECT_TRUE(std::isnan(got[i])) << got[i] << " of " << row.src[0] << " " << row.src[1];
                    else
                        EXPECT_EQ(got[i], alg == dnnl_softmax_log ? log : want)
                            << i << " of " << row.src[0] << " " << row.src[1] << " " << row.src[2];
                }
            }
}

TEST(SoftmaxCalls, NullsAndWrongArguments) {
    const Desc a({2, 3}, dnnl_f32, dnnl_ab);
    PrimitiveDesc pd;
    const auto refused = [&](const char* word, dnnl_status_t status) {
        EXPECT_EQ(status, dnnl_invalid_arguments) << word;
        EXPECT_NE(last_error().find(word), std::string::npos) << last_error();
    };
    const auto forward = [](dnnl_primitive_desc_t* made, dnnl_engine_t engine, int alg, const_dnnl_memory_desc_t src,
                            const_dnnl_memory_desc_t dst, int axis, dnnl_prop_kind_t prop = dnnl_forward_inference) {
        return dnnl_softmax_forward_primitive_desc_create(made, engine, prop, static_cast<dnnl_alg_kind_t>(alg), src,
                                                          dst, axis, nullptr);
    };
    const int alg = dnnl_softmax_accurate;
    refused("primitive_desc", forward(nullptr, cpu(), alg, a, a, 1));
    refused("engine", forward(pd.out(), nullptr, alg, a, a, 1));
    refused("src_desc", forward(pd.out(), cpu(), alg, nullptr, a, 1));
    refused("dst_desc", forward(pd.out(), cpu(), alg, a, nullptr, 1));
    refused("neither softmax_accurate", forward(pd.out(), cpu(), dnnl_eltwise_relu, a, a, 1));
    refused("axis -1", forward(pd.out(), cpu(), alg, a, a, -1));
    refused("axis 2", forward(pd.out(), cpu(), alg, a, a, 2));
    refused("propagation kind", forward(pd.out(), cpu(), alg, a, a, 1, dnnl_backward_data));
    const auto backward = [](dnnl_primitive_desc_t* made, const_dnnl_memory_desc_t ds, const_dnnl_memory_desc_t dd,
                             const_dnnl_memory_desc_t d) {
        return dnnl_softmax_backward_primitive_desc_create(made, cpu(), dnnl_softmax_accurate, ds, dd, d, 1, nullptr,
                                                           nullptr);
    };
    refused("primitive_desc", backward(nullptr, a, a, a));
    refused("diff_src_desc", backward(pd.out(), nullptr, a, a));
    refused("diff_dst_desc", backward(pd.out(), a, nullptr, a));
    refused("dst_desc", backward(pd.out(), a, a, nullptr));
}

} // namespace
} // namespace tessera::test
