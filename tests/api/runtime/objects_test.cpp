// SPDX-License-Identifier: Apache-2.0
// Engines, streams, version, settings, words: the calls around primitives.
// covers: RUN-10 ENG-01 ENG-02 STR-01 STR-02 STR-03 STR-04 FPM-03 CCH-01 JIT-01 JIT-02 ISA-01 ISA-02 THR-01 THR-04
// covers: STA-00 VRB-01
#include <thread>

#include "../c_objects.hpp"
#include "core/problem/problem.hpp"
#include "cpu/isa.hpp"
#include "cpu/isa_limit.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_threadpool.h"
#define DNNL_EXPERIMENTAL_UKERNEL // of which nothing is built
#include "oneapi/dnnl/dnnl_ukernel.h"
#include "this_runtime.hpp"

namespace tessera::test {
namespace {

TEST(Engine, OneOfTheCpu) {
    EXPECT_EQ(dnnl_engine_get_count(dnnl_cpu), 1u);
    EXPECT_EQ(dnnl_engine_get_count(dnnl_any_engine), 0u);
    dnnl_engine_t engine = nullptr;
    EXPECT_EQ(dnnl_engine_create(&engine, dnnl_cpu, 1), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_engine_create(&engine, dnnl_gpu, dnnl_engine_get_count(dnnl_gpu)), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_engine_create(&engine, dnnl_any_engine, 0), dnnl_invalid_arguments);
    EXPECT_EQ(engine, nullptr);
    ASSERT_EQ(dnnl_engine_create(&engine, dnnl_cpu, 0), dnnl_success);
    dnnl_engine_kind_t kind = dnnl_any_engine;
    EXPECT_EQ(dnnl_engine_get_kind(engine, &kind), dnnl_success);
    EXPECT_EQ(kind, dnnl_cpu);
    EXPECT_EQ(dnnl_engine_destroy(engine), dnnl_success);
}

TEST(Stream, Flags) {
    for (const unsigned flags : {1u, 2u}) {
        Owner<dnnl_stream_t, dnnl_stream_destroy> stream;
        EXPECT_EQ(dnnl_stream_create(stream.out(), cpu(), flags), dnnl_success) << flags;
        dnnl_engine_t engine = nullptr;
        EXPECT_EQ(dnnl_stream_get_engine(stream, &engine), dnnl_success);
        EXPECT_EQ(engine, cpu());
        EXPECT_EQ(dnnl_stream_wait(stream), dnnl_success);
    }
    dnnl_stream_t none = nullptr;
    for (const unsigned flags : {0u, 3u, 8u, 0xffffffffu})
        EXPECT_EQ(dnnl_stream_create(&none, cpu(), flags), dnnl_invalid_arguments) << flags;
    EXPECT_EQ(dnnl_stream_create(&none, cpu(), 5), dnnl_unimplemented);
    EXPECT_EQ(dnnl_stream_wait(nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(none, nullptr);
}

TEST(Destroy, NullIsNothing) {
    EXPECT_EQ(dnnl_engine_destroy(nullptr), dnnl_success);
    EXPECT_EQ(dnnl_stream_destroy(nullptr), dnnl_success);
    EXPECT_EQ(dnnl_memory_destroy(nullptr), dnnl_success);
    EXPECT_EQ(dnnl_memory_desc_destroy(nullptr), dnnl_success);
    EXPECT_EQ(dnnl_primitive_attr_destroy(nullptr), dnnl_success);
    EXPECT_EQ(dnnl_post_ops_destroy(nullptr), dnnl_success);
    EXPECT_EQ(dnnl_primitive_desc_destroy(nullptr), dnnl_success);
    EXPECT_EQ(dnnl_primitive_destroy(nullptr), dnnl_success);
}

TEST(LastError, OfThisThreadUntilASuccess) {
    EXPECT_EQ(dnnl_stream_wait(nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(last_error(), "dnnl_stream_wait: stream is null");
    std::thread([] { EXPECT_EQ(last_error(), ""); }).join();
    Stream stream;
    EXPECT_EQ(last_error(), "");
}

// The call or the primitive, never both.
TEST(LastError, NamesItsSubjectOnce) {
    const Desc src({2, 3}, dnnl_f32, dnnl_ab), dst({2, 4}, dnnl_f32, dnnl_ab);
    Owner<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy> pd;
    EXPECT_EQ(make_reorder(pd, src, dst), dnnl_invalid_arguments);
    EXPECT_EQ(last_error().find("reorder: dimension 1 of src is 3, of dst 4"), 0u) << last_error();
    EXPECT_EQ(make_reorder(pd, src, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(last_error(), "dnnl_reorder_primitive_desc_create: dst_desc is null");
    // What begins with the primitive's name and is another word.
    EXPECT_EQ(dnnl_reorder_primitive_desc_create(nullptr, src, cpu(), src, cpu(), nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(last_error(), "dnnl_reorder_primitive_desc_create: reorder_primitive_desc is null");
    EXPECT_EQ(
        dnnl_shuffle_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_training, src, src, 2, 1, nullptr),
        dnnl_invalid_arguments);
    EXPECT_EQ(last_error().find("shuffle: axis 2 "), 0u) << last_error();
}

TEST(Version, IsThatOfTheHeaders) {
    const dnnl_version_t* v = dnnl_version();
    EXPECT_EQ(v->major, DNNL_VERSION_MAJOR);
    EXPECT_EQ(v->minor, DNNL_VERSION_MINOR);
    EXPECT_EQ(v->patch, DNNL_VERSION_PATCH);
    EXPECT_NE(v->hash, nullptr);
    EXPECT_EQ(v->cpu_runtime, built_for());
    EXPECT_EQ(v->gpu_runtime, DNNL_GPU_RUNTIME);
}

TEST(DefaultFpmath, IsTakenWhenAttributesAreMade) {
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_any;
    ASSERT_EQ(dnnl_get_default_fpmath_mode(&mode), dnnl_success);
    EXPECT_EQ(mode, dnnl_fpmath_mode_strict);
    Attr before;
    ASSERT_EQ(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_tf32), dnnl_success);
    Attr after;
    ASSERT_EQ(dnnl_primitive_attr_get_fpmath_mode(before, &mode), dnnl_success);
    EXPECT_EQ(mode, dnnl_fpmath_mode_strict);
    ASSERT_EQ(dnnl_primitive_attr_get_fpmath_mode(after, &mode), dnnl_success);
    EXPECT_EQ(mode, dnnl_fpmath_mode_tf32);
    EXPECT_EQ(dnnl_set_default_fpmath_mode(static_cast<dnnl_fpmath_mode_t>(5)), dnnl_invalid_arguments);
    ASSERT_EQ(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_strict), dnnl_success);
}

TEST(CacheCapacity, SetAndGet) {
    int capacity = 0;
    ASSERT_EQ(dnnl_get_primitive_cache_capacity(&capacity), dnnl_success);
    EXPECT_EQ(capacity, 1024);
    EXPECT_EQ(dnnl_set_primitive_cache_capacity(-1), dnnl_invalid_arguments);
    for (const int value : {0, 7, 1024}) {
        EXPECT_EQ(dnnl_set_primitive_cache_capacity(value), dnnl_success);
        ASSERT_EQ(dnnl_get_primitive_cache_capacity(&capacity), dnnl_success);
        EXPECT_EQ(capacity, value);
    }
}

// Every name that programs may write means the number of dnnl_cpu_isa_t, and no set is larger than itself.
TEST(Isa, NamesAndNumbers) {
    const std::pair<const char*, dnnl_cpu_isa_t> names[] = {
        {"SSE41", dnnl_cpu_isa_sse41},
        {"AVX", dnnl_cpu_isa_avx},
        {"avx2", dnnl_cpu_isa_avx2},
        {"AVX2_VNNI", dnnl_cpu_isa_avx2_vnni},
        {"AVX2_VNNI_2", dnnl_cpu_isa_avx2_vnni_2},
        {"AVX512_CORE", dnnl_cpu_isa_avx512_core},
        {"AVX512_CORE_VNNI", dnnl_cpu_isa_avx512_core_vnni},
        {"AVX512_CORE_BF16", dnnl_cpu_isa_avx512_core_bf16},
        {"AVX512_CORE_FP16", dnnl_cpu_isa_avx512_core_fp16},
        {"AVX512_CORE_AMX", dnnl_cpu_isa_avx512_core_amx},
        {"AVX512_CORE_AMX_FP16", dnnl_cpu_isa_avx512_core_amx_fp16},
        {"AVX10_1_512", dnnl_cpu_isa_avx10_1_512},
        {"AVX10_1_512_AMX", dnnl_cpu_isa_avx10_1_512_amx},
        {"AVX10_1_512_AMX_FP16", dnnl_cpu_isa_avx10_1_512_amx_fp16},
        {"AVX10_2", dnnl_cpu_isa_avx10_2},
        {"AVX10_2_512", dnnl_cpu_isa_avx10_2_512},
        {"AVX10_2_AMX_2", dnnl_cpu_isa_avx10_2_amx_2},
        {"AVX10_2_512_AMX_2", dnnl_cpu_isa_avx10_2_512_amx_2},
    };
    for (const auto& [name, isa] : names) {
        EXPECT_EQ(cpu::parse_isa(name), uint32_t(isa)) << name;
        EXPECT_EQ(cpu::largest_isa(isa), uint32_t(isa)) << name;
    }
    for (const char* nothing : {"DEFAULT", "ALL", ""}) EXPECT_EQ(cpu::parse_isa(nothing), ~0u) << nothing;
    EXPECT_EQ(cpu::parse_isa("avx3"), std::nullopt);
    EXPECT_EQ(cpu::largest_isa(0), 0u);
    EXPECT_EQ(cpu::largest_isa(0x47), uint32_t(dnnl_cpu_isa_avx2)); // VNNI alone makes no AVX-512
    EXPECT_EQ(cpu::isa_name(dnnl_cpu_isa_avx10_2_amx_2), "avx10_2_amx_2");
}

TEST(Isa, TheLimitComesTooLate) {
    const dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
    EXPECT_NE(std::string(dnnl_cpu_isa2str(isa)), "unknown cpu_isa");
    EXPECT_EQ(dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(2)), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_get_effective_cpu_isa(), isa);
    EXPECT_EQ(dnnl_get_cpu_isa_hints(), dnnl_cpu_isa_no_hints);
    EXPECT_EQ(dnnl_set_cpu_isa_hints(dnnl_cpu_isa_prefer_ymm), dnnl_runtime_error);
    EXPECT_EQ(dnnl_set_cpu_isa_hints(static_cast<dnnl_cpu_isa_hints_t>(9)), dnnl_invalid_arguments);
}

TEST(Jit, InspectionIsAccepted) {
    EXPECT_EQ(dnnl_set_jit_dump(1), dnnl_success);
    EXPECT_EQ(dnnl_set_jit_dump(0), dnnl_success);
    for (const unsigned flags : {0u, 1u, 2u, 6u, 14u}) EXPECT_EQ(dnnl_set_jit_profiling_flags(flags), dnnl_success);
    EXPECT_EQ(dnnl_set_jit_profiling_flags(99), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_set_jit_profiling_jitdumpdir("/tmp"), dnnl_success);
    EXPECT_EQ(dnnl_set_jit_profiling_jitdumpdir(nullptr), dnnl_success);
}

TEST(Verbose, Levels) {
    EXPECT_EQ(dnnl_set_verbose(3), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_set_verbose(-1), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_set_verbose(0), dnnl_success);
}

TEST(Debug, Words) {
    EXPECT_STREQ(dnnl_status2str(dnnl_last_impl_reached), "last_impl_reached");
    EXPECT_STREQ(dnnl_status2str(static_cast<dnnl_status_t>(99)), "unknown status");
    EXPECT_STREQ(dnnl_dt2str(dnnl_f8_e4m3), "f8_e4m3");
    EXPECT_STREQ(dnnl_dt2str(dnnl_data_type_undef), "undef");
    EXPECT_STREQ(dnnl_dt2str(static_cast<dnnl_data_type_t>(17)), "unknown dt");
    EXPECT_STREQ(dnnl_fmt_tag2str(dnnl_aBcd16b), "aBcd16b");
    EXPECT_STREQ(dnnl_fmt_tag2str(dnnl_nchw), "abcd");
    EXPECT_STREQ(dnnl_fmt_tag2str(dnnl_format_tag_any), "any");
    EXPECT_STREQ(dnnl_fmt_kind2str(dnnl_blocked), "blocked");
    EXPECT_STREQ(dnnl_prop_kind2str(dnnl_backward_data), "backward_data");
    EXPECT_STREQ(dnnl_prim_kind2str(dnnl_shuffle), "shuffle");
    EXPECT_STREQ(dnnl_alg_kind2str(dnnl_eltwise_relu), "eltwise_relu");
    EXPECT_STREQ(dnnl_alg_kind2str(static_cast<dnnl_alg_kind_t>(99)), "unknown alg_kind");
    EXPECT_STREQ(dnnl_engine_kind2str(dnnl_any_engine), "any");
    EXPECT_STREQ(dnnl_fpmath_mode2str(dnnl_fpmath_mode_tf32), "tf32");
    EXPECT_STREQ(dnnl_accumulation_mode2str(dnnl_accumulation_mode_s32), "s32");
    EXPECT_STREQ(dnnl_quantization_mode2str(dnnl_quantization_mode_dynamic_mx), "dynamic_mx");
    EXPECT_STREQ(dnnl_cpu_isa2str(dnnl_cpu_isa_avx2), "cpu_isa_avx2");
    EXPECT_STREQ(dnnl_runtime2str(DNNL_RUNTIME_OMP), "OpenMP");
    EXPECT_STREQ(dnnl_rnn_direction2str(dnnl_bidirectional_sum), "bidirectional_sum");
}

TEST(Threadpool, NeedsItsBuild) {
    int value = 0;
    void* pool = nullptr;
    const Stream stream;
    if (built_for() != DNNL_RUNTIME_THREADPOOL) {
        EXPECT_EQ(dnnl_threadpool_interop_set_max_concurrency(3), dnnl_unimplemented);
        EXPECT_EQ(dnnl_threadpool_interop_get_max_concurrency(&value), dnnl_unimplemented);
        EXPECT_EQ(dnnl_threadpool_interop_stream_get_threadpool(stream, &pool), dnnl_unimplemented);
        EXPECT_NE(last_error().find("DNNL_CPU_RUNTIME=THREADPOOL"), std::string::npos);
        GTEST_SKIP() << "this build has threads of its own";
    }
    EXPECT_EQ(dnnl_threadpool_interop_set_max_concurrency(3), dnnl_success);
    EXPECT_EQ(dnnl_threadpool_interop_get_max_concurrency(&value), dnnl_success);
    EXPECT_EQ(value, 3);
    std::thread([] {
        int other = 0;
        EXPECT_EQ(dnnl_threadpool_interop_get_max_concurrency(&other), dnnl_success);
        EXPECT_NE(other, 0) << "each thread has its own";
    }).join();
    EXPECT_EQ(dnnl_threadpool_interop_stream_get_threadpool(stream, &pool), dnnl_invalid_arguments);
}

TEST(Unbuilt, SaysWhatThereIs) {
    EXPECT_EQ(dnnl_transform_generate(nullptr), dnnl_unimplemented);
    const std::string answer = last_error();
    EXPECT_NE(answer.find("micro-kernels: transform generate is not built in this version; "), std::string::npos);
    EXPECT_NE(answer.find(" and memory are"), std::string::npos) << answer;
    // A primitive is named if and only if it has a row, which is what its calls need.
    for (int kind = 1; kind <= 32; ++kind) {
        const std::string_view word = name(static_cast<PrimitiveKind>(kind));
        if (word == "undef") continue;
        EXPECT_NE(answer.find(" " + std::string(word)), std::string::npos) << word << ": " << answer;
    }
}

} // namespace
} // namespace tessera::test
