// SPDX-License-Identifier: Apache-2.0
// When memory runs out: the k-th allocation of creating and of executing a primitive fails, once and from then on, for
// every k (of creating: for one of each stack of calls). The answer is out_of_memory or success, and the next call
// works and computes the same bits.
#include <cstring>
#include <fstream>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu/isa_limit.hpp"
#include "cpu/runtime/scratch.hpp"
#include "failing_allocations.hpp"
#include "line/line_objects.hpp"
#include "line/problem_line.hpp"
#include "lines_of_all.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"
#include "this_runtime.hpp"
#include "trial.hpp"

namespace tessera::test {
namespace {

const char* mode_of(bool from_then_on) { return from_then_on ? ", and all that follow" : ""; }

// The first use of a process reads the environment and the machine, in children of a process that has not used the
// library: each answers, and afterwards computes what it should, with every line of the log.
TEST(OutOfMemoryAtFirst, TheNextCallReadsWhatIsMissing) {
    if (cpu::isa_in_use())
        GTEST_SKIP() << "another test has used the library before: run this one alone, as ctest does";
    setenv("ONEDNN_VERBOSE", "all", 1);
    setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
    const auto child = [](int64_t k, bool from_then_on) { // ends with 0, or 1 if allocation k did not happen
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        float values[6] = {-1, 2, -3, 4, -5, 6};
        const auto relu = [&] {
            const dnnl_dims_t dims = {2, 3};
            dnnl_engine_t engine = nullptr;
            dnnl_stream_t stream = nullptr;
            dnnl_memory_desc_t md = nullptr;
            dnnl_memory_t memory = nullptr;
            dnnl_primitive_desc_t pd = nullptr;
            dnnl_primitive_t primitive = nullptr;
            dnnl_status_t s = dnnl_engine_create(&engine, dnnl_cpu, 0);
            if (!s) s = dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
            if (!s) s = dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab);
            if (!s) s = dnnl_memory_create(&memory, md, engine, values);
            if (!s)
                s = dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference, dnnl_eltwise_relu,
                                                               md, md, 0.f, 0.f, nullptr);
            if (!s) s = dnnl_primitive_create(&primitive, pd);
            const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
            if (!s) s = dnnl_primitive_execute(primitive, stream, 2, args);
            dnnl_primitive_destroy(primitive);
            dnnl_primitive_desc_destroy(pd);
            dnnl_memory_destroy(memory);
            dnnl_memory_desc_destroy(md);
            dnnl_stream_destroy(stream);
            return s;
        };
        dnnl_status_t s = dnnl_success;
        const int64_t asked = run({k, from_then_on}, [&] { s = relu(); });
        if (s != dnnl_success && s != dnnl_out_of_memory) return 2;
        if (relu() != dnnl_success) return 3;
        for (int i = 0; i < 6; ++i)
            if (values[i] != (i % 2 ? float(i + 1) : 0.f)) return 4;
        if (dnnl_get_effective_cpu_isa() & ~dnnl_cpu_isa_avx2) return 5; // the environment was read, if late
        return asked > k ? 0 : 1;
    };
    for (const bool from_then_on : {false, true}) {
        int64_t k = 0;
        for (int status = 0; status == 0; ++k) {
            const pid_t pid = fork();
            if (pid == 0) {
                alarm(20);
                _exit(child(k, from_then_on));
            }
            waitpid(pid, &status, 0);
            ASSERT_TRUE(status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 1))
                << "allocation " << k << mode_of(from_then_on) << ": status " << std::hex << status;
        }
        EXPECT_GT(k, 50);
    }
    unsetenv("ONEDNN_VERBOSE");
    unsetenv("ONEDNN_MAX_CPU_ISA");
}

// Buffers that executions have used stay with the library; while this lives, none of them are left.
class NoIdleScratch {
public:
    NoIdleScratch() {
        for (bool from_the_system = false; !from_the_system;)
            from_the_system = run({}, [&] { held_.emplace_front(1); }) > 1; // one is the list's
    }

private:
    std::list<cpu::Scratch> held_;
};

class OutOfMemory : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        dnnl_set_verbose(0); // or a line each
        make_team(2);        // here: libgomp ends the process when it has no memory for its own
    }
};

TEST_P(OutOfMemory, Creation) {
    Trial trial(GetParam());
    ASSERT_EQ(trial.create(), dnnl_success) << dnnl_tessera_last_error();
    const auto right = trial.results();
    ASSERT_FALSE(right.empty()) << dnnl_tessera_last_error();
    for (const bool from_then_on : {false, true}) {
        trial.forget();
        empty_cache();
        const std::vector<int64_t> places = places_of([&] { (void)trial.create(); });
        EXPECT_GT(places.size(), 5);
        for (const int64_t k : places) {
            trial.forget();
            empty_cache();
            dnnl_status_t status = dnnl_success;
            run({k, from_then_on}, [&] { status = trial.create(); });
            ASSERT_TRUE(status == dnnl_success || status == dnnl_out_of_memory)
                << "allocation " << k << mode_of(from_then_on) << ": status " << status << ", "
                << dnnl_tessera_last_error();
            if (status != dnnl_success) { ASSERT_EQ(trial.create(), dnnl_success) << k << dnnl_tessera_last_error(); }
            ASSERT_EQ(trial.results(), right) << "after allocation " << k << " failed" << mode_of(from_then_on);
        }
    }
}

TEST_P(OutOfMemory, Execution) {
    Trial trial(GetParam());
    ASSERT_EQ(trial.create(), dnnl_success) << dnnl_tessera_last_error();
    const auto right = trial.results();
    ASSERT_FALSE(right.empty()) << dnnl_tessera_last_error();
    for (const bool from_then_on : {false, true}) {
        int64_t all = 1; // what chunks ask for depends on who runs them
        for (int64_t k = 0; k < all; ++k) {
            // With run-time dims an execution creates.
            empty_cache();
            ASSERT_EQ(trial.create(), dnnl_success) << dnnl_tessera_last_error();
            const NoIdleScratch none;
            dnnl_status_t status = dnnl_success;
            const int64_t asked = run({k, from_then_on}, [&] { status = trial.execute(); });
            all = std::max(all, asked);
            ASSERT_TRUE(status == dnnl_success || status == dnnl_out_of_memory)
                << "allocation " << k << mode_of(from_then_on) << ": status " << status << ", "
                << dnnl_tessera_last_error();
            if (status == dnnl_out_of_memory) { ASSERT_NE(std::string(dnnl_tessera_last_error()), ""); }
            ASSERT_EQ(trial.results(), right) << "after allocation " << k << " failed" << mode_of(from_then_on);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Problems, OutOfMemory, testing::ValuesIn(lines_of_all("out_of_memory")));

// Chunks that run on other threads than the caller's have no memory for their buffers.
TEST(OutOfMemoryInThreads, TheCallerIsTold) {
    dnnl_set_verbose(0);
    if (!threads_can_be_set()) GTEST_SKIP() << "needs a run time whose threads can be set";
    set_threads(3);
    Trial trial("matmul --stag=ab:ba --dtag=ab 192x512:512x192");
    ASSERT_EQ(trial.create(), dnnl_success);
    const auto right = trial.results();
    int64_t asked = 1;
    int refused = 0;
    for (int repeat = 0; repeat < 20; ++repeat)
        for (const bool from_then_on : {false, true})
            for (int64_t k = 0; k < asked; ++k) {
                dnnl_status_t status = dnnl_success;
                {
                    const NoIdleScratch none;
                    asked = std::max(asked, run({k, from_then_on}, [&] { status = trial.execute(); }));
                }
                ASSERT_TRUE(status == dnnl_success || status == dnnl_out_of_memory) << status;
                refused += status == dnnl_out_of_memory;
                ASSERT_EQ(trial.results(), right);
            }
    EXPECT_GT(refused, 20); // or this problem needs no buffers any more: take another one
}

// OpenMP's run times end the process when they have no memory for a team; this one is 64 threads, with stacks of 8 MiB.
TEST(OutOfMemoryInThreads, ATeamThatDoesNotFitIsNotAskedFor) {
    dnnl_set_verbose(0);
    if (!threads_can_be_set()) GTEST_SKIP() << "needs a run time whose threads can be set";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer's shadow has more addresses than the limit allows";
#endif
    set_threads(64);
    Trial trial("reorder --sdt=f32 --ddt=bf16 --stag=abcd --dtag=acdb 16x64x28x28");
    ASSERT_EQ(trial.create(), dnnl_success) << dnnl_tessera_last_error();
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    rlimit tight = before;
    tight.rlim_cur = pages * rlim_t(sysconf(_SC_PAGESIZE)) + (20 << 20);
    ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
    const dnnl_status_t status = trial.execute();
    setrlimit(RLIMIT_AS, &before);
    EXPECT_EQ(status, dnnl_success); // on the caller's thread, and on helpers if there is room for some
    EXPECT_FALSE(trial.results().empty());
    set_threads(2);
}

// Every other call that makes something, and those that change it.
TEST(OutOfMemoryInCalls, EachAnswers) {
    dnnl_set_verbose(0);
    dnnl_engine_t engine = nullptr;
    ASSERT_EQ(dnnl_engine_create(&engine, dnnl_cpu, 0), dnnl_success);
    const dnnl_dims_t dims = {2, 16, 5, 7}, strides = {560, 35, 7, 1}, permutation_dims = {2, 16, 35};
    dnnl_memory_desc_t md = nullptr, other = nullptr;
    ASSERT_EQ(dnnl_memory_desc_create_with_tag(&md, 4, dims, dnnl_f32, dnnl_abcd), dnnl_success);
    dnnl_primitive_attr_t attr = nullptr, attr_copy = nullptr;
    dnnl_post_ops_t post_ops = nullptr, post_ops_copy = nullptr;
    dnnl_memory_t memory = nullptr;
    dnnl_stream_t stream = nullptr;
    ASSERT_EQ(dnnl_primitive_attr_create(&attr), dnnl_success);
    ASSERT_EQ(dnnl_post_ops_create(&post_ops), dnnl_success);
    std::vector<float> a(64 * 64, 1.f), b(64 * 64, 1.f), c(64 * 64, 0.f);
    std::vector<int8_t> s8(64 * 64, 1);
    std::vector<int32_t> s32(64 * 64, 0);
    int32_t co = 0;

    struct Call {
        const char* name;
        std::function<dnnl_status_t()> make;
        std::function<void()> destroy = [] {};
    };
    const Call calls[] = {
        {"memory_desc with tag", [&] { return dnnl_memory_desc_create_with_tag(&other, 4, dims, dnnl_f32, dnnl_acdb); },
         [&] { dnnl_memory_desc_destroy(other); }},
        {"memory_desc with strides",
         [&] { return dnnl_memory_desc_create_with_strides(&other, 4, dims, dnnl_f32, strides); },
         [&] { dnnl_memory_desc_destroy(other); }},
        {"memory_desc reshape", [&] { return dnnl_memory_desc_reshape(&other, md, 3, permutation_dims); },
         [&] { dnnl_memory_desc_destroy(other); }},
        {"memory_desc clone", [&] { return dnnl_memory_desc_clone(&other, md); },
         [&] { dnnl_memory_desc_destroy(other); }},
        {"memory", [&] { return dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE); },
         [&] { dnnl_memory_destroy(memory); }},
        {"stream", [&] { return dnnl_stream_create(&stream, engine, dnnl_stream_default_flags); },
         [&] { dnnl_stream_destroy(stream); }},
        {"attr", [&] { return dnnl_primitive_attr_create(&attr_copy); },
         [&] { dnnl_primitive_attr_destroy(attr_copy); }},
        {"attr clone", [&] { return dnnl_primitive_attr_clone(&attr_copy, attr); },
         [&] { dnnl_primitive_attr_destroy(attr_copy); }},
        {"scales", [&] { return dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 2); }},
        {"zero points", [&] { return dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0); }},
        {"post-op eltwise", [&] { return dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0.f, 0.f); },
         [&] {
             dnnl_post_ops_destroy(post_ops);
             dnnl_post_ops_create(&post_ops);
         }},
        {"post-op binary", [&] { return dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, md); }},
        {"post-ops clone", [&] { return dnnl_post_ops_clone(&post_ops_copy, post_ops); },
         [&] { dnnl_post_ops_destroy(post_ops_copy); }},
        {"post-ops of attr", [&] { return dnnl_primitive_attr_set_post_ops(attr, post_ops); }},
        {"sgemm", [&] { return dnnl_sgemm('N', 'T', 61, 63, 64, 1.f, a.data(), 64, b.data(), 64, 0.f, c.data(), 64); }},
        {"gemm of s8",
         [&] {
             return dnnl_gemm_s8s8s32('N', 'N', 'F', 61, 63, 64, 1.f, s8.data(), 64, 1, s8.data(), 64, 2, 0.f,
                                      s32.data(), 64, &co);
         }},
        {"capacity", [&] { return dnnl_set_primitive_cache_capacity(1000); }},
    };
    for (const Call& call : calls)
        for (const bool from_then_on : {false, true}) {
            int64_t k = 0;
            for (bool failed = true; failed; ++k) { // until there are no more allocations that could fail
                dnnl_status_t status = dnnl_success;
                failed = run({k, from_then_on}, [&] { status = call.make(); }) > k;
                ASSERT_TRUE(status == dnnl_success || status == dnnl_out_of_memory)
                    << call.name << ", allocation " << k << mode_of(from_then_on) << ": " << status;
                if (status == dnnl_success) call.destroy();
                ASSERT_LT(k, 100000);
            }
            ASSERT_EQ(call.make(), dnnl_success) << call.name << ": " << dnnl_tessera_last_error();
            call.destroy();
        }
    EXPECT_EQ(c[0], 64.f);
    EXPECT_EQ(s32[0], 64 * (1 - 1) * (1 - 2));
    dnnl_memory_desc_destroy(md);
    dnnl_primitive_attr_destroy(attr);
    dnnl_post_ops_destroy(post_ops);
}

} // namespace
} // namespace tessera::test
