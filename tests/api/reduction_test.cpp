// SPDX-License-Identifier: Apache-2.0
// The C call of reduction: creation, queries, execution, refusals.
// covers: RED-05 RED-07 RED-08 RED-10 RED-13
#include <cmath>

#include "c_objects.hpp"

namespace tessera::test {
namespace {

TEST(ReductionCalls, CreatesAnswersAndExecutes) {
    const Desc a({2, 3}, dnnl_f32, dnnl_ba), b({2, 1}, dnnl_f32, dnnl_ba), open({2, 1}, dnnl_f32, dnnl_format_tag_any);
    PrimitiveDesc pd;
    ASSERT_EQ(
        dnnl_reduction_primitive_desc_create(pd.out(), cpu(), dnnl_reduction_norm_lp_sum, a, open, 2, 11, nullptr),
        dnnl_success)
        << last_error();
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0), a));
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), b)); // follows src
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, DNNL_ARG_DST), b));
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_alg_kind, 0, &alg), dnnl_success);
    EXPECT_EQ(alg, dnnl_reduction_norm_lp_sum);
    float number = 0;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_p_f32, 0, &number), dnnl_success);
    EXPECT_EQ(number, 2);
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_epsilon_f32, 0, &number), dnnl_success);
    EXPECT_EQ(number, 11);
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_alpha_f32, 0, &number), dnnl_unimplemented);
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_prop_kind, 0, &prop), dnnl_unimplemented);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0), 1);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_outputs_s32, 0), 1);

    const Primitive p(pd);
    Memory from(a, {3.f, 0.f, -4.f, 3.f, 0.f, 2.f}), to(b);
    ASSERT_EQ(execute(p, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}}), dnnl_success) << last_error();
    EXPECT_EQ(to.values<float>(), (std::vector<float>{6, std::sqrt(24.f)}));
    EXPECT_EQ(execute(p, {{DNNL_ARG_SRC, from}}), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("DNNL_ARG_DST"), std::string::npos) << last_error();
}

TEST(ReductionCalls, NullsAndWrongArguments) {
    const Desc a({2, 3}, dnnl_f32, dnnl_ab), b({2, 1}, dnnl_f32, dnnl_ab);
    PrimitiveDesc pd;
    const auto refused = [&](const char* word, dnnl_status_t status) {
        EXPECT_EQ(status, dnnl_invalid_arguments) << word;
        EXPECT_NE(last_error().find(word), std::string::npos) << last_error();
    };
    const auto create = [](dnnl_primitive_desc_t* made, dnnl_engine_t engine, int alg, const_dnnl_memory_desc_t src,
                           const_dnnl_memory_desc_t dst, float p) {
        return dnnl_reduction_primitive_desc_create(made, engine, static_cast<dnnl_alg_kind_t>(alg), src, dst, p, 0,
                                                    nullptr);
    };
    refused("primitive_desc", create(nullptr, cpu(), dnnl_reduction_sum, a, b, 1));
    refused("engine", create(pd.out(), nullptr, dnnl_reduction_sum, a, b, 1));
    refused("src_desc", create(pd.out(), cpu(), dnnl_reduction_sum, nullptr, b, 1));
    refused("dst_desc", create(pd.out(), cpu(), dnnl_reduction_sum, a, nullptr, 1));
    refused("is none of reduction_max", create(pd.out(), cpu(), dnnl_binary_add, a, b, 1));
    refused("nothing is reduced", create(pd.out(), cpu(), dnnl_reduction_sum, a, a, 1));
    refused("dimension 1 of dst is 3", create(pd.out(), cpu(), dnnl_reduction_sum, b, a, 1));
    refused("order p of a norm is 0.5", create(pd.out(), cpu(), dnnl_reduction_norm_lp_max, a, b, 0.5f));
}

} // namespace
} // namespace tessera::test
