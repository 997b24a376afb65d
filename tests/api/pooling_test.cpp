// SPDX-License-Identifier: Apache-2.0
// The C calls of pooling: creation, queries, execution forward and backward, refusals; the C++ classes.
// covers: POO-06 POO-07 POO-08 POO-09 POO-15
#include <limits>

#include "c_objects.hpp"

#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::test {
namespace {

const dnnl_dims_t two = {2}, none = {};

struct Pair {
    PrimitiveDesc forward, backward;
    explicit Pair(dnnl_alg_kind_t alg) {
        const Desc src({1, 1, 4}, dnnl_f32, dnnl_abc), dst({1, 1, 2}, dnnl_f32, dnnl_abc);
        const Desc open({1, 1, 2}, dnnl_f32, dnnl_format_tag_any);
        EXPECT_EQ(dnnl_pooling_forward_primitive_desc_create(forward.out(), cpu(), dnnl_forward_training, alg, src,
                                                             open, two, two, none, none, nullptr, nullptr),
                  dnnl_success)
            << last_error();
        EXPECT_EQ(dnnl_pooling_backward_primitive_desc_create(backward.out(), cpu(), alg, src, dst, two, two, none,
                                                              none, none, forward, nullptr),
                  dnnl_success)
            << last_error();
    }
};

TEST(PoolingCalls, CreatesAnswersAndExecutes) {
    const Pair max(dnnl_pooling_max);
    const Desc src({1, 1, 4}, dnnl_f32, dnnl_abc), dst({1, 1, 2}, dnnl_f32, dnnl_abc), ws({1, 1, 2}, dnnl_u8, dnnl_abc);
    for (const auto& pd : {&max.forward, &max.backward}) {
        EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(*pd, dnnl_query_workspace_md, 0), ws));
        EXPECT_EQ(dnnl_primitive_desc_query_md(*pd, dnnl_query_workspace_md, 1), nullptr);
        EXPECT_TRUE(
            dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(*pd, dnnl_query_exec_arg_md, DNNL_ARG_WORKSPACE), ws));
        const dnnl_dim_t* list = nullptr;
        for (const dnnl_query_t what : {dnnl_query_strides, dnnl_query_kernel}) {
            ASSERT_EQ(dnnl_primitive_desc_query(*pd, what, 0, &list), dnnl_success);
            EXPECT_EQ(list[0], 2);
        }
        for (const dnnl_query_t what : {dnnl_query_dilations, dnnl_query_padding_l, dnnl_query_padding_r}) {
            ASSERT_EQ(dnnl_primitive_desc_query(*pd, what, 0, &list), dnnl_success);
            EXPECT_EQ(list[0], 0);
        }
        dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
        EXPECT_EQ(dnnl_primitive_desc_query(*pd, dnnl_query_alg_kind, 0, &alg), dnnl_success);
        EXPECT_EQ(alg, dnnl_pooling_max);
    }
    EXPECT_EQ(dnnl_primitive_desc_query_s32(max.forward, dnnl_query_num_of_inputs_s32, 0), 1);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(max.forward, dnnl_query_num_of_outputs_s32, 0), 2);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(max.backward, dnnl_query_num_of_inputs_s32, 0), 2);
    const Pair mean(dnnl_pooling_avg_include_padding);
    EXPECT_EQ(dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(mean.forward, dnnl_query_workspace_md, 0)), 0u);

    Memory from(src, {3.f, 1.f, -4.f, 3.f}), to(dst), taps(ws), g(dst, {10.f, 20.f}), ds(src);
    const Primitive forward(max.forward), backward(max.backward);
    ASSERT_EQ(execute(forward, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}, {DNNL_ARG_WORKSPACE, taps}}), dnnl_success)
        << last_error();
    EXPECT_EQ(to.values<float>(), (std::vector<float>{3, 3}));
    ASSERT_EQ(execute(backward, {{DNNL_ARG_DIFF_DST, g}, {DNNL_ARG_WORKSPACE, taps}, {DNNL_ARG_DIFF_SRC, ds}}),
              dnnl_success)
        << last_error();
    EXPECT_EQ(ds.values<float>(), (std::vector<float>{10, 0, 0, 20}));
    EXPECT_EQ(execute(forward, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}}), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("DNNL_ARG_WORKSPACE"), std::string::npos) << last_error();
}

// Each part of a gradient is divided before they are added, so that their sum stays finite where its mean is.
TEST(PoolingCalls, GradientsOfMeansDoNotOverflow) {
    const float most = std::numeric_limits<float>::max();
    const dnnl_dims_t one = {1};
    const Desc src({1, 1, 5}, dnnl_f32, dnnl_abc), dst({1, 1, 4}, dnnl_f32, dnnl_abc);
    PrimitiveDesc pd;
    ASSERT_EQ(dnnl_pooling_backward_primitive_desc_create(pd.out(), cpu(), dnnl_pooling_avg_include_padding, src, dst,
                                                          one, two, none, none, none, nullptr, nullptr),
              dnnl_success)
        << last_error();
    Memory g(dst, {most, most, most, most}), ds(src);
    ASSERT_EQ(execute(Primitive(pd), {{DNNL_ARG_DIFF_DST, g}, {DNNL_ARG_DIFF_SRC, ds}}), dnnl_success) << last_error();
    EXPECT_EQ(ds.values<float>(), (std::vector<float>{most / 2, most, most, most, most / 2}));
}

TEST(PoolingCalls, Refusals) {
    const Desc src({1, 1, 4}, dnnl_f32, dnnl_abc), dst({1, 1, 2}, dnnl_f32, dnnl_abc), flat({3, 4}, dnnl_f32, dnnl_ab);
    PrimitiveDesc pd, inference;
    const auto backward = [&](const_dnnl_primitive_desc_t hint) {
        return dnnl_pooling_backward_primitive_desc_create(pd.out(), cpu(), dnnl_pooling_max, src, dst, two, two, none,
                                                           none, none, hint, nullptr);
    };
    ASSERT_EQ(dnnl_pooling_forward_primitive_desc_create(inference.out(), cpu(), dnnl_forward_inference,
                                                         dnnl_pooling_max, src, dst, two, two, none, none, none,
                                                         nullptr),
              dnnl_success);
    EXPECT_EQ(backward(nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(backward(inference), dnnl_unimplemented);
    // Lists of descriptors without spatial dimensions are not read.
    EXPECT_EQ(dnnl_pooling_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_inference, dnnl_pooling_max,
                                                         flat, flat, two, two, none, none, none, nullptr),
              dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("needs 3 to 5"), std::string::npos) << last_error();
}

TEST(PoolingClasses, BothSpellings) {
    using namespace dnnl;
    const engine cpu(engine::kind::cpu, 0);
    const memory::desc src({2, 3, 4, 4}, memory::data_type::f32, memory::format_tag::nhwc);
    const memory::desc dst({2, 3, 2, 2}, memory::data_type::f32, memory::format_tag::any);
    const memory::dims two{2, 2}, none{0, 0};
    const pooling_forward::primitive_desc pd(cpu, prop_kind::forward_training, algorithm::pooling_max, src, dst, two,
                                             two, none, none, none);
    EXPECT_EQ(pd.get_kernel(), two);
    EXPECT_EQ(pd.get_strides(), two);
    EXPECT_EQ(pd.get_padding_r(), none);
    EXPECT_EQ(pd.workspace_desc().get_data_type(), memory::data_type::u8);
    const pooling_v2_forward::desc older(prop_kind::forward_training, algorithm::pooling_max, src, dst, two, two, none,
                                         none, none);
    const pooling_v2_forward::primitive_desc same(older, cpu);
    const pooling_backward::primitive_desc gradient({algorithm::pooling_max, src, pd.dst_desc(), two, two, none, none},
                                                    cpu, same);
    EXPECT_EQ(gradient.workspace_desc(), pd.workspace_desc());
    EXPECT_EQ(gradient.diff_src_desc(), src);
}

} // namespace
} // namespace tessera::test
