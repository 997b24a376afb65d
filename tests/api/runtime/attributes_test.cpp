// SPDX-License-Identifier: Apache-2.0
// Attributes, post-ops, scales and zero points through the C interface.
// covers: ATR-01 ATR-03 PO-01 PO-04 PO-05 PO-06 PO-07 SCL-01 SCL-03 SCL-06 ZPT-01 ZPT-03 OSC-01 OSC-02 DRP-01 RQP-01
// covers: FPM-02 ACC-01 RND-01 DET-01 ARG-03 ARG-04 RUN-06
#include <bit>

#include "../c_objects.hpp"

namespace tessera::test {
namespace {

// ---- scales and zero points

struct Quantized : testing::Test {
    Desc src{{2, 3}, dnnl_f32, dnnl_ab}, dst{{2, 3}, dnnl_s8, dnnl_ab}, three{{3}, dnnl_f32, dnnl_a},
        row{{1, 3}, dnnl_f32, dnnl_ab}, one_s32{{1}, dnnl_s32, dnnl_a};
    Memory from{src, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}}, to{dst, 0x55}, scales{three, {2.f, 3.f, 4.f}},
        scales_row{row, {2.f, 3.f, 4.f}}, zero{one_s32, {10}};
    Attr attr;
    PrimitiveDesc pd;
    Primitive p;
    static constexpr int scales_arg = DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM;
    static constexpr int zero_arg = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_TO;

    void SetUp() override {
        ASSERT_EQ(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_FROM, 2), dnnl_success);
        ASSERT_EQ(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_TO, 0), dnnl_success);
        ASSERT_EQ(make_reorder(pd, src, dst, attr), dnnl_success) << last_error();
        ASSERT_EQ(dnnl_primitive_create(p.out(), pd), dnnl_success);
    }
    dnnl_status_t with(dnnl_memory_t values) {
        return execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {scales_arg, values}, {zero_arg, zero}});
    }
};

TEST_F(Quantized, ValuesComeAtExecution) {
    for (const dnnl_memory_t values : {dnnl_memory_t(scales), dnnl_memory_t(scales_row)}) {
        ASSERT_EQ(with(values), dnnl_success) << last_error();
        EXPECT_EQ(to.values<int8_t>(), (std::vector<int8_t>{12, 16, 22, 18, 25, 34}));
    }
}

TEST_F(Quantized, TheirArgumentsAreQueried) {
    EXPECT_EQ(dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, scales_arg)), 12u);
    EXPECT_EQ(dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, zero_arg)), 4u);
}

TEST_F(Quantized, WrongValuesAreRefused) {
    const Desc two({2}, dnnl_f32, dnnl_a), bytes({11}, dnnl_u8, dnnl_a), empty({0}, dnnl_f32, dnnl_a);
    for (const Desc* d : {&two, &bytes, &empty}) {
        const Memory m(*d);
        EXPECT_EQ(with(m), dnnl_invalid_arguments);
        EXPECT_NE(last_error().find("DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM"), std::string::npos) << last_error();
        EXPECT_NE(last_error().find("it takes 3 values of f32, 12 bytes"), std::string::npos) << last_error();
    }
    EXPECT_EQ(with(nullptr), dnnl_invalid_arguments);
    const HostScalar scalar(dnnl_f32, 2.f);
    EXPECT_EQ(with(scalar), dnnl_invalid_arguments); // one value for three
    ASSERT_EQ(dnnl_memory_set_data_handle(scales, nullptr), dnnl_success);
    EXPECT_EQ(with(scales), dnnl_invalid_arguments);
    EXPECT_EQ(to.values<int8_t>(), std::vector<int8_t>(6, 0x55));
}

// The values lie one behind the other from the start of the buffer, whatever other shape its descriptor has; one of
// their shape that says they lie elsewhere is refused.
TEST_F(Quantized, ValuesAreReadInTheOrderOfTheirBuffer) {
    const Desc column({3, 1}, dnnl_f32, dnnl_ba), more({2, 3}, dnnl_f32, dnnl_ba), bytes({12}, dnnl_u8, dnnl_a),
        gaps({3}, dnnl_f32, std::vector<dnnl_dim_t>{2});
    const std::vector<float> values = {2.f, 3.f, 4.f};
    const Memory apart(gaps);
    EXPECT_EQ(with(apart), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("row-major over 1x3"), std::string::npos) << last_error();
    for (const Desc* d : {&column, &more, &bytes}) {
        Memory m(*d);
        std::memcpy(m.bytes.data(), values.data(), 12);
        ASSERT_EQ(with(m), dnnl_success) << last_error();
        EXPECT_EQ(to.values<int8_t>(), (std::vector<int8_t>{12, 16, 22, 18, 25, 34}));
        std::ranges::fill(to.bytes, 0x55);
    }
}

TEST_F(Quantized, StrictExecutionWantsTheDeclaredValues) {
    const Strict strict;
    const Desc two({2}, dnnl_f32, dnnl_a), ints({3}, dnnl_s32, dnnl_a), gaps({3}, dnnl_f32, std::vector<dnnl_dim_t>{2}),
        columns({1, 3}, dnnl_f32, std::vector<dnnl_dim_t>{1, 2});
    for (const Desc* d : {&two, &ints, &gaps, &columns}) {
        const Memory m(*d);
        EXPECT_EQ(with(m), dnnl_invalid_arguments);
        EXPECT_NE(last_error().find("DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM"), std::string::npos) << last_error();
    }
    const HostScalar scalar(dnnl_f32, 2.f);
    EXPECT_EQ(with(scalar), dnnl_invalid_arguments);
    EXPECT_EQ(to.values<int8_t>(), std::vector<int8_t>(6, 0x55));
    EXPECT_EQ(with(scales_row), dnnl_success) << last_error();
}

TEST_F(Quantized, HostScalars) {
    Attr host;
    ASSERT_EQ(dnnl_primitive_attr_set_scales_v2(host, DNNL_ARG_FROM, 0, 0, nullptr, dnnl_f32, 1), dnnl_success);
    ASSERT_EQ(make_reorder(pd, src, dst, host), dnnl_success) << last_error();
    const Primitive scaled(pd);
    const HostScalar scalar(dnnl_f32, 2.f);
    ASSERT_EQ(execute(scaled, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {scales_arg, scalar}}), dnnl_success)
        << last_error();
    EXPECT_EQ(to.values<int8_t>(), (std::vector<int8_t>{2, 4, 6, 8, 10, 12}));
    // A memory of the engine serves as well, and a host scalar where the attributes speak of the engine.
    EXPECT_EQ(execute(scaled, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {scales_arg, scales}}), dnnl_success)
        << last_error();
    Attr engine;
    ASSERT_EQ(dnnl_primitive_attr_set_scales_mask(engine, DNNL_ARG_FROM, 0), dnnl_success);
    ASSERT_EQ(make_reorder(pd, src, dst, engine), dnnl_success) << last_error();
    const HostScalar triple(dnnl_f32, 3.f);
    ASSERT_EQ(execute(Primitive(pd), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {scales_arg, triple}}), dnnl_success)
        << last_error();
    EXPECT_EQ(to.values<int8_t>(), (std::vector<int8_t>{3, 6, 9, 12, 15, 18}));
    const Strict strict;
    EXPECT_EQ(execute(scaled, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {scales_arg, scales}}),
              dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("must be a host scalar"), std::string::npos) << last_error();
    EXPECT_EQ(execute(Primitive(pd), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {scales_arg, triple}}),
              dnnl_invalid_arguments);
}

TEST_F(Quantized, OutputScalesAtExecution) {
    Attr v2;
    const float at_execution = std::bit_cast<float>(0x7fc000d0u);
    ASSERT_EQ(dnnl_primitive_attr_set_output_scales(v2, 1, 2, &at_execution), dnnl_success);
    ASSERT_EQ(make_reorder(pd, src, dst, v2), dnnl_success) << last_error();
    const Primitive scaled(pd);
    ASSERT_EQ(execute(scaled, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {DNNL_ARG_ATTR_OUTPUT_SCALES, scales}}),
              dnnl_success)
        << last_error();
    EXPECT_EQ(to.values<int8_t>(), (std::vector<int8_t>{2, 6, 12, 8, 15, 24}));
}

// What no rule forbids and no code does is unimplemented, whatever the types and masks are (STA-06).
TEST(ZeroPoints, OfPrimitivesWithoutThem) {
    for (const dnnl_data_type_t type : {dnnl_f32, dnnl_s8})
        for (const int argument : {DNNL_ARG_SRC_0, DNNL_ARG_DST})
            for (const int mask : {0, 2}) {
                const Desc data({2, 3, 4, 5}, type, dnnl_abcd), floats({2, 3, 4, 5}, dnnl_f32, dnnl_abcd),
                    slopes({1, 3, 1, 1}, type, dnnl_abcd);
                const_dnnl_memory_desc_t both[] = {data, data};
                const float ones[] = {1, 1};
                Attr attr;
                ASSERT_EQ(dnnl_primitive_attr_set_zero_points_mask(attr, argument, mask), dnnl_success);
                PrimitiveDesc pd;
                const auto unimplemented = [&](dnnl_status_t status) {
                    EXPECT_EQ(status, dnnl_unimplemented) << argument << " " << mask << " " << last_error();
                    EXPECT_EQ(pd, nullptr);
                };
                unimplemented(
                    dnnl_binary_primitive_desc_create(pd.out(), cpu(), dnnl_binary_add, data, data, data, attr));
                unimplemented(
                    dnnl_binary_primitive_desc_create(pd.out(), cpu(), dnnl_binary_mul, data, data, floats, attr));
                EXPECT_NE(last_error().find("binary: zero points of "), std::string::npos) << last_error();
                unimplemented(dnnl_eltwise_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_inference,
                                                                         dnnl_eltwise_relu, data, data, 0, 0, attr));
                unimplemented(dnnl_prelu_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_inference, data,
                                                                       slopes, data, attr));
                unimplemented(dnnl_resampling_forward_primitive_desc_create(
                    pd.out(), cpu(), dnnl_forward_inference, dnnl_resampling_nearest, nullptr, data, data, attr));
                unimplemented(dnnl_sum_primitive_desc_create(pd.out(), cpu(), data, 2, ones, both, attr));
                unimplemented(dnnl_concat_primitive_desc_create(pd.out(), cpu(), nullptr, 2, 0, both, attr));
                unimplemented(dnnl_shuffle_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_inference, data,
                                                                         data, 1, 3, attr));
            }
}

// ---- attributes through the C interface

TEST(Attributes, AreCopied) {
    Attr attr;
    PostOps chain;
    ASSERT_EQ(dnnl_post_ops_append_sum(chain, 2, 0, dnnl_data_type_undef), dnnl_success);
    ASSERT_EQ(dnnl_primitive_attr_set_post_ops(attr, chain), dnnl_success);
    ASSERT_EQ(dnnl_post_ops_append_sum(chain, 3, 0, dnnl_data_type_undef), dnnl_success);
    const Desc md({2, 3}, dnnl_f32, dnnl_ab);
    PrimitiveDesc pd;
    ASSERT_EQ(make_reorder(pd, md, md, attr), dnnl_success) << last_error();
    ASSERT_EQ(dnnl_primitive_attr_set_post_ops(attr, chain), dnnl_success);
    const_dnnl_primitive_attr_t seen = nullptr;
    const_dnnl_post_ops_t seen_chain = nullptr;
    ASSERT_EQ(dnnl_primitive_desc_get_attr(pd, &seen), dnnl_success);
    ASSERT_EQ(dnnl_primitive_attr_get_post_ops(seen, &seen_chain), dnnl_success);
    ASSERT_EQ(dnnl_post_ops_len(seen_chain), 1);
    float scale = 0;
    EXPECT_EQ(dnnl_post_ops_get_params_sum(seen_chain, 0, &scale, nullptr, nullptr), dnnl_success);
    EXPECT_EQ(scale, 2.f);
    Attr copy;
    ASSERT_EQ(dnnl_primitive_attr_clone(copy.out(), attr), dnnl_success);
    ASSERT_EQ(dnnl_primitive_attr_get_post_ops(copy, &seen_chain), dnnl_success);
    EXPECT_EQ(dnnl_post_ops_len(seen_chain), 2);
    EXPECT_EQ(dnnl_primitive_attr_set_post_ops(copy, seen_chain), dnnl_success) << "its own chain";
    EXPECT_EQ(dnnl_post_ops_len(seen_chain), 2);
}

TEST(Attributes, PostOpGettersCheckIndexAndKind) {
    PostOps chain;
    const Desc md({1, 3}, dnnl_f32, dnnl_ab);
    ASSERT_EQ(dnnl_post_ops_append_binary(chain, dnnl_binary_mul, md), dnnl_success);
    ASSERT_EQ(dnnl_post_ops_append_prelu(chain, 2), dnnl_success);
    ASSERT_EQ(dnnl_post_ops_append_dw(chain, dnnl_s8, dnnl_f32, dnnl_u8, 3, 2, 1), dnnl_success);
    EXPECT_EQ(dnnl_post_ops_get_kind(chain, 0), dnnl_binary);
    EXPECT_EQ(dnnl_post_ops_get_kind(chain, 1), dnnl_prelu);
    EXPECT_EQ(dnnl_post_ops_get_kind(chain, 2), dnnl_convolution);
    EXPECT_EQ(dnnl_post_ops_get_kind(chain, 3), dnnl_undefined_primitive);
    EXPECT_EQ(dnnl_post_ops_get_kind(chain, -1), dnnl_undefined_primitive);
    EXPECT_EQ(dnnl_post_ops_len(nullptr), 0);
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    const_dnnl_memory_desc_t src1 = nullptr;
    ASSERT_EQ(dnnl_post_ops_get_params_binary(chain, 0, &alg, &src1), dnnl_success);
    EXPECT_EQ(alg, dnnl_binary_mul);
    EXPECT_TRUE(dnnl_memory_desc_equal(src1, md));
    int mask = 0;
    EXPECT_EQ(dnnl_post_ops_get_params_prelu(chain, 1, &mask), dnnl_success);
    EXPECT_EQ(mask, 2);
    EXPECT_EQ(dnnl_post_ops_get_params_prelu(chain, 0, &mask), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_post_ops_get_params_prelu(chain, 3, &mask), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_post_ops_get_params_prelu(chain, -1, &mask), dnnl_invalid_arguments);
    dnnl_data_type_t w, b, d;
    dnnl_dim_t k, s, pad;
    ASSERT_EQ(dnnl_post_ops_get_params_dw(chain, 2, &w, &b, &d, &k, &s, &pad), dnnl_success);
    EXPECT_EQ((std::vector<int64_t>{w, b, d, k, s, pad}), (std::vector<int64_t>{dnnl_s8, dnnl_f32, dnnl_u8, 3, 2, 1}));
}

TEST(Attributes, ValuesComeBack) {
    Attr attr;
    int number = -1;
    ASSERT_EQ(dnnl_primitive_attr_set_deterministic(attr, 5), dnnl_success);
    ASSERT_EQ(dnnl_primitive_attr_get_deterministic(attr, &number), dnnl_success);
    EXPECT_EQ(number, 1);
    dnnl_fpmath_mode_t fpmath;
    ASSERT_EQ(dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_bf16, 1), dnnl_success);
    ASSERT_EQ(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &fpmath, &number), dnnl_success);
    EXPECT_EQ(fpmath, dnnl_fpmath_mode_bf16);
    EXPECT_EQ(number, 1);
    dnnl_accumulation_mode_t accumulation;
    ASSERT_EQ(dnnl_primitive_attr_set_accumulation_mode(attr, dnnl_accumulation_mode_f16), dnnl_success);
    ASSERT_EQ(dnnl_primitive_attr_get_accumulation_mode(attr, &accumulation), dnnl_success);
    EXPECT_EQ(accumulation, dnnl_accumulation_mode_f16);
    dnnl_rounding_mode_t rounding;
    ASSERT_EQ(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic), dnnl_success);
    ASSERT_EQ(dnnl_primitive_attr_get_rounding(attr, DNNL_ARG_DST, &rounding), dnnl_success);
    EXPECT_EQ(rounding, dnnl_rounding_mode_stochastic);
    const float weights[] = {1, 2, 3};
    dnnl_dim_t count = 0;
    const float* scales = nullptr;
    ASSERT_EQ(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 3, 24, weights), dnnl_success);
    ASSERT_EQ(dnnl_primitive_attr_get_rnn_weights_qparams(attr, &count, &number, &scales), dnnl_success);
    EXPECT_EQ(count, 3);
    EXPECT_EQ(number, 24);
    EXPECT_EQ(scales[2], 3.f);
    ASSERT_EQ(dnnl_primitive_attr_get_output_scales(attr, &count, &number, &scales), dnnl_success);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(scales[0], 1.f);
    const Desc mask({2, 3}, dnnl_u8, dnnl_ab), wrong({2, 3}, dnnl_f32, dnnl_ab);
    const_dnnl_memory_desc_t seen = nullptr;
    EXPECT_EQ(dnnl_primitive_attr_set_dropout(attr, wrong), dnnl_invalid_arguments);
    ASSERT_EQ(dnnl_primitive_attr_set_dropout(attr, mask), dnnl_success);
    ASSERT_EQ(dnnl_primitive_attr_get_dropout(attr, &seen), dnnl_success);
    EXPECT_TRUE(dnnl_memory_desc_equal(seen, mask));
    dnnl_data_type_t seed;
    int offset;
    ASSERT_EQ(dnnl_primitive_attr_set_dropout_v2(attr, nullptr, dnnl_s64, 1, 1), dnnl_success);
    ASSERT_EQ(dnnl_primitive_attr_get_dropout_v2(attr, nullptr, &seed, &offset, &number), dnnl_success);
    EXPECT_EQ(seed, dnnl_s64);
    EXPECT_EQ(offset + number, 2);
    EXPECT_EQ(dnnl_primitive_attr_set_dropout_v2(attr, nullptr, dnnl_f32, 0, 0), dnnl_invalid_arguments);
}

} // namespace
} // namespace tessera::test
