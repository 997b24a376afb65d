// SPDX-License-Identifier: Apache-2.0
// Environment variables, which are read once: this program sets them before its first call.
// covers: OBJ-09 BLD-03 BLD-04 VRB-01 VRB-02 VRB-03 VRB-07 VRB-08 FPM-03 CCH-01 ISA-01 ISA-02
#include <cstdlib>
#include <regex>

#include <unistd.h>

#include "../c_objects.hpp"

namespace tessera::test {
namespace {

const bool prepared = [] {
    setenv("ONEDNN_VERBOSE", "all,filter=reorder|common", 1);
    setenv("ONEDNN_VERBOSE_TIMESTAMP", "1", 1);
    setenv("DNNL_PRIMITIVE_CACHE_CAPACITY", "7", 1);
    setenv("ONEDNN_DEFAULT_FPMATH_MODE", "bf16", 1);
    setenv("DNNL_DEFAULT_FPMATH_MODE", "tf32", 1); // loses against ONEDNN_
    setenv("ONEDNN_MAX_CPU_ISA", "SSE41", 1);
    setenv("ONEDNN_CPU_ISA_HINTS", "PREFER_YMM", 1);
    setenv("TESSERA_STRICT", "1", 1);
    return true;
}();

TEST(Environment, Settings) {
    int capacity = 0;
    ASSERT_EQ(dnnl_get_primitive_cache_capacity(&capacity), dnnl_success);
    EXPECT_EQ(capacity, 7) << "the legacy prefix counts where the other is not set";
    dnnl_fpmath_mode_t mode;
    ASSERT_EQ(dnnl_get_default_fpmath_mode(&mode), dnnl_success);
    EXPECT_EQ(mode, dnnl_fpmath_mode_bf16);
    EXPECT_LE(dnnl_get_effective_cpu_isa(), dnnl_cpu_isa_sse41);
    EXPECT_EQ(dnnl_get_cpu_isa_hints(), dnnl_cpu_isa_prefer_ymm);
}

// What a variable says that cannot be followed is said once, in a process of its own; a sensible one is silent.
struct Garbage {
    const char *name, *value, *said; // said: "" for nothing
};
class ComplaintsDeathTest : public testing::TestWithParam<Garbage> {};

TEST_P(ComplaintsDeathTest, AreMadeOnce) {
    testing::FLAGS_gtest_death_test_style = "fast";
    const Garbage& g = GetParam();
    const auto child = [&] { // forked before this process has asked for anything
        for (const char* name : {"VERBOSE", "VERBOSE_TIMESTAMP", "PRIMITIVE_CACHE_CAPACITY", "DEFAULT_FPMATH_MODE",
                                 "MAX_CPU_ISA", "CPU_ISA_HINTS"}) {
            unsetenv(("ONEDNN_" + std::string(name)).c_str());
            unsetenv(("DNNL_" + std::string(name)).c_str());
        }
        setenv(g.name, g.value, 1);
        dup2(STDERR_FILENO, STDOUT_FILENO); // what a death test sees
        const Desc md({2, 3}, dnnl_f32, dnnl_ab);
        for (int i = 0; i < 2; ++i) {
            PrimitiveDesc pd;
            make_reorder(pd, md, md);
            dnnl_get_cpu_isa_hints();
            dnnl_fpmath_mode_t mode;
            dnnl_get_default_fpmath_mode(&mode);
            dnnl_set_jit_dump(0);
        }
        std::fflush(stdout);
        std::fputs("end", stderr);
        std::_Exit(0);
    };
    if (*g.said == 0) {
        EXPECT_EXIT(child(), testing::ExitedWithCode(0), "^end$");
    } else {
        EXPECT_EXIT(child(), testing::ExitedWithCode(0),
                    "^onednn_verbose,v1,common,warn," + std::string(g.name) + ": " + g.said + "[^\n]*\nend$");
    }
}

const std::string nested = "filter=" + std::string(60000, '('), // overflows the stack of the C++ library's parser
    endless = std::string(60000, 'z');

INSTANTIATE_TEST_SUITE_P(
    Environment, ComplaintsDeathTest,
    testing::Values(Garbage{"ONEDNN_VERBOSE", "profil,loud", "unknown words: profil loud; known are none error"},
                    Garbage{"DNNL_VERBOSE", "filter=(", "filter=.: no regular expression"},
                    Garbage{"ONEDNN_VERBOSE", nested.c_str(), "filter=[(]+[.]{3}.* of up to 1000 characters; nothing"},
                    Garbage{"ONEDNN_VERBOSE", "pro\x1b[31mfil\nonednn", "unknown words: pro.\\[31mfil onednn; known"},
                    Garbage{"ONEDNN_DEFAULT_FPMATH_MODE", endless.c_str(), "'z+[.]{3}z+' is none of"},
                    Garbage{"ONEDNN_VERBOSE_TIMESTAMP", "yes", "'yes' is neither 0 nor 1"},
                    Garbage{"ONEDNN_MAX_CPU_ISA", "AVX9", "'AVX9' is none of sse41 avx avx2"},
                    Garbage{"DNNL_MAX_CPU_ISA", "AVX9", "'AVX9' is none of"},
                    Garbage{"ONEDNN_CPU_ISA_HINTS", "PREFER_XMM", "'PREFER_XMM' is none of NO_HINTS PREFER_YMM"},
                    Garbage{"ONEDNN_DEFAULT_FPMATH_MODE", "fp16", "'fp16' is none of STRICT BF16"},
                    Garbage{"ONEDNN_PRIMITIVE_CACHE_CAPACITY", "-1", "'-1' is no number from 0 on"},
                    Garbage{"ONEDNN_PRIMITIVE_CACHE_CAPACITY", "10k", "'10k' is no number from 0 on"},
                    Garbage{"ONEDNN_STREAM_BYTES", "much", "'much' is no number from 0 on"},
                    Garbage{"TESSERA_MACHINE", "l1_bytes=much", "l1_bytes: 'much' is no number from 4096 to"},
                    Garbage{"TESSERA_MACHINE", "l9_bytes=1", "'l9_bytes' is no key; known are l1_bytes l1_ways"},
                    Garbage{"TESSERA_MACHINE", "nowhere", "'nowhere' is no list of key=value and no file"},
                    Garbage{"TESSERA_MACHINE", "/dev/zero", "'/dev/zero' is longer than"},
                    Garbage{"TESSERA_MACHINE", "l1_bytes=32K,l1_ways=8", ""},
                    Garbage{"ONEDNN_JIT_DUMP", "on", "'on' is no number from 0 on"},
                    Garbage{"ONEDNN_VERBOSE", "none", ""}, Garbage{"ONEDNN_VERBOSE", "0", ""},
                    Garbage{"ONEDNN_VERBOSE_TIMESTAMP", "1", ""}, Garbage{"ONEDNN_MAX_CPU_ISA", "default", ""},
                    Garbage{"ONEDNN_MAX_CPU_ISA", "AVX2", ""}, Garbage{"ONEDNN_CPU_ISA_HINTS", "NO_HINTS", ""},
                    Garbage{"ONEDNN_DEFAULT_FPMATH_MODE", "strict", ""},
                    Garbage{"ONEDNN_PRIMITIVE_CACHE_CAPACITY", "0", ""}));

// One test, because the header comes before the first line only.
TEST(Environment, Log) {
    const Desc src({2, 3}, dnnl_f32, dnnl_ab), dst({2, 4}, dnnl_f32, dnnl_ab);
    PostOps chain;
    ASSERT_EQ(dnnl_post_ops_append_eltwise(chain, dnnl_eltwise_relu, 0, 0), dnnl_success);
    Attr attr;
    ASSERT_EQ(dnnl_primitive_attr_set_post_ops(attr, chain), dnnl_success);
    PrimitiveDesc pd, good;
    ASSERT_EQ(
        dnnl_shuffle_forward_primitive_desc_create(good.out(), cpu(), dnnl_forward_training, src, src, 0, 1, nullptr),
        dnnl_success);
    const Primitive shuffle(good);
    dnnl_primitive_t reorder = nullptr;
    Memory from(src);
    const Stream stream;
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, from}};
    dnnl_memory_desc_t md = nullptr;
    const dnnl_dims_t negative = {2, -1};
    dnnl_engine_t engine = nullptr;
    testing::internal::CaptureStdout();
    EXPECT_EQ(make_reorder(good, src, src), dnnl_success);
    EXPECT_EQ(make_reorder(pd, src, dst), dnnl_invalid_arguments);
    EXPECT_EQ(make_reorder(pd, src, src, attr), dnnl_unimplemented);
    EXPECT_EQ(
        dnnl_shuffle_forward_primitive_desc_create(pd.out(), cpu(), dnnl_prop_kind_undef, src, src, 0, 1, nullptr),
        dnnl_invalid_arguments);                                                         // the filter hides it
    EXPECT_EQ(dnnl_primitive_execute(shuffle, stream, 1, args), dnnl_invalid_arguments); // hidden, too
    EXPECT_EQ(dnnl_primitive_create(&reorder, good), dnnl_success);
    EXPECT_EQ(dnnl_primitive_execute(reorder, stream, 1, args), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_desc_create_with_tag(&md, 2, negative, dnnl_f32, dnnl_ab), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_stream_wait(nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_engine_create(&engine, dnnl_cpu, 7), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_engine_create(&engine, dnnl_gpu, 1000), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints), dnnl_runtime_error);
    const std::string log = testing::internal::GetCapturedStdout();
    EXPECT_EQ(dnnl_primitive_destroy(reorder), dnnl_success);
    const std::string start = "onednn_verbose,v1,", stamp = "[0-9]{13}\\.[0-9]{6},",
                      place = ",src/api/[a-z_/]+\\.cpp:[0-9]+\n";
    std::string expected = start + "info,Tessera v0\\.[0-9.]+ for oneDNN v3\\.13\\.1 \\(commit [^\n]*\\)\n" + start +
                           "info,cpu,runtime:[A-Za-z]+,nthr:[0-9]+\n" + start + "info,cpu,isa:[^\n]*\n" + start +
                           "info,gpu,runtime:[A-Za-z+]+\n" + start +
                           "primitive,info,template:timestamp,operation,[^\n]*\n";
    for (const std::string& line : {
             std::string("primitive,create:dispatch,cpu,reorder,portable,undef,src:f32::blocked:ab::f0 "
                         "dst:f32::blocked:ab::f0,,,2x3,kernels need the instructions of avx2; [^,\n]*\n"),
             "primitive,create:check,reorder,dimension 1 of src is 3; of dst 4; [^,\n]+" + place,
             "primitive,create:dispatch,reorder,the only post-op of a reorder is sum; [^,\n]+" + place,
             std::string("primitive,create:cache_miss,cpu,reorder,[^\n]+\n"),
             "primitive,exec:check,primitive,reorder: argument DNNL_ARG_TO \\(17\\) is missing" + place,
             "common,create:check,memory,[^,\n]*-1[^,\n]*" + place,
             "common,create:check,stream_wait,stream is null" + place,
             "common,error,runtime,index 7 is outside of 0\\.\\.0: [^,\n]+" + place,
             "common,error,runtime,there is no GPU engine [^,\n]+" + place,
             "common,error,runtime,the hints are in use already[^,\n]+" + place,
         })
        expected += start + stamp + line;
    EXPECT_TRUE(std::regex_match(log, std::regex(expected))) << log;
}

TEST(Environment, StrictExecution) {
    const Desc md({2, 3}, dnnl_f32, dnnl_ab), other({3, 2}, dnnl_f32, dnnl_ab);
    PrimitiveDesc pd;
    ASSERT_EQ(make_reorder(pd, md, md), dnnl_success);
    const Primitive p(pd);
    Memory from(md), to(other, 0x55);
    testing::internal::CaptureStdout();
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("execution is strict"), std::string::npos) << last_error();
    EXPECT_EQ(to.bytes, std::vector<unsigned char>(24, 0x55));
    ASSERT_EQ(dnnl_tessera_set_strict_execution(0), dnnl_success);
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success) << last_error();
    testing::internal::GetCapturedStdout();
}

} // namespace
} // namespace tessera::test
