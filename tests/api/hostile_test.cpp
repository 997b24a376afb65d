// SPDX-License-Identifier: Apache-2.0
// What a caller can get wrong is refused, with a reason, and nothing of the caller's is written: null pointers in each
// position, numbers outside of enumerations, impossible dims, executions without or with other memories.
//
// Random calls are seeded; a failure prints the call's number. Pointers to freed or foreign memory are beyond what can
// be checked and are not tried.
// covers: STA-01 STA-02 STA-06 STA-07 RUN-05 ATR-05 MEM-17 ENG-01 STR-01 CCH-01 ISA-01 VRB-01
#define DNNL_EXPERIMENTAL_UKERNEL // for its types
#include <limits>
#include <random>
#include <regex>
#include <tuple>

#include "c_objects.hpp"
#include "oneapi/dnnl/dnnl_graph.h"
#include "oneapi/dnnl/dnnl_ocl_types.h"
#include "oneapi/dnnl/dnnl_sycl_types.h"
#include "oneapi/dnnl/dnnl_threadpool.h"
#include "oneapi/dnnl/dnnl_ukernel_types.h"

namespace tessera::test {
namespace {

long refusals = 0;

// What is wrong with the words of a reason: a name said twice ("reorder: reorder: ..."), "1 elements", "(s)".
std::string fault_of(const std::string& reason) {
    static const std::regex twice("^(\\w+): (\\1|dnnl_\\w*\\1\\w*): ");
    static const std::regex plural(
        "(^|[^x] |[(])1 (values|elements|dimensions|dims|entries|sources|scales|strides|bytes"
        "|buffers|handles|rows|channels|layers|steps|groups|axes|offsets)\\b");
    std::smatch at;
    if (std::regex_search(reason, at, twice) || std::regex_search(reason, at, plural)) return at.str();
    return reason.find("(s)") == reason.npos ? "" : "(s)";
}

// Counts and checks one call that must be refused.
void refused(const std::string& call, dnnl_status_t status) {
    ++refusals;
    ASSERT_NE(status, dnnl_success) << call;
    const std::string reason = dnnl_tessera_last_error(), in_cpp = dnnl_tessera_last_error_cpp();
    ASSERT_NE(reason, "") << call << " gave status " << int(status) << " without a reason";
    EXPECT_EQ(fault_of(reason), "") << reason;
    EXPECT_NE(in_cpp, "") << reason;
    EXPECT_EQ(in_cpp.find("dnnl_"), in_cpp.npos) << "C++ reads a name of C: " << in_cpp;
}

// ---- null pointers, position by position

// Outputs of refused calls must keep these.
struct Bait {
    void* handle = &handle;
    int number = 0x5a5a5a5a;
    dnnl_dim_t count = 0x5a5a5a5a;
    size_t size = 0;
    bool operator==(const Bait& o) const {
        return handle == o.handle && number == o.number && count == o.count && size == o.size;
    }
};
Bait bait;

template <typename T> T* out() { // a handle to create or a view to lend
    return static_cast<T*>(static_cast<void*>(&bait.handle));
}

// Calls f with the arguments but null where a bit of `mandatory` is set, one bit after the other.
template <typename... A, size_t... I> void null_sweep(const char* name, dnnl_status_t (*f)(A...),
                                                      const std::tuple<A...>& good, unsigned mandatory,
                                                      std::index_sequence<I...>) {
    const Bait before = bait;
    const auto without = [&](auto position) {
        constexpr size_t at = decltype(position)::value;
        if (!(mandatory >> at & 1)) return;
        std::tuple<A...> args = good;
        std::get<at>(args) = {};
        refused(std::string(name) + " without argument " + std::to_string(at), std::apply(f, args));
        EXPECT_TRUE(bait == before) << name << " wrote although it refused";
        bait = before;
    };
    (without(std::integral_constant<size_t, I>{}), ...);
}

template <typename... A> struct Same { using type = std::tuple<A...>; };

#define NULLS(name, mandatory, ...) sweep(#name, name, mandatory, __VA_ARGS__)
template <typename... A>
void sweep(const char* name, dnnl_status_t (*f)(A...), unsigned mandatory, std::type_identity_t<A>... good) {
    null_sweep(name, f, std::tuple<A...>(good...), mandatory, std::index_sequence_for<A...>());
}

struct Objects {
    Desc src{{2, 3}, dnnl_f32, dnnl_ab}, dst{{2, 3}, dnnl_s8, dnnl_ba}, scalar_md{dnnl_f32};
    Memory from{src}, to{dst, 0x55};
    HostScalar scalar{dnnl_f32, 2.f};
    Attr attr;
    PostOps chain;
    Stream stream;
    PrimitiveDesc pd;
    Primitive primitive;
    dnnl_dims_t dims = {2, 3}, strides = {3, 1};
    int permutation[2] = {1, 0};

    Objects() {
        EXPECT_EQ(make_reorder(pd, src, dst), dnnl_success) << last_error();
        EXPECT_EQ(dnnl_primitive_create(primitive.out(), pd), dnnl_success);
        EXPECT_EQ(dnnl_post_ops_append_sum(chain, 1, 0, dnnl_data_type_undef), dnnl_success);
    }
};

TEST(Null, CommonCalls) {
    Objects o;
    auto* number = &bait.number;
    NULLS(dnnl_engine_create, 1, out<dnnl_engine_t>(), dnnl_cpu, 0);
    NULLS(dnnl_engine_get_kind, 3, cpu(), reinterpret_cast<dnnl_engine_kind_t*>(number));
    NULLS(dnnl_stream_create, 3, out<dnnl_stream_t>(), cpu(), 1u);
    NULLS(dnnl_stream_get_engine, 3, o.stream, out<dnnl_engine_t>());
    NULLS(dnnl_stream_wait, 1, o.stream);
    NULLS(dnnl_get_default_fpmath_mode, 1, reinterpret_cast<dnnl_fpmath_mode_t*>(number));
    NULLS(dnnl_get_primitive_cache_capacity, 1, number);
}

TEST(Null, MemoryCalls) {
    Objects o;
    uint8_t blob[8] = {};
    void* handles[1] = {o.from.bytes.data()};
    float value = 1;
    auto** created = out<dnnl_memory_desc_t>();
    NULLS(dnnl_memory_desc_clone, 3, created, o.src);
    NULLS(dnnl_memory_desc_get_blob, 6, blob, &bait.size, o.src);
    NULLS(dnnl_memory_desc_create_with_blob, 3, created, blob);
    NULLS(dnnl_memory_desc_create_with_strides, 5, created, 2, o.dims, dnnl_f32, o.strides);
    NULLS(dnnl_memory_desc_create_with_tag, 5, created, 2, o.dims, dnnl_f32, dnnl_ab);
    NULLS(dnnl_memory_desc_create_with_string_tag, 21, created, 2, o.dims, dnnl_f32, "ab");
    NULLS(dnnl_memory_desc_create_with_csr_encoding, 5, created, 2, o.dims, dnnl_f32, 1, dnnl_s32, dnnl_s32);
    NULLS(dnnl_memory_desc_create_with_coo_encoding, 5, created, 2, o.dims, dnnl_f32, 1, dnnl_s32);
    NULLS(dnnl_memory_desc_create_with_packed_encoding, 5, created, 2, o.dims, dnnl_f32, 1);
    NULLS(dnnl_memory_desc_create_host_scalar, 1, created, dnnl_f32);
    NULLS(dnnl_memory_desc_create_submemory, 15, created, o.src, o.dims, o.dims);
    NULLS(dnnl_memory_desc_reshape, 11, created, o.src, 2, o.dims);
    NULLS(dnnl_memory_desc_permute_axes, 7, created, o.src, o.permutation);
    NULLS(dnnl_memory_desc_query, 5, o.src, dnnl_query_ndims_s32, &bait.number);
    NULLS(dnnl_memory_desc_query_v2, 9, o.src, dnnl_query_data_type, 0, &bait.number);
    NULLS(dnnl_memory_create, 7, out<dnnl_memory_t>(), o.src, cpu(), handles[0]);
    NULLS(dnnl_memory_create_v2, 23, out<dnnl_memory_t>(), o.src, cpu(), 1, handles);
    NULLS(dnnl_memory_create_host_scalar, 7, out<dnnl_memory_t>(), o.scalar_md, &value);
    NULLS(dnnl_memory_get_memory_desc, 3, o.from, out<const_dnnl_memory_desc_t>());
    NULLS(dnnl_memory_get_engine, 3, o.from, out<dnnl_engine_t>());
    NULLS(dnnl_memory_map_data, 3, o.from, out<void*>());
    NULLS(dnnl_memory_map_data_v2, 3, o.from, out<void*>(), 0);
    NULLS(dnnl_memory_unmap_data, 1, o.from, nullptr);
    NULLS(dnnl_memory_unmap_data_v2, 1, o.from, nullptr, 0);
    NULLS(dnnl_memory_get_data_handle, 3, o.from, out<void*>());
    NULLS(dnnl_memory_get_data_handle_v2, 3, o.from, out<void*>(), 0);
    NULLS(dnnl_memory_set_data_handle, 1, o.from, handles[0]);
    NULLS(dnnl_memory_set_data_handle_v2, 1, o.from, handles[0], 0);
    NULLS(dnnl_memory_get_host_scalar_value, 3, o.scalar, &bait.number);
    NULLS(dnnl_memory_set_host_scalar_value, 3, o.scalar, &value);
    EXPECT_EQ(dnnl_memory_desc_get_size(nullptr), 0u);
    EXPECT_EQ(dnnl_memory_desc_get_size_v2(nullptr, 0), 0u);
    dnnl_memory_desc_equal(nullptr, o.src); // any answer, no crash
    dnnl_memory_desc_equal(o.src, nullptr);
}

TEST(Null, AttributeCalls) {
    Objects o;
    int* n = &bait.number;
    const float scales[2] = {1, 2};
    NULLS(dnnl_primitive_attr_create, 1, out<dnnl_primitive_attr_t>());
    NULLS(dnnl_primitive_attr_clone, 3, out<dnnl_primitive_attr_t>(), o.attr);
    NULLS(dnnl_primitive_attr_get_dropout, 3, o.attr, out<const_dnnl_memory_desc_t>());
    NULLS(dnnl_primitive_attr_set_dropout, 3, o.attr, o.src);
    NULLS(dnnl_primitive_attr_get_dropout_v2, 1, o.attr, nullptr, nullptr, nullptr, nullptr);
    NULLS(dnnl_primitive_attr_set_dropout_v2, 1, o.attr, nullptr, dnnl_s32, 0, 0);
    NULLS(dnnl_primitive_attr_get_fpmath_mode, 3, o.attr, reinterpret_cast<dnnl_fpmath_mode_t*>(n));
    NULLS(dnnl_primitive_attr_set_fpmath_mode, 1, o.attr, dnnl_fpmath_mode_strict);
    NULLS(dnnl_primitive_attr_get_fpmath_mode_v2, 1, o.attr, nullptr, nullptr);
    NULLS(dnnl_primitive_attr_set_fpmath_mode_v2, 1, o.attr, dnnl_fpmath_mode_strict, 0);
    NULLS(dnnl_primitive_attr_get_deterministic, 3, o.attr, n);
    NULLS(dnnl_primitive_attr_set_deterministic, 1, o.attr, 0);
    NULLS(dnnl_primitive_attr_get_accumulation_mode, 3, o.attr, reinterpret_cast<dnnl_accumulation_mode_t*>(n));
    NULLS(dnnl_primitive_attr_set_accumulation_mode, 1, o.attr, dnnl_accumulation_mode_strict);
    NULLS(dnnl_primitive_attr_get_scratchpad_mode, 3, o.attr, reinterpret_cast<dnnl_scratchpad_mode_t*>(n));
    NULLS(dnnl_primitive_attr_set_scratchpad_mode, 1, o.attr, dnnl_scratchpad_mode_user);
    NULLS(dnnl_primitive_attr_set_scales_mask, 1, o.attr, 1, 0);
    NULLS(dnnl_primitive_attr_set_scales, 17, o.attr, 1, 3, 2, o.dims, dnnl_f32);
    NULLS(dnnl_primitive_attr_set_scales_v2, 17, o.attr, 1, 3, 2, o.dims, dnnl_f32, 0);
    NULLS(dnnl_primitive_attr_set_scales_v3, 17, o.attr, 1, 3, 2, o.dims, dnnl_f32, 0,
          dnnl_quantization_mode_static_sazp);
    NULLS(dnnl_primitive_attr_set_zero_points_mask, 1, o.attr, 1, 0);
    NULLS(dnnl_primitive_attr_set_zero_points, 17, o.attr, 1, 3, 2, o.dims, dnnl_s32);
    NULLS(dnnl_primitive_attr_set_zero_points_v2, 17, o.attr, 1, 3, 2, o.dims, dnnl_s32, 0);
    NULLS(dnnl_primitive_attr_set_precomputed_reductions, 17, o.attr, 1, 3, 2, o.dims, dnnl_s32);
    NULLS(dnnl_primitive_attr_set_rounding, 1, o.attr, 17, dnnl_rounding_mode_stochastic);
    NULLS(dnnl_primitive_attr_get_rounding, 5, o.attr, 17, reinterpret_cast<dnnl_rounding_mode_t*>(n));
    NULLS(dnnl_primitive_attr_get_post_ops, 3, o.attr, out<const_dnnl_post_ops_t>());
    NULLS(dnnl_primitive_attr_set_post_ops, 3, o.attr, o.chain);
    NULLS(dnnl_primitive_attr_set_output_scales, 9, o.attr, 2, 1, scales);
    NULLS(dnnl_primitive_attr_get_output_scales, 1, o.attr, nullptr, nullptr, nullptr);
    NULLS(dnnl_primitive_attr_set_rnn_data_qparams, 1, o.attr, 1.f, 0.f);
    NULLS(dnnl_primitive_attr_get_rnn_data_qparams, 1, o.attr, nullptr, nullptr);
    NULLS(dnnl_primitive_attr_set_rnn_weights_qparams, 9, o.attr, 2, 1, scales);
    NULLS(dnnl_primitive_attr_get_rnn_weights_qparams, 1, o.attr, nullptr, nullptr, nullptr);
    NULLS(dnnl_primitive_attr_set_rnn_weights_projection_qparams, 9, o.attr, 2, 1, scales);
    NULLS(dnnl_primitive_attr_get_rnn_weights_projection_qparams, 1, o.attr, nullptr, nullptr, nullptr);
    NULLS(dnnl_post_ops_create, 1, out<dnnl_post_ops_t>());
    NULLS(dnnl_post_ops_clone, 3, out<dnnl_post_ops_t>(), o.chain);
    NULLS(dnnl_post_ops_append_sum, 1, o.chain, 1.f, 0, dnnl_f32);
    NULLS(dnnl_post_ops_get_params_sum, 1, o.chain, 0, nullptr, nullptr, nullptr);
    NULLS(dnnl_post_ops_append_eltwise, 1, o.chain, dnnl_eltwise_relu, 0.f, 0.f);
    NULLS(dnnl_post_ops_get_params_eltwise, 1, o.chain, 0, nullptr, nullptr, nullptr);
    NULLS(dnnl_post_ops_append_dw, 1, o.chain, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1);
    NULLS(dnnl_post_ops_get_params_dw, 1, o.chain, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    NULLS(dnnl_post_ops_append_binary, 5, o.chain, dnnl_binary_add, o.src);
    NULLS(dnnl_post_ops_append_binary_v2, 5, o.chain, dnnl_binary_add, o.src, nullptr);
    NULLS(dnnl_post_ops_get_params_binary, 1, o.chain, 0, nullptr, nullptr);
    NULLS(dnnl_post_ops_get_params_binary_v2, 1, o.chain, 0, nullptr, nullptr, nullptr);
    NULLS(dnnl_post_ops_append_prelu, 1, o.chain, 0);
    NULLS(dnnl_post_ops_get_params_prelu, 1, o.chain, 0, nullptr);
    EXPECT_EQ(dnnl_post_ops_get_kind(nullptr, 0), dnnl_undefined_primitive);
}

TEST(Null, PrimitiveCalls) {
    Objects o;
    auto** pd = out<dnnl_primitive_desc_t>();
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, o.from}, {DNNL_ARG_TO, o.to}};
    const uint8_t blob[1] = {};
    NULLS(dnnl_reorder_primitive_desc_create, 31, pd, o.src, cpu(), o.dst, cpu(), nullptr);
    NULLS(dnnl_shuffle_forward_primitive_desc_create, 27, pd, cpu(), dnnl_forward_training, o.src, o.src, 1, 3,
          nullptr);
    NULLS(dnnl_shuffle_backward_primitive_desc_create, 15, pd, cpu(), o.src, o.src, 1, 3, nullptr, nullptr);
    NULLS(dnnl_reduction_primitive_desc_create, 27, pd, cpu(), dnnl_reduction_sum, o.src, o.src, 1, 0, nullptr);
    NULLS(dnnl_softmax_forward_primitive_desc_create, 27, pd, cpu(), dnnl_forward_training, dnnl_softmax_log, o.src,
          o.src, 0, nullptr);
    const dnnl_dims_t ones = {1, 1}, zeros = {};
    NULLS(dnnl_pooling_forward_primitive_desc_create, 1011, pd, cpu(), dnnl_forward_training, dnnl_pooling_max, o.src,
          o.src, ones, ones, zeros, zeros, zeros, nullptr);
    NULLS(dnnl_pooling_backward_primitive_desc_create, 507, pd, cpu(), dnnl_pooling_max, o.src, o.src, ones, ones,
          zeros, zeros, zeros, nullptr, nullptr);
    // primitive_desc, engine, the three or four descriptors but that of the bias, strides, padding in front
    NULLS(dnnl_convolution_forward_primitive_desc_create, 1459, pd, cpu(), dnnl_forward_training,
          dnnl_convolution_direct, o.src, o.src, o.src, o.src, ones, zeros, zeros, zeros, nullptr);
    NULLS(dnnl_convolution_backward_data_primitive_desc_create, 379, pd, cpu(), dnnl_convolution_direct, o.src, o.src,
          o.src, ones, zeros, zeros, zeros, nullptr, nullptr);
    NULLS(dnnl_convolution_backward_weights_primitive_desc_create, 731, pd, cpu(), dnnl_convolution_direct, o.src,
          o.src, o.src, o.src, ones, zeros, zeros, zeros, nullptr, nullptr);
    NULLS(dnnl_deconvolution_forward_primitive_desc_create, 1459, pd, cpu(), dnnl_forward_training,
          dnnl_deconvolution_direct, o.src, o.src, o.src, o.src, ones, zeros, zeros, zeros, nullptr);
    NULLS(dnnl_deconvolution_backward_data_primitive_desc_create, 379, pd, cpu(), dnnl_deconvolution_direct, o.src,
          o.src, o.src, ones, zeros, zeros, zeros, nullptr, nullptr);
    NULLS(dnnl_deconvolution_backward_weights_primitive_desc_create, 731, pd, cpu(), dnnl_deconvolution_direct, o.src,
          o.src, o.src, o.src, ones, zeros, zeros, zeros, nullptr, nullptr);
    NULLS(dnnl_batch_normalization_forward_primitive_desc_create, 27, pd, cpu(), dnnl_forward_training, o.src, o.src, 0,
          0, nullptr);
    NULLS(dnnl_layer_normalization_forward_primitive_desc_create, 27, pd, cpu(), dnnl_forward_training, o.src, o.src,
          nullptr, 0, 0, nullptr);
    NULLS(dnnl_group_normalization_forward_primitive_desc_create, 27, pd, cpu(), dnnl_forward_training, o.src, o.src, 1,
          0, 0, nullptr);
    NULLS(dnnl_lrn_forward_primitive_desc_create, 51, pd, cpu(), dnnl_forward_training, dnnl_lrn_across_channels, o.src,
          o.src, 5, 1, 1, 1, nullptr);
    NULLS(dnnl_lrn_backward_primitive_desc_create, 59, pd, cpu(), dnnl_lrn_across_channels, o.src, o.src, o.src, 5, 1,
          1, 1, nullptr, nullptr);
    const Desc layer({1, 2, 3}, dnnl_f32, dnnl_abc), weights({1, 1, 3, 1, 3}, dnnl_f32, dnnl_abcde),
        of_lstm({1, 1, 3, 4, 3}, dnnl_f32, dnnl_abcde), bias({1, 1, 1, 3}, dnnl_f32, dnnl_abcd),
        bias_of_lstm({1, 1, 4, 3}, dnnl_f32, dnnl_abcd);
    NULLS(dnnl_vanilla_rnn_forward_primitive_desc_create, 1443, pd, cpu(), dnnl_forward_training, dnnl_eltwise_tanh,
          dnnl_unidirectional_left2right, layer, nullptr, weights, weights, bias, layer, nullptr, 0, 0, 0, nullptr);
    NULLS(dnnl_vanilla_rnn_backward_primitive_desc_create, 251299, pd, cpu(), dnnl_backward, dnnl_eltwise_tanh,
          dnnl_unidirectional_left2right, layer, nullptr, weights, weights, bias, layer, nullptr, layer, nullptr,
          weights, weights, bias, layer, nullptr, 0, 0, 0, nullptr, nullptr);
    NULLS(dnnl_lstm_forward_primitive_desc_create, 4499, pd, cpu(), dnnl_forward_training,
          dnnl_unidirectional_left2right, layer, nullptr, nullptr, of_lstm, of_lstm, nullptr, nullptr, bias_of_lstm,
          layer, nullptr, nullptr, 0, nullptr);
    NULLS(dnnl_primitive_desc_next_impl, 1, o.pd);
    NULLS(dnnl_primitive_desc_clone, 3, pd, o.pd);
    NULLS(dnnl_primitive_desc_get_attr, 3, o.pd, out<const_dnnl_primitive_attr_t>());
    NULLS(dnnl_primitive_desc_query, 9, o.pd, dnnl_query_engine, 0, out<void>());
    NULLS(dnnl_primitive_create, 3, out<dnnl_primitive_t>(), o.pd);
    NULLS(dnnl_primitive_create_from_cache_blob, 11, out<dnnl_primitive_t>(), o.pd, 1, blob);
    NULLS(dnnl_primitive_execute, 11, o.primitive, o.stream, 2, args);
    NULLS(dnnl_primitive_get_primitive_desc, 3, o.primitive, out<const_dnnl_primitive_desc_t>());
    NULLS(dnnl_primitive_get_cache_blob, 3, o.primitive, &bait.size, nullptr);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(nullptr, dnnl_query_axis_s32, 0), 0);
    EXPECT_EQ(o.to.values<unsigned char>(), std::vector<unsigned char>(6, 0x55));
}

} // namespace
} // namespace tessera::test

// The calls without an operation behind them, with zeros for all arguments. Those of vendor headers and of experimental
// builds are declared here.
#define UNBUILT(ret, name, params, operation) extern "C" ret name params;
#include "../../src/api/primitives/unbuilt_experimental.inc"
#include "../../src/api/primitives/unbuilt_opencl.inc"
#include "../../src/api/primitives/unbuilt_sycl.inc"
#include "../../src/api/primitives/unbuilt_ze.inc"
#undef UNBUILT

namespace tessera::test {
namespace {

template <typename R, typename... A> R call_with_zeros(R (*f)(A...)) { return f(A{}...); }

TEST(Null, UnbuiltCalls) {
#define UNBUILT(ret, name, params, operation)                                                                          \
    EXPECT_EQ(call_with_zeros(name), dnnl_unimplemented);                                                              \
    EXPECT_NE(last_error().find(operation " is not built in this version; "), std::string::npos) << last_error();
#include "../../src/api/primitives/unbuilt_experimental.inc"
#include "../../src/api/primitives/unbuilt_graph.inc"
#include "../../src/api/primitives/unbuilt_primitives.inc"
#undef UNBUILT
#define UNBUILT(ret, name, params, operation)                                                                          \
    EXPECT_EQ(call_with_zeros(name), dnnl_unimplemented);                                                              \
    EXPECT_NE(last_error().find(operation " is not in this build; "), std::string::npos) << last_error();
#include "../../src/api/primitives/unbuilt_sycl.inc"
#include "../../src/api/primitives/unbuilt_ze.inc"
#if DNNL_GPU_RUNTIME == DNNL_RUNTIME_NONE
#include "../../src/api/primitives/unbuilt_opencl.inc"
#else
#undef UNBUILT
#define UNBUILT(ret, name, params, operation)                                                                          \
    EXPECT_EQ(call_with_zeros(name), dnnl_invalid_arguments) << #name;                                                 \
    EXPECT_NE(last_error().find(" is null"), std::string::npos) << last_error();
#include "../../src/api/primitives/unbuilt_opencl.inc"
#endif
#undef UNBUILT
    refused("threadpool stream", dnnl_threadpool_interop_stream_create(nullptr, nullptr, nullptr));
    refused("threadpool of stream", dnnl_threadpool_interop_stream_get_threadpool(nullptr, nullptr));
    refused("threadpool concurrency", dnnl_threadpool_interop_set_max_concurrency(-1));
    refused("threadpool concurrency", dnnl_threadpool_interop_get_max_concurrency(nullptr));
}

// ---- random calls that must be refused

struct Random {
    std::mt19937_64 engine{20240229};
    int64_t operator()(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine); }
    // A number that no small enumeration or index has.
    int garbage() {
        constexpr int extremes[] = {
            -1, -2, std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), 0x7fff, 4242, -4242, 1 << 30};
        return extremes[size_t((*this)(0, 7))];
    }
    template <typename T> T pick(std::initializer_list<T> values) {
        return values.begin()[size_t((*this)(0, int64_t(values.size()) - 1))];
    }
};

// One hostile call of each family, chosen by r.
class Hostile {
public:
    explicit Hostile(Random& random) : r(random) {}

    dnnl_status_t descriptor() {
        dnnl_dims_t dims = {r(1, 9), r(1, 9), r(1, 9)};
        int ndims = 3;
        auto type = dnnl_f32;
        auto tag = dnnl_abc;
        switch (r(0, 5)) {
        case 0:
            ndims = r.pick({-1, -100, 13, 1 << 20, std::numeric_limits<int>::min()});
            break;
        case 1:
            dims[r(0, 2)] = r.pick<int64_t>({-1, -7, std::numeric_limits<int64_t>::min() + 1});
            break;
        case 2:
            dims[0] = dims[1] = dims[2] = int64_t(1) << r(25, 61);
            break;
        case 3:
            type = static_cast<dnnl_data_type_t>(r.garbage());
            break;
        case 4:
            tag = static_cast<dnnl_format_tag_t>(r.garbage());
            break;
        default:
            ndims = int(r.pick({1, 2, 4, 5})); // the tag has another rank
        }
        return dnnl_memory_desc_create_with_tag(out<dnnl_memory_desc_t>(), ndims, dims, type, tag);
    }

    dnnl_status_t strided_descriptor() {
        dnnl_dims_t dims = {r(2, 9), r(2, 9)}, strides = {100, 1};
        int ndims = 2;
        switch (r(0, 4)) {
        case 0:
            strides[r(0, 1)] = -r(1, 100);
            break;
        case 1:
            strides[0] = strides[1] = 1;
            break;
        case 2:
            strides[0] = int64_t(1) << 62;
            break;
        case 3:
            ndims = r.pick({-1, 13, 99});
            break;
        default:
            dims[0] = -r(1, 1 << 30);
        }
        return dnnl_memory_desc_create_with_strides(out<dnnl_memory_desc_t>(), ndims, dims, dnnl_f32, strides);
    }

    dnnl_status_t other_descriptor() {
        dnnl_dims_t dims = {2, 3}, far = {r(1, 99), r(3, 99)}, bad = {-1, 6}, odd = {5, 7};
        auto* md = out<dnnl_memory_desc_t>();
        const int axes[][2] = {{0, 0}, {1, 1}, {2, 0}, {-1, 0}, {0, 1 << 20}};
        switch (r(0, 8)) {
        case 0:
            return dnnl_memory_desc_create_submemory(md, o.src, dims, far);
        case 1:
            return dnnl_memory_desc_create_submemory(md, o.src, bad, dims);
        case 2:
            return dnnl_memory_desc_reshape(md, o.src, 2, odd);
        case 3:
            return dnnl_memory_desc_reshape(md, o.src, r.garbage(), dims);
        case 4:
            return dnnl_memory_desc_permute_axes(md, o.src, axes[r(0, 4)]);
        case 5:
            return dnnl_memory_desc_create_host_scalar(md, static_cast<dnnl_data_type_t>(r.garbage()));
        case 6:
            return dnnl_memory_desc_create_with_csr_encoding(md, 2, dims, dnnl_f32, -r(1, 99), dnnl_s32, dnnl_s32);
        case 7:
            return dnnl_memory_desc_create_with_string_tag(md, 2, dims, dnnl_f32,
                                                           r.pick({"", "abc", "aa", "?", "ab0a", "zz"}));
        default:
            return dnnl_memory_desc_query(o.src, static_cast<dnnl_query_t>(r.garbage()), &bait.number);
        }
    }

    dnnl_status_t memory() {
        void* handles[1] = {o.from.bytes.data()};
        const int index = r.pick({-1, 1, 2, 1 << 20, std::numeric_limits<int>::min()});
        switch (r(0, 5)) {
        case 0:
            return dnnl_memory_create_v2(out<dnnl_memory_t>(), o.src, cpu(), r.pick({0, 2, 3, -1, 1 << 20}), handles);
        case 1:
            return dnnl_memory_get_data_handle_v2(o.from, out<void*>(), index);
        case 2:
            return dnnl_memory_set_data_handle_v2(o.from, nullptr, index);
        case 3:
            return dnnl_memory_map_data_v2(o.from, out<void*>(), index);
        case 4:
            return dnnl_memory_create_host_scalar(out<dnnl_memory_t>(), o.src, handles[0]);
        default:
            return dnnl_memory_get_host_scalar_value(o.from, &bait.number);
        }
    }

    dnnl_status_t attribute() {
        dnnl_dims_t groups = {1, 2}, bad_groups = {r(-3, 0), 2};
        const int no_arg = r.pick({0, 5, 41, 80, 129, 2048, -1, 1 << 30});
        const auto no_type = static_cast<dnnl_data_type_t>(r.garbage());
        const int g = r.garbage();
        switch (r(0, 13)) {
        case 0:
            return dnnl_primitive_attr_set_scales_mask(o.attr, no_arg, 0);
        case 1:
            return dnnl_primitive_attr_set_scales_mask(o.attr, 1, -int(r(1, 1 << 30)));
        case 2:
            return dnnl_primitive_attr_set_scales(o.attr, 1, 3, 2, bad_groups, dnnl_f32);
        case 3:
            return dnnl_primitive_attr_set_scales(o.attr, 1, 3, r.pick({1, 3, -1, 12, 1 << 30}), groups, dnnl_f32);
        case 4:
            return dnnl_primitive_attr_set_scales(o.attr, 1, 0, 2, groups, dnnl_f32);
        case 5:
            return dnnl_primitive_attr_set_scales_v3(o.attr, 1, 0, 0, nullptr, no_type, 0,
                                                     dnnl_quantization_mode_static_sazp);
        case 6:
            return dnnl_primitive_attr_set_scales_v3(o.attr, 1, 0, 0, nullptr, dnnl_f32, 0,
                                                     static_cast<dnnl_quantization_mode_t>(g));
        case 7:
            return dnnl_primitive_attr_set_zero_points(o.attr, no_arg, 0, 0, nullptr, dnnl_s32);
        case 8:
            return dnnl_primitive_attr_set_zero_points(o.attr, 1, 0, 0, nullptr, no_type);
        case 9:
            return dnnl_primitive_attr_set_rounding(o.attr, 17, static_cast<dnnl_rounding_mode_t>(g));
        case 10:
            return dnnl_primitive_attr_set_fpmath_mode(o.attr, static_cast<dnnl_fpmath_mode_t>(g));
        case 11:
            return dnnl_primitive_attr_set_accumulation_mode(o.attr, static_cast<dnnl_accumulation_mode_t>(g));
        case 12:
            return dnnl_primitive_attr_set_scratchpad_mode(o.attr, static_cast<dnnl_scratchpad_mode_t>(g));
        default: {
            const float one = 1;
            return dnnl_primitive_attr_set_output_scales(o.attr, -r(0, 99), 0, &one);
        }
        }
    }

    dnnl_status_t post_op() {
        const int index = r.pick({-1, 1, 32, 1 << 30});
        switch (r(0, 5)) {
        case 0:
            return dnnl_post_ops_append_eltwise(o.chain, static_cast<dnnl_alg_kind_t>(r.garbage()), 0, 0);
        case 1:
            return dnnl_post_ops_append_eltwise(o.chain, dnnl_eltwise_clip, 1, float(-r(0, 99)));
        case 2:
            return dnnl_post_ops_append_binary(o.chain, static_cast<dnnl_alg_kind_t>(r.garbage()), o.src);
        case 3:
            return dnnl_post_ops_append_dw(o.chain, dnnl_f32, dnnl_f32, dnnl_f32, r(-9, 0), 1, 0);
        case 4:
            return dnnl_post_ops_get_params_sum(o.chain, index, nullptr, &bait.number, nullptr);
        default:
            return dnnl_post_ops_get_params_prelu(o.chain, r.pick({0, -1, 7}), &bait.number);
        }
    }

    dnnl_status_t primitive_desc() {
        auto** pd = out<dnnl_primitive_desc_t>();
        const Desc other({r(1, 9), r(4, 9)}, dnnl_f32, dnnl_ab), any({2, 3}, dnnl_f32, dnnl_format_tag_any);
        const auto shuffle = [&](int prop, int axis, dnnl_dim_t group) {
            return dnnl_shuffle_forward_primitive_desc_create(pd, cpu(), static_cast<dnnl_prop_kind_t>(prop), o.src,
                                                              o.src, axis, group, nullptr);
        };
        switch (r(0, 6)) {
        case 0:
            return dnnl_reorder_primitive_desc_create(pd, o.src, cpu(), other, cpu(), nullptr);
        case 1:
            return dnnl_reorder_primitive_desc_create(pd, any, cpu(), o.src, cpu(), nullptr);
        case 2:
            return dnnl_reorder_primitive_desc_create(pd, o.src, cpu(), any, cpu(), nullptr);
        case 3:
            return shuffle(r.garbage(), 1, 3);
        case 4:
            return shuffle(64, r.garbage(), 3);
        case 5:
            return shuffle(64, 1,
                           r.pick<dnnl_dim_t>({0, -1, 2, 4, std::numeric_limits<dnnl_dim_t>::min(),
                                               std::numeric_limits<dnnl_dim_t>::max()}));
        default:
            return dnnl_primitive_desc_query(o.pd, static_cast<dnnl_query_t>(r.garbage()), 0, &bait.number);
        }
    }

    dnnl_status_t execution() {
        const Desc other({r(1, 9), r(4, 9)}, dnnl_s8, dnnl_ba), type({2, 3}, dnnl_u8, dnnl_ba),
            layout({2, 3}, dnnl_s8, dnnl_ab);
        const Memory wrong[] = {Memory(other), Memory(type), Memory(layout)};
        std::vector<dnnl_exec_arg_t> args = {{DNNL_ARG_FROM, o.from}, {DNNL_ARG_TO, o.to}};
        int nargs = 2;
        switch (r(0, 5)) {
        case 0:
            nargs = r.pick({0, 1, -1, std::numeric_limits<int>::min()});
            break;
        case 1:
            args[size_t(r(0, 1))].memory = nullptr;
            break;
        case 2:
            args[size_t(r(0, 1))].arg = r.garbage();
            break;
        case 3:
            args[1].memory = wrong[r(0, 2)];
            break;
        case 4:
            args[size_t(r(0, 1))].memory = o.scalar;
            break;
        default:
            args.push_back({DNNL_ARG_TO, wrong[r(0, 2)]});
            nargs = 3; // the last of several counts
        }
        const dnnl_status_t status = dnnl_primitive_execute(o.primitive, o.stream, nargs, args.data());
        for (const Memory& m : wrong)
            for (const unsigned char byte : m.bytes) EXPECT_EQ(byte, 0);
        return status;
    }

    dnnl_status_t setting() {
        const int g = r.garbage();
        switch (r(0, 7)) {
        case 0:
            return dnnl_engine_create(out<dnnl_engine_t>(), static_cast<dnnl_engine_kind_t>(g), 0);
        case 1:
            return dnnl_engine_create(out<dnnl_engine_t>(), dnnl_cpu, size_t(r(1, 1 << 30)));
        case 2:
            return dnnl_stream_create(out<dnnl_stream_t>(), cpu(), unsigned(r(3, 1 << 30)) | 3u);
        case 3:
            return dnnl_set_primitive_cache_capacity(-int(r(1, 1 << 30)));
        case 4:
            return dnnl_set_verbose(g);
        case 5:
            return dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(g));
        case 6:
            return dnnl_set_default_fpmath_mode(static_cast<dnnl_fpmath_mode_t>(g));
        default:
            return dnnl_set_jit_profiling_flags(unsigned(r(16, 1 << 30)));
        }
    }

    bool untouched() const {
        return o.to.values<unsigned char>() == std::vector<unsigned char>(6, 0x55) && dnnl_post_ops_len(o.chain) == 1;
    }

private:
    Random& r;
    Objects o;
};

TEST(Hostile, TwentyThousandCalls) {
    Random random;
    Hostile hostile(random);
    const Strict strict; // so that every memory of another descriptor is one to be refused
    dnnl_status_t (Hostile::*const families[])() = {
        &Hostile::descriptor,     &Hostile::strided_descriptor, &Hostile::other_descriptor,
        &Hostile::memory,         &Hostile::attribute,          &Hostile::post_op,
        &Hostile::primitive_desc, &Hostile::execution,          &Hostile::setting,
    };
    const Bait before = bait;
    for (int call = 0; call < 20000; ++call) {
        const size_t family = size_t(random(0, int64_t(std::size(families)) - 1));
        const std::string which = "call " + std::to_string(call) + " of family " + std::to_string(family);
        // A temporary that is destroyed after the call clears nothing: destruction leaves the last error alone.
        refused(which, (hostile.*families[family])());
        ASSERT_FALSE(HasFatalFailure()) << which;
        ASSERT_TRUE(bait == before) << which << " wrote to an output";
    }
    EXPECT_TRUE(hostile.untouched());
    EXPECT_GE(refusals, 20000);
}

// ---- executions of what was created from random, mostly valid problems: never a crash, and a reason for each refusal

TEST(Hostile, RandomPairsOfDescriptors) {
    Random r;
    long created = 0;
    for (int i = 0; i < 3000; ++i) {
        dnnl_dims_t dims = {r(0, 3), r(1, 5), r(1, 3)};
        const auto describe = [&](Owner<dnnl_memory_desc_t, dnnl_memory_desc_destroy>& md) {
            return dnnl_memory_desc_create_with_tag(md.out(), 3, dims, static_cast<dnnl_data_type_t>(r(0, 17)),
                                                    r.pick({dnnl_abc, dnnl_acb, dnnl_bac, dnnl_cba, dnnl_aBc8b,
                                                            dnnl_aBc16b, dnnl_ABc4a4b, dnnl_format_tag_any}));
        };
        Owner<dnnl_memory_desc_t, dnnl_memory_desc_destroy> src, dst;
        if (describe(src) || describe(dst)) {
            ASSERT_NE(last_error(), "");
            continue;
        }
        PrimitiveDesc pd;
        if (make_reorder(pd, src, dst)) {
            ASSERT_NE(last_error(), "");
            continue;
        }
        ++created;
        Memory from(src), to(dst);
        ASSERT_EQ(execute(Primitive(pd), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success) << last_error();
    }
    EXPECT_GT(created, 500);
}

} // namespace
} // namespace tessera::test
