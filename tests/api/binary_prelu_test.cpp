// SPDX-License-Identifier: Apache-2.0
// The C calls of binary and prelu: creation, queries, execution, refusals.
// covers: BIN-02 BIN-05 BIN-12 BIN-13 PRE-03 PRE-04 FMT-03 FMT-04
#include "c_objects.hpp"

namespace tessera::test {
namespace {

TEST(BinaryCalls, CreatesAnswersAndExecutes) {
    const Desc a({2, 3}, dnnl_f32, dnnl_ba), b({2, 1}, dnnl_f32, dnnl_ab), open({2, 3}, dnnl_f32, dnnl_format_tag_any);
    PrimitiveDesc pd;
    ASSERT_EQ(dnnl_binary_primitive_desc_create(pd.out(), cpu(), dnnl_binary_add, a, b, open, nullptr), dnnl_success)
        << last_error();
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0), a));
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 1), b));
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), a)); // follows src
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_alg_kind, 0, &alg), dnnl_success);
    EXPECT_EQ(alg, dnnl_binary_add);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0), 2);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_outputs_s32, 0), 1);

    const Primitive p(pd);
    Memory from(a, {1.f, 4.f, 2.f, 5.f, 3.f, 6.f}), other(b, {10.f, 20.f}), to(a);
    const std::vector<float> want{11, 24, 12, 25, 13, 26};
    ASSERT_EQ(execute(p, {{DNNL_ARG_SRC_0, from}, {DNNL_ARG_SRC_1, other}, {DNNL_ARG_DST, to}}), dnnl_success)
        << last_error();
    EXPECT_EQ(to.values<float>(), want);
    ASSERT_EQ(execute(p, {{DNNL_ARG_SRC_0, from}, {DNNL_ARG_SRC_1, other}, {DNNL_ARG_DST, from}}), dnnl_success)
        << last_error();
    EXPECT_EQ(from.values<float>(), want);
    EXPECT_EQ(execute(p, {{DNNL_ARG_SRC_0, from}, {DNNL_ARG_DST, to}}), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("DNNL_ARG_SRC_1"), std::string::npos) << last_error();
}

TEST(BinaryCalls, SelectHasItsOwnCall) {
    const Desc a({4}, dnnl_f32, dnnl_a), c({4}, dnnl_s8, dnnl_a);
    PrimitiveDesc pd;
    EXPECT_EQ(dnnl_binary_primitive_desc_create(pd.out(), cpu(), dnnl_binary_select, a, a, a, nullptr),
              dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("_v2"), std::string::npos) << last_error();
    EXPECT_EQ(dnnl_binary_primitive_desc_create_v2(pd.out(), cpu(), dnnl_binary_select, a, a, nullptr, a, nullptr),
              dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_binary_primitive_desc_create_v2(pd.out(), cpu(), dnnl_binary_add, a, a, nullptr, a, nullptr),
              dnnl_success);
    ASSERT_EQ(dnnl_binary_primitive_desc_create_v2(pd.out(), cpu(), dnnl_binary_select, a, a, c, a, nullptr),
              dnnl_success)
        << last_error();
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 2), c));
    const Primitive p(pd);
    Memory x(a, {1.f, 2.f, 3.f, 4.f}), y(a, {5.f, 6.f, 7.f, 8.f}), to(a);
    Memory condition(c, {int8_t(0), int8_t(1), int8_t(-1), int8_t(0)});
    ASSERT_EQ(execute(p, {{DNNL_ARG_SRC_0, x}, {DNNL_ARG_SRC_1, y}, {DNNL_ARG_SRC_2, condition}, {DNNL_ARG_DST, to}}),
              dnnl_success)
        << last_error();
    EXPECT_EQ(to.values<float>(), (std::vector<float>{5, 2, 3, 8}));
}

TEST(BinaryCalls, NullsAndEmptyTensors) {
    const Desc a({4}, dnnl_f32, dnnl_a), nothing({0, 3}, dnnl_f32, dnnl_ab), row({1, 3}, dnnl_f32, dnnl_ab);
    PrimitiveDesc pd;
    const auto create = [&](dnnl_engine_t engine, const_dnnl_memory_desc_t x, const_dnnl_memory_desc_t y,
                            const_dnnl_memory_desc_t z) {
        return dnnl_binary_primitive_desc_create(pd.out(), engine, dnnl_binary_add, x, y, z, nullptr);
    };
    EXPECT_EQ(dnnl_binary_primitive_desc_create(nullptr, cpu(), dnnl_binary_add, a, a, a, nullptr),
              dnnl_invalid_arguments);
    EXPECT_EQ(create(nullptr, a, a, a), dnnl_invalid_arguments);
    EXPECT_EQ(create(cpu(), nullptr, a, a), dnnl_invalid_arguments);
    EXPECT_EQ(create(cpu(), a, nullptr, a), dnnl_invalid_arguments);
    EXPECT_EQ(create(cpu(), a, a, nullptr), dnnl_invalid_arguments);
    ASSERT_EQ(create(cpu(), nothing, row, nothing), dnnl_success) << last_error();
    const Primitive p(pd);
    Memory x(nothing), y(row), z(nothing);
    EXPECT_EQ(execute(p, {{DNNL_ARG_SRC_0, x}, {DNNL_ARG_SRC_1, y}, {DNNL_ARG_DST, z}}), dnnl_success) << last_error();
}

struct PreluCalls : testing::Test {
    Desc data{{2, 2}, dnnl_f32, dnnl_ab}, row{{1, 2}, dnnl_f32, dnnl_ab}, open{{1, 2}, dnnl_f32, dnnl_format_tag_any};
    PrimitiveDesc pd, forward_pd;

    dnnl_status_t forward(dnnl_prop_kind_t prop) {
        return dnnl_prelu_forward_primitive_desc_create(forward_pd.out(), cpu(), prop, data, row, data, nullptr);
    }
    dnnl_status_t backward(const_dnnl_primitive_desc_t hint) {
        return dnnl_prelu_backward_primitive_desc_create(pd.out(), cpu(), data, row, data, open, data, hint, nullptr);
    }
};

TEST_F(PreluCalls, Forward) {
    for (const dnnl_prop_kind_t prop : {dnnl_forward_training, dnnl_forward_inference}) {
        ASSERT_EQ(forward(prop), dnnl_success) << last_error();
        dnnl_prop_kind_t answer = dnnl_prop_kind_undef;
        EXPECT_EQ(dnnl_primitive_desc_query(forward_pd, dnnl_query_prop_kind, 0, &answer), dnnl_success);
        EXPECT_EQ(answer, prop);
        EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(forward_pd, dnnl_query_weights_md, 0), row));
        const Primitive p(forward_pd);
        Memory x(data, {1.f, -2.f, -3.f, 4.f}), w(row, {10.f, 100.f}), y(data);
        ASSERT_EQ(execute(p, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, y}}), dnnl_success);
        EXPECT_EQ(y.values<float>(), (std::vector<float>{1, -200, -30, 4}));
    }
    EXPECT_EQ(forward(dnnl_backward), dnnl_invalid_arguments);
}

TEST_F(PreluCalls, Backward) {
    ASSERT_EQ(forward(dnnl_forward_inference), dnnl_success);
    ASSERT_EQ(backward(nullptr), dnnl_success) << last_error();
    ASSERT_EQ(backward(forward_pd), dnnl_success) << last_error();
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_diff_weights_md, 0), row));
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0), 3);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_outputs_s32, 0), 2);
    const Primitive p(pd);
    Memory x(data, {1.f, -2.f, -3.f, -4.f}), w(row, {10.f, 100.f}), dy(data, {1.f, 2.f, 3.f, 4.f});
    Memory dx(data), dw(row);
    ASSERT_EQ(execute(p, {{DNNL_ARG_SRC, x},
                          {DNNL_ARG_WEIGHTS, w},
                          {DNNL_ARG_DIFF_DST, dy},
                          {DNNL_ARG_DIFF_SRC, dx},
                          {DNNL_ARG_DIFF_WEIGHTS, dw}}),
              dnnl_success)
        << last_error();
    EXPECT_EQ(dx.values<float>(), (std::vector<float>{1, 200, 30, 400}));
    EXPECT_EQ(dw.values<float>(), (std::vector<float>{-9, -20}));
    // Two results, of which the second is written over what both are computed from.
    EXPECT_EQ(execute(p, {{DNNL_ARG_SRC, x},
                          {DNNL_ARG_WEIGHTS, w},
                          {DNNL_ARG_DIFF_DST, dy},
                          {DNNL_ARG_DIFF_SRC, dy},
                          {DNNL_ARG_DIFF_WEIGHTS, dw}}),
              dnnl_success)
        << last_error();
    EXPECT_EQ(dy.values<float>(), (std::vector<float>{1, 200, 30, 400}));
    EXPECT_EQ(dw.values<float>(), (std::vector<float>{-9, -20}));

    PrimitiveDesc reorder;
    ASSERT_EQ(make_reorder(reorder, data, data), dnnl_success);
    EXPECT_EQ(backward(reorder), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("hint"), std::string::npos) << last_error();
}

// The gradient of weights that no data reached is zero, and is written.
TEST_F(PreluCalls, BackwardOfNothing) {
    const Desc nothing({0, 2}, dnnl_f32, dnnl_ab);
    ASSERT_EQ(dnnl_prelu_backward_primitive_desc_create(pd.out(), cpu(), nothing, row, nothing, row, nothing, nullptr,
                                                        nullptr),
              dnnl_success)
        << last_error();
    const Primitive p(pd);
    Memory x(nothing), w(row, {10.f, 100.f}), dy(nothing), dx(nothing), dw(row, 0x55);
    ASSERT_EQ(execute(p, {{DNNL_ARG_SRC, x},
                          {DNNL_ARG_WEIGHTS, w},
                          {DNNL_ARG_DIFF_DST, dy},
                          {DNNL_ARG_DIFF_SRC, dx},
                          {DNNL_ARG_DIFF_WEIGHTS, dw}}),
              dnnl_success)
        << last_error();
    EXPECT_EQ(dw.values<float>(), (std::vector<float>{0, 0}));
}

} // namespace
} // namespace tessera::test
