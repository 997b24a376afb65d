// SPDX-License-Identifier: Apache-2.0
// Lines of the log: what set_verbose turns on, and the words of ONEDNN_VERBOSE.
// covers: VRB-01 VRB-02 VRB-03 VRB-04 VRB-05 VRB-06 VRB-09 VRB-10 CCH-02
#include <algorithm>
#include <functional>
#include <sstream>
#include <thread>

#include "../c_objects.hpp"
#include "core/verbose/verbose.hpp"
#include "cpu/engine.hpp"

namespace tessera::test {
namespace {

// ---- log

// The lines about one primitive; whether the header comes before them depends on the tests that ran before.
std::vector<std::string> lines_of(const std::function<void()>& body, const std::string& kind = "reorder") {
    testing::internal::CaptureStdout();
    body();
    std::istringstream log(testing::internal::GetCapturedStdout());
    std::vector<std::string> lines;
    for (std::string line; std::getline(log, line);)
        if (line.find(",cpu," + kind + ",") != line.npos) lines.push_back(line);
    return lines;
}

std::string without_time(const std::string& line) { return line.substr(0, line.rfind(',')); }

TEST(Log, CreationAndExecution) {
    const Desc src({7, 3}, dnnl_f32, dnnl_ab), dst({7, 3}, dnnl_s8, dnnl_ba);
    Memory from(src), to(dst);
    Attr attr;
    ASSERT_EQ(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user), dnnl_success);
    ASSERT_EQ(dnnl_set_verbose(2), dnnl_success);
    const char* impl = nullptr;
    PrimitiveDesc pd;
    const auto lines = lines_of([&] {
        ASSERT_EQ(make_reorder(pd, src, dst, attr), dnnl_success);
        ASSERT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &impl), dnnl_success);
        const Primitive first(pd), second(pd);
        ASSERT_EQ(execute(first, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success);
        EXPECT_EQ(execute(first, {{DNNL_ARG_FROM, from}}), dnnl_invalid_arguments); // no line
    });
    ASSERT_EQ(dnnl_set_verbose(0), dnnl_success);
    const std::string rest = std::string(",cpu,reorder,") + impl +
                             ",undef,src:f32::blocked:ab::f0 dst:s8::blocked:ba::f0,attr-scratchpad:user,,7x3";
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(without_time(lines[0]), "onednn_verbose,v1,primitive,create:cache_miss" + rest);
    EXPECT_EQ(without_time(lines[1]), "onednn_verbose,v1,primitive,create:cache_hit" + rest);
    EXPECT_EQ(without_time(lines[2]), "onednn_verbose,v1,primitive,exec" + rest);
    for (const std::string& line : lines) EXPECT_GE(std::stod(line.substr(line.rfind(',') + 1)), 0.0);
}

// Tensors of post-ops are words of the attributes; equal descriptors are one token.
TEST(Log, Eltwise) {
    const Desc data({2, 3}, dnnl_f32, dnnl_ab), other({2, 3}, dnnl_f32, dnnl_ba), row({1, 3}, dnnl_f32, dnnl_ab);
    PostOps chain;
    ASSERT_EQ(dnnl_post_ops_append_binary(chain, dnnl_binary_add, row), dnnl_success);
    Attr attr;
    ASSERT_EQ(dnnl_primitive_attr_set_post_ops(attr, chain), dnnl_success);
    ASSERT_EQ(dnnl_set_verbose(2), dnnl_success);
    PrimitiveDesc pd;
    const auto lines = lines_of(
        [&] {
            const auto forward = [&](const_dnnl_memory_desc_t dst) {
                ASSERT_EQ(dnnl_eltwise_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_training,
                                                                     dnnl_eltwise_relu, data, dst, 0.5f, 0, attr),
                          dnnl_success);
                const Primitive made(pd);
            };
            forward(data);
            forward(other);
            ASSERT_EQ(dnnl_eltwise_backward_primitive_desc_create(pd.out(), cpu(), dnnl_eltwise_tanh, data, data, data,
                                                                  0, 0, nullptr, nullptr),
                      dnnl_success);
            const Primitive made(pd);
        },
        "eltwise");
    ASSERT_EQ(dnnl_set_verbose(0), dnnl_success);
    const char* const ends[] = {",forward_training,data:f32::blocked:ab::f0,attr-post-ops:binary_add:f32:2,"
                                "alg:eltwise_relu alpha:0.5 beta:0,2x3",
                                ",forward_training,src:f32::blocked:ab::f0 dst:f32::blocked:ba::f0,"
                                "attr-post-ops:binary_add:f32:2,alg:eltwise_relu alpha:0.5 beta:0,2x3",
                                ",backward_data,data:f32::blocked:ab::f0 diff:f32::blocked:ab::f0,,"
                                "alg:eltwise_tanh alpha:0 beta:0,2x3"};
    ASSERT_EQ(lines.size(), 3u);
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(without_time(lines[i]).ends_with(ends[i])) << lines[i];
}

// The tag is open where strides are; the execution shows the memories and which of their dims were open.
TEST(Log, RuntimeDims) {
    const dnnl_dim_t open = DNNL_RUNTIME_DIM_VAL;
    const Desc ab({open, 3}, dnnl_f32, dnnl_ab), ba({open, 3}, dnnl_f32, dnnl_ba);
    const Desc far_rows({open, 3}, dnnl_f32, {5, 1}), outer({7, open}, dnnl_s8, dnnl_ba);
    const Desc inner({7, open}, dnnl_f32, dnnl_ab), strides({7, 2}, dnnl_f32, {open, 1}),
        dense({7, 2}, dnnl_s8, dnnl_ba);
    const Desc src({7, 3}, dnnl_f32, dnnl_ab), dst({7, 3}, dnnl_f32, dnnl_ba);
    Memory from(src), to(dst);
    ASSERT_EQ(dnnl_set_verbose(2), dnnl_success);
    const auto lines = lines_of([&] {
        PrimitiveDesc pd;
        ASSERT_EQ(make_reorder(pd, ab, ba), dnnl_success) << last_error();
        const Primitive p(pd);
        for (int i = 0; i < 2; ++i)
            ASSERT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success) << last_error();
        ASSERT_EQ(make_reorder(pd, far_rows, ba), dnnl_success) << last_error();
        const Primitive without_strides(pd);
        ASSERT_EQ(make_reorder(pd, inner, outer), dnnl_success) << last_error();
        const Primitive second_dim(pd);
        ASSERT_EQ(make_reorder(pd, strides, dense), dnnl_success) << last_error();
        const Primitive strides_alone(pd);
    });
    ASSERT_EQ(dnnl_set_verbose(0), dnnl_success);
    const std::vector<std::string> expected = {
        "src:f32::blocked:ab::f0 dst:f32::blocked:*::f0,,runtime-dim-mask:1,*x3",
        "src:f32::blocked:ab::f0 dst:f32::blocked:ba::f0,,runtime-dim-mask:1,7x3",
        "src:f32::blocked:ab::f0 dst:f32::blocked:ba::f0,,runtime-dim-mask:1,7x3",
        "src:f32::blocked:ab::f0 dst:f32::blocked:*::f0,,runtime-dim-mask:1,*x3",
        "src:f32::blocked:*::f0 dst:s8::blocked:ba::f0,,runtime-dim-mask:2,7x*",
        "src:f32::blocked:*::f0 dst:s8::blocked:ba::f0,,runtime-dim-mask:0,7x2",
    };
    ASSERT_EQ(lines.size(), expected.size());
    for (size_t i = 0; i < lines.size(); ++i) {
        const std::string line = without_time(lines[i]);
        EXPECT_EQ(line.substr(std::min(line.find(",src:") + 1, line.size())), expected[i]) << line;
    }
}

// At the default level, too: that is `error` alone.
TEST(Log, AnEngineThatIsNotThere) {
    ASSERT_EQ(verbose::parse("").topics, verbose::error);
    ASSERT_EQ(dnnl_set_verbose(1), dnnl_success);
    testing::internal::CaptureStdout();
    dnnl_engine_t engine = nullptr;
    dnnl_memory_desc_t md = nullptr;
    EXPECT_EQ(dnnl_engine_create(&engine, dnnl_gpu, 1000), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_desc_create_with_tag(&md, 13, nullptr, dnnl_f32, dnnl_a), dnnl_invalid_arguments); // no line
    const std::string log = testing::internal::GetCapturedStdout();
    ASSERT_EQ(dnnl_set_verbose(0), dnnl_success);
    const std::string line = "onednn_verbose,v1,common,error,runtime,there is no GPU engine 1000: ";
    EXPECT_NE(log.find(line), std::string::npos) << log;
    EXPECT_EQ(log.find("memory"), log.find("memory_descriptors")) << log; // of the header, if it is there
}

// Why a primitive runs portable code, with its descriptors; nothing of those that do not.
TEST(Log, PortableCode) {
    if (cpu::this_machine().vector_bytes < 32)
        GTEST_SKIP() << "no generated code on this machine: all code is portable";
    const auto dispatched = [](const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst) {
        verbose::topics = verbose::dispatch;
        const auto lines = lines_of([&] {
            PrimitiveDesc pd;
            ASSERT_EQ(make_reorder(pd, src, dst), dnnl_success) << last_error();
        });
        EXPECT_EQ(dnnl_set_verbose(0), dnnl_success);
        return lines;
    };
    const Desc f32({9, 31}, dnnl_f32, dnnl_ab), f64({9, 31}, dnnl_f64, dnnl_ba), s8({9, 31}, dnnl_s8, dnnl_ba);
    const auto portable = dispatched(f32, f64);
    ASSERT_EQ(portable.size(), 1u);
#ifdef TESSERA_KERNELS
    const char* const reason = "step 1 (map): no kernels of f64";
    EXPECT_TRUE(dispatched(f32, s8).empty());
#else
    const char* const reason = "this build has no kernels; which are code of x86-64";
    EXPECT_EQ(dispatched(f32, s8).size(), 1u);
#endif
    EXPECT_EQ(
        portable[0],
        std::string("onednn_verbose,v1,primitive,create:dispatch,cpu,reorder,portable,undef,src:f32::blocked:ab::f0 "
                    "dst:f64::blocked:ba::f0,,,9x31,") +
            reason);
}

TEST(Log, SilentAtLevelZero) {
    const Desc md({7, 4}, dnnl_f32, dnnl_ab);
    ASSERT_EQ(dnnl_set_verbose(0), dnnl_success);
    testing::internal::CaptureStdout();
    PrimitiveDesc pd;
    EXPECT_EQ(make_reorder(pd, md, md), dnnl_success);
    const Primitive p(pd);
    EXPECT_EQ(dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints), dnnl_runtime_error);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Log, LinesOfThreadsDoNotMix) {
    ASSERT_EQ(dnnl_set_verbose(2), dnnl_success);
    const auto lines = lines_of([] {
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([] {
                const Desc md({7, 5}, dnnl_f32, dnnl_ab);
                for (int i = 0; i < 25; ++i) {
                    PrimitiveDesc pd;
                    ASSERT_EQ(make_reorder(pd, md, md), dnnl_success);
                    const Primitive p(pd);
                }
            });
        for (auto& t : threads) t.join();
    });
    ASSERT_EQ(dnnl_set_verbose(0), dnnl_success);
    ASSERT_EQ(lines.size(), 100u);
    int misses = 0;
    for (const std::string& line : lines) {
        EXPECT_EQ(std::count(line.begin(), line.end(), ','), 12) << line;
        misses += line.find("cache_miss") != line.npos;
    }
    EXPECT_EQ(misses, 1) << "equal problems share one creation";
}

TEST(Log, Words) {
    using verbose::parse;
    EXPECT_EQ(parse("").topics, verbose::error);
    EXPECT_EQ(parse("none").topics, 0u);
    EXPECT_EQ(parse("0").topics, 0u);
    EXPECT_EQ(parse("1").topics, verbose::error | verbose::profile_exec);
    EXPECT_EQ(parse("2").topics, verbose::error | verbose::profile_exec | verbose::profile_create);
    EXPECT_EQ(parse("profile,check").topics,
              verbose::error | verbose::check | verbose::profile_exec | verbose::profile_create);
    EXPECT_EQ(parse("none,dispatch").topics, verbose::dispatch);
    EXPECT_EQ(parse("all").topics, 63u);
    EXPECT_EQ(parse("debuginfo=3").topics, verbose::error);
    EXPECT_EQ(parse("check,filter=a,b").filter, "a,b");
    EXPECT_EQ(parse("chekc").unknown, "chekc");
}

} // namespace
} // namespace tessera::test
