// SPDX-License-Identifier: Apache-2.0
// Numbers outside of an enumeration, in each call that takes one: refused by the number, and nothing is written. The
// same call with a good value works, so that nothing else is wrong with it. covers: STA-01 STA-06 ATR-05 ENG-01
#include <functional>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "c_objects.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace tessera::test {
namespace {

constexpr int no_enumerator[] = {
    -1, -77, 4242, 0x7777, 0x7ffffff0, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};

template <typename T> constexpr bool is_swept = std::is_enum_v<T> || std::is_same_v<T, unsigned>;

// Sweeps each enumeration, and flags, which are unsigned; `untouched` says that a refused call wrote nothing.
template <typename Call, typename... A, size_t... I> void sweep(const char* name, Call f, const std::tuple<A...>& good,
                                                                const std::function<bool()>& untouched,
                                                                std::index_sequence<I...>) {
    ASSERT_EQ(std::apply(f, good), dnnl_success) << name << ": " << last_error();
    const auto one = [&](auto position) {
        constexpr size_t at = decltype(position)::value;
        using T = std::tuple_element_t<at, std::tuple<A...>>;
        if constexpr (is_swept<T>)
            for (const int number : no_enumerator) {
                std::tuple<A...> args = good;
                std::memcpy(&std::get<at>(args), &number, sizeof number);
                EXPECT_NE(std::apply(f, args), dnnl_success) << name << " takes " << number << " as argument " << at;
                const std::string reason = last_error();
                const bool named = reason.find(std::to_string(number)) != reason.npos ||
                                   reason.find(fmt::format("{:#x}", unsigned(number))) != reason.npos ||
                                   reason.find(std::to_string(unsigned(number))) != reason.npos;
                EXPECT_TRUE(named) << name << ", argument " << at << " = " << number << ": " << reason;
                EXPECT_TRUE(untouched()) << name << " wrote although it refused";
            }
    };
    (one(std::integral_constant<size_t, I>{}), ...);
}

#define SWEEP(name, ...) check(#name, name, __VA_ARGS__)
template <typename Handle, typename... A> void check(const char* name, dnnl_status_t (*f)(Handle, A...),
                                                     std::type_identity_t<Handle> first,
                                                     std::type_identity_t<A>... good) {
    sweep(
        name, f, std::tuple<Handle, A...>(first, good...), [] { return true; },
        std::make_index_sequence<1 + sizeof...(A)>());
}

#define CREATES(name, ...) creates(#name, name, __VA_ARGS__)
// A call whose first argument is the handle that it creates.
template <typename Handle, typename... A> void creates(const char* name, dnnl_status_t (*f)(Handle*, A...),
                                                       dnnl_status_t (*destroy)(Handle),
                                                       std::type_identity_t<A>... good) {
    Handle made = nullptr, before = nullptr;
    const auto call = [&](A... args) {
        if (made && made != before) destroy(made);
        before = made = reinterpret_cast<Handle>(&made);
        const dnnl_status_t status = f(&made, args...);
        return status;
    };
    sweep(
        name, call, std::tuple<A...>(good...), [&] { return made == before; }, std::index_sequence_for<A...>());
}

TEST(Enumerations, Descriptors) {
    const dnnl_dims_t dims = {2, 3}, strides = {3, 1};
    const auto destroy = dnnl_memory_desc_destroy;
    CREATES(dnnl_memory_desc_create_with_tag, destroy, 2, dims, dnnl_f32, dnnl_ab);
    CREATES(dnnl_memory_desc_create_with_strides, destroy, 2, dims, dnnl_f32, strides);
    CREATES(dnnl_memory_desc_create_with_string_tag, destroy, 2, dims, dnnl_f32, "ab");
    CREATES(dnnl_memory_desc_create_with_csr_encoding, destroy, 2, dims, dnnl_f32, 1, dnnl_s32, dnnl_s32);
    CREATES(dnnl_memory_desc_create_with_coo_encoding, destroy, 2, dims, dnnl_f32, 1, dnnl_s32);
    CREATES(dnnl_memory_desc_create_with_packed_encoding, destroy, 2, dims, dnnl_s8, 1);
    CREATES(dnnl_memory_desc_create_host_scalar, destroy, dnnl_f32);
    const Desc md({2, 3}, dnnl_f32, dnnl_ab);
    int answer = 0;
    SWEEP(dnnl_memory_desc_query, md, dnnl_query_ndims_s32, &answer);
    SWEEP(dnnl_memory_desc_query_v2, md, dnnl_query_data_type, 0, &answer);
    EXPECT_EQ(dnnl_data_type_size(static_cast<dnnl_data_type_t>(4242)), 0u);
    EXPECT_EQ(dnnl_engine_get_count(static_cast<dnnl_engine_kind_t>(4242)), 0u);
}

TEST(Enumerations, EnginesAndSettings) {
    CREATES(dnnl_engine_create, dnnl_engine_destroy, dnnl_cpu, 0);
    CREATES(dnnl_stream_create, dnnl_stream_destroy, cpu(), unsigned(dnnl_stream_default_flags));
    const auto set = [](auto f) { return [f](auto value) { return f(value); }; };
    const auto always = [] { return true; };
    sweep("fpmath mode", set(dnnl_set_default_fpmath_mode), std::tuple(dnnl_fpmath_mode_strict), always,
          std::index_sequence<0>());
    sweep("profiling", set(dnnl_set_jit_profiling_flags), std::tuple(0u), always, std::index_sequence<0>());
}

TEST(Enumerations, Attributes) {
    const Attr attr;
    const PostOps chain;
    const Desc md({2, 3}, dnnl_f32, dnnl_ab), mask({2, 3}, dnnl_u8, dnnl_ab);
    SWEEP(dnnl_primitive_attr_set_fpmath_mode, attr, dnnl_fpmath_mode_any);
    SWEEP(dnnl_primitive_attr_set_fpmath_mode_v2, attr, dnnl_fpmath_mode_any, 1);
    SWEEP(dnnl_primitive_attr_set_accumulation_mode, attr, dnnl_accumulation_mode_any);
    SWEEP(dnnl_primitive_attr_set_scratchpad_mode, attr, dnnl_scratchpad_mode_user);
    SWEEP(dnnl_primitive_attr_set_rounding, attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic);
    SWEEP(dnnl_primitive_attr_set_scales, attr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32);
    SWEEP(dnnl_primitive_attr_set_scales_v2, attr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32, 0);
    SWEEP(dnnl_primitive_attr_set_scales_v3, attr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32, 0,
          dnnl_quantization_mode_static_sazp);
    SWEEP(dnnl_primitive_attr_set_zero_points, attr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_s32);
    SWEEP(dnnl_primitive_attr_set_zero_points_v2, attr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_s32, 0);
    SWEEP(dnnl_primitive_attr_set_precomputed_reductions, attr, DNNL_ARG_SRC, 3, 0, nullptr, dnnl_s32);
    SWEEP(dnnl_primitive_attr_set_dropout_v2, attr, mask, dnnl_s64, 0, 0);
    SWEEP(dnnl_post_ops_append_sum, chain, 1.f, 0, dnnl_f32);
    SWEEP(dnnl_post_ops_append_eltwise, chain, dnnl_eltwise_relu, 0.f, 0.f);
    SWEEP(dnnl_post_ops_append_binary, chain, dnnl_binary_add, md);
    SWEEP(dnnl_post_ops_append_binary_v2, chain, dnnl_binary_add, md, nullptr);
    SWEEP(dnnl_post_ops_append_dw, chain, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1);
    EXPECT_EQ(dnnl_post_ops_len(chain), 5); // of each one, the good one
}

TEST(Enumerations, PointwisePrimitives) {
    const Desc md({2, 3}, dnnl_f32, dnnl_ab), row({1, 3}, dnnl_f32, dnnl_ab), sum({2, 1}, dnnl_f32, dnnl_ab),
        s8({2, 3}, dnnl_s8, dnnl_ab);
    const auto destroy = dnnl_primitive_desc_destroy;
    const auto training = dnnl_forward_training;
    CREATES(dnnl_eltwise_forward_primitive_desc_create, destroy, cpu(), training, dnnl_eltwise_relu, md, md, 0, 0,
            nullptr);
    CREATES(dnnl_eltwise_backward_primitive_desc_create, destroy, cpu(), dnnl_eltwise_relu, md, md, md, 0, 0, nullptr,
            nullptr);
    CREATES(dnnl_binary_primitive_desc_create, destroy, cpu(), dnnl_binary_add, md, md, md, nullptr);
    CREATES(dnnl_binary_primitive_desc_create_v2, destroy, cpu(), dnnl_binary_select, md, md, s8, md, nullptr);
    CREATES(dnnl_prelu_forward_primitive_desc_create, destroy, cpu(), training, md, row, md, nullptr);
    CREATES(dnnl_reduction_primitive_desc_create, destroy, cpu(), dnnl_reduction_sum, md, sum, 0, 0, nullptr);
    CREATES(dnnl_softmax_forward_primitive_desc_create, destroy, cpu(), training, dnnl_softmax_accurate, md, md, 1,
            nullptr);
    CREATES(dnnl_softmax_backward_primitive_desc_create, destroy, cpu(), dnnl_softmax_accurate, md, md, md, 1, nullptr,
            nullptr);
    CREATES(dnnl_shuffle_forward_primitive_desc_create, destroy, cpu(), training, md, md, 1, 3, nullptr);
    PrimitiveDesc pd;
    ASSERT_EQ(make_reorder(pd, md, s8), dnnl_success);
    dnnl_engine_t engine = nullptr;
    SWEEP(dnnl_primitive_desc_query, pd, dnnl_query_engine, 0, &engine);
}

TEST(Enumerations, PrimitivesOfImages) {
    const Desc image({1, 4, 6, 6}, dnnl_f32, dnnl_abcd), filter({4, 4, 1, 1}, dnnl_f32, dnnl_abcd),
        pooled({1, 4, 3, 3}, dnnl_f32, dnnl_abcd), wide({1, 4, 12, 12}, dnnl_f32, dnnl_abcd);
    const auto destroy = dnnl_primitive_desc_destroy;
    const auto training = dnnl_forward_training;
    const dnnl_dims_t ones = {1, 1}, zeros = {}, twos = {2, 2};
    CREATES(dnnl_pooling_forward_primitive_desc_create, destroy, cpu(), training, dnnl_pooling_max, image, pooled, twos,
            twos, zeros, zeros, zeros, nullptr);
    CREATES(dnnl_pooling_backward_primitive_desc_create, destroy, cpu(), dnnl_pooling_avg_include_padding, image,
            pooled, twos, twos, zeros, zeros, zeros, nullptr, nullptr);
    CREATES(dnnl_convolution_forward_primitive_desc_create, destroy, cpu(), training, dnnl_convolution_direct, image,
            filter, nullptr, image, ones, zeros, zeros, zeros, nullptr);
    CREATES(dnnl_convolution_backward_data_primitive_desc_create, destroy, cpu(), dnnl_convolution_direct, image,
            filter, image, ones, zeros, zeros, zeros, nullptr, nullptr);
    CREATES(dnnl_convolution_backward_weights_primitive_desc_create, destroy, cpu(), dnnl_convolution_direct, image,
            filter, nullptr, image, ones, zeros, zeros, zeros, nullptr, nullptr);
    CREATES(dnnl_deconvolution_forward_primitive_desc_create, destroy, cpu(), training, dnnl_deconvolution_direct,
            image, filter, nullptr, image, ones, zeros, zeros, zeros, nullptr);
    CREATES(dnnl_deconvolution_backward_data_primitive_desc_create, destroy, cpu(), dnnl_deconvolution_direct, image,
            filter, image, ones, zeros, zeros, zeros, nullptr, nullptr);
    CREATES(dnnl_deconvolution_backward_weights_primitive_desc_create, destroy, cpu(), dnnl_deconvolution_direct, image,
            filter, nullptr, image, ones, zeros, zeros, zeros, nullptr, nullptr);
    CREATES(dnnl_resampling_forward_primitive_desc_create, destroy, cpu(), training, dnnl_resampling_linear, nullptr,
            image, wide, nullptr);
    CREATES(dnnl_resampling_backward_primitive_desc_create, destroy, cpu(), dnnl_resampling_linear, nullptr, image,
            wide, nullptr, nullptr);
    CREATES(dnnl_lrn_forward_primitive_desc_create, destroy, cpu(), training, dnnl_lrn_across_channels, image, image, 3,
            1, 1, 1, nullptr);
    CREATES(dnnl_lrn_backward_primitive_desc_create, destroy, cpu(), dnnl_lrn_across_channels, image, image, image, 3,
            1, 1, 1, nullptr, nullptr);
}

TEST(Enumerations, ProductsAndNormalizations) {
    const Desc image({1, 4, 6, 6}, dnnl_f32, dnnl_abcd), rows({2, 6}, dnnl_f32, dnnl_ab),
        weights({4, 6}, dnnl_f32, dnnl_ab), dst({2, 4}, dnnl_f32, dnnl_ab);
    const auto destroy = dnnl_primitive_desc_destroy;
    const auto training = dnnl_forward_training;
    CREATES(dnnl_inner_product_forward_primitive_desc_create, destroy, cpu(), training, rows, weights, nullptr, dst,
            nullptr);
    CREATES(dnnl_batch_normalization_forward_primitive_desc_create, destroy, cpu(), training, image, image, 0, 0u,
            nullptr);
    CREATES(dnnl_layer_normalization_forward_primitive_desc_create, destroy, cpu(), training, rows, rows, nullptr, 0,
            0u, nullptr);
    CREATES(dnnl_layer_normalization_forward_primitive_desc_create_v2, destroy, cpu(), training, rows, rows, nullptr,
            dnnl_f32, 0, unsigned(dnnl_use_scale), nullptr);
    CREATES(dnnl_group_normalization_forward_primitive_desc_create, destroy, cpu(), training, image, image, 2, 0, 0u,
            nullptr);
    PrimitiveDesc of_batch, of_layer, of_groups;
    ASSERT_EQ(dnnl_batch_normalization_forward_primitive_desc_create(of_batch.out(), cpu(), training, image, image, 0,
                                                                     0, nullptr),
              dnnl_success);
    ASSERT_EQ(dnnl_layer_normalization_forward_primitive_desc_create(of_layer.out(), cpu(), training, rows, rows,
                                                                     nullptr, 0, 0, nullptr),
              dnnl_success);
    ASSERT_EQ(dnnl_group_normalization_forward_primitive_desc_create(of_groups.out(), cpu(), training, image, image, 2,
                                                                     0, 0, nullptr),
              dnnl_success);
    CREATES(dnnl_batch_normalization_backward_primitive_desc_create, destroy, cpu(), dnnl_backward, image, image, image,
            0, 0u, of_batch, nullptr);
    CREATES(dnnl_layer_normalization_backward_primitive_desc_create, destroy, cpu(), dnnl_backward, rows, rows, rows,
            nullptr, 0, 0u, of_layer, nullptr);
    CREATES(dnnl_group_normalization_backward_primitive_desc_create, destroy, cpu(), dnnl_backward, image, image, image,
            2, 0, 0u, of_groups, nullptr);
}

TEST(Enumerations, RecurrentLayers) {
    const Desc layer({2, 1, 3}, dnnl_f32, dnnl_abc), one({1, 1, 3, 1, 3}, dnnl_f32, dnnl_abcde),
        three({1, 1, 3, 3, 3}, dnnl_f32, dnnl_abcde), four({1, 1, 3, 4, 3}, dnnl_f32, dnnl_abcde),
        bias({1, 1, 1, 3}, dnnl_f32, dnnl_abcd), bias3({1, 1, 3, 3}, dnnl_f32, dnnl_abcd),
        bias4({1, 1, 4, 3}, dnnl_f32, dnnl_abcd);
    const auto destroy = dnnl_primitive_desc_destroy;
    const auto training = dnnl_forward_training;
    const auto forward = dnnl_unidirectional_left2right;
    CREATES(dnnl_vanilla_rnn_forward_primitive_desc_create, destroy, cpu(), training, dnnl_eltwise_tanh, forward, layer,
            nullptr, one, one, bias, layer, nullptr, 0u, 0, 0, nullptr);
    CREATES(dnnl_lstm_forward_primitive_desc_create, destroy, cpu(), training, forward, layer, nullptr, nullptr, four,
            four, nullptr, nullptr, bias4, layer, nullptr, nullptr, 0u, nullptr);
    CREATES(dnnl_gru_forward_primitive_desc_create, destroy, cpu(), training, forward, layer, nullptr, three, three,
            bias3, layer, nullptr, 0u, nullptr);
    PrimitiveDesc hint;
    ASSERT_EQ(dnnl_vanilla_rnn_forward_primitive_desc_create(hint.out(), cpu(), training, dnnl_eltwise_tanh, forward,
                                                             layer, nullptr, one, one, bias, layer, nullptr, 0, 0, 0,
                                                             nullptr),
              dnnl_success);
    CREATES(dnnl_vanilla_rnn_backward_primitive_desc_create, destroy, cpu(), dnnl_backward, dnnl_eltwise_tanh, forward,
            layer, nullptr, one, one, bias, layer, nullptr, layer, nullptr, one, one, bias, layer, nullptr, 0u, 0, 0,
            hint, nullptr);
}

// Names of numbers without one: a text, never null, that is no name of another.
TEST(Enumerations, NamesForDebugging) {
#define NAMES(what, type)                                                                                              \
    for (const int number : no_enumerator) {                                                                           \
        type value;                                                                                                    \
        std::memcpy(&value, &number, sizeof number);                                                                   \
        EXPECT_EQ(std::string(dnnl_##what##2str(value)).find("unknown"), 0u) << #what " " << number;                   \
    }
    NAMES(status, dnnl_status_t);
    NAMES(dt, dnnl_data_type_t);
    NAMES(fpmath_mode, dnnl_fpmath_mode_t);
    NAMES(accumulation_mode, dnnl_accumulation_mode_t);
    NAMES(engine_kind, dnnl_engine_kind_t);
    NAMES(sparse_encoding, dnnl_sparse_encoding_t);
    NAMES(fmt_tag, dnnl_format_tag_t);
    NAMES(fmt_kind, dnnl_format_kind_t);
    NAMES(prop_kind, dnnl_prop_kind_t);
    NAMES(prim_kind, dnnl_primitive_kind_t);
    NAMES(alg_kind, dnnl_alg_kind_t);
    NAMES(rnn_flags, dnnl_rnn_flags_t);
    NAMES(rnn_direction, dnnl_rnn_direction_t);
    NAMES(scratchpad_mode, dnnl_scratchpad_mode_t);
    NAMES(rounding_mode, dnnl_rounding_mode_t);
    NAMES(quantization_mode, dnnl_quantization_mode_t);
    NAMES(cpu_isa, dnnl_cpu_isa_t);
    NAMES(cpu_isa_hints, dnnl_cpu_isa_hints_t);
    NAMES(runtime, unsigned);
#undef NAMES
}

} // namespace
} // namespace tessera::test
