// SPDX-License-Identifier: Apache-2.0
// A device that fails: every call of OpenCL, the k-th of each function, once and from then on; and memory of the host
// that runs out between these calls. The answer is an exception whose sentence names the call, nothing of OpenCL is
// left behind, and the next run computes what it should.
#include <cstring>
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_work.hpp"
#include "failing_allocations.hpp"
#include "faulty_opencl.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ocl.hpp"
#include "opencl_calls.hpp"

namespace tessera::test {
namespace {

using Bytes = std::vector<unsigned char>;

// Kernels from the disk are not compiled; cache_test.cpp is about them. Binaries are asked for, but cannot be written.
const bool without_disk = setenv("TESSERA_OPENCL_CACHE", "/dev/null/none", 1) == 0;

struct Answer {
    Bytes bytes;
    std::optional<dnnl_status_t> status; // of what was thrown
    std::array<char, 2048> words{};      // without an allocation, which might fail
    std::string text() const { return words.data(); }
};

Answer answer_of(const DeviceWork& work) {
    Answer answer;
    try {
        answer.bytes = work.run();
    } catch (const dnnl::error& e) {
        answer.status = e.status;
        std::strncpy(answer.words.data(), e.what(), answer.words.size() - 1);
    } catch (const std::bad_alloc&) { answer.status = dnnl_out_of_memory; } // of dnnl.hpp
    return answer;
}

// Work may go on without these; what is asked for is told in another way, or was only being given back. Shared memory
// is given back when the queues are finished.
bool may_fail_silently(const std::string& function, const std::string& work = "") {
    return (work == "shared" && function == "clFinish") || function.starts_with("clRelease") ||
           function.starts_with("clGet") || function == "clSVMFree";
}

bool is_about_memory(cl_int error) {
    return error == CL_OUT_OF_RESOURCES || error == CL_OUT_OF_HOST_MEMORY || error == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

const cl_int errors[] = {CL_OUT_OF_RESOURCES,
                         CL_INVALID_COMMAND_QUEUE,
                         CL_OUT_OF_HOST_MEMORY,
                         CL_DEVICE_NOT_AVAILABLE,
                         CL_MEM_OBJECT_ALLOCATION_FAILURE,
                         CL_INVALID_OPERATION,
                         CL_BUILD_PROGRAM_FAILURE,
                         -9999};

std::string text_of(const Fault& f) {
    return (f.function.empty() ? "any call" : f.function) + " number " + std::to_string(f.first) +
           (f.from_then_on ? " and all that follow" : "") + ": " + std::to_string(f.error);
}

// What a run leaves behind, apart from programs, which the engine keeps.
std::array<int64_t, kinds> left() {
    auto all = alive();
    all[programs] = 0;
    return all;
}

// Out of order a stream keeps the scratch memory of the four executions queued last. How many were on their way at the
// same time is chance, unless they all wait for an event.
void fill_with_scratch(dnnl::stream s, const std::function<cl_event(cl_event)>& execute) {
    const Kept<cl_event> start = make_event(dnnl::ocl_interop::get_context(s.get_engine()));
    for (int i = 0; i < 5; ++i) gpu::opencl()->clReleaseEvent(execute(start.get()));
    CL(clSetUserEventStatus)(start.get(), CL_COMPLETE);
    s.wait();
}

class DeviceFaults : public testing::Test {
protected:
    void SetUp() override {
        dnnl_set_verbose(0);
        if (dnnl::engine::get_count(dnnl::engine::kind::gpu) == 0) GTEST_SKIP() << "no device of OpenCL";
        dnnl::set_primitive_cache_capacity(0); // everything is made anew
        const dnnl::engine gpu(dnnl::engine::kind::gpu, 0);
        idle = left();
    }
    // Whether the fault happened.
    bool try_with(const DeviceWork& work, const Fault& fault, const Bytes& right) {
        plan_fault(fault);
        const Answer answer = answer_of(work);
        const bool happened = end_of_fault();
        const std::string what = std::string(work.name) + ", " + text_of(fault) + ": " + answer.text();
        if (answer.status && happened) {
            const bool without_error = answer.text().find("clSVMAlloc") != std::string::npos; // a null pointer alone
            EXPECT_EQ(*answer.status,
                      without_error || is_about_memory(fault.error) ? dnnl_out_of_memory : dnnl_runtime_error)
                << what;
            EXPECT_NE(answer.text().find(fault.function.empty() ? "cl" : fault.function), std::string::npos) << what;
            EXPECT_TRUE(without_error || answer.text().find(std::to_string(fault.error)) != std::string::npos) << what;
        } else {
            EXPECT_EQ(answer.bytes, right) << what;
            EXPECT_TRUE(!happened || fault.function.empty() || may_fail_silently(fault.function, work.name)) << what;
        }
        EXPECT_EQ(left(), idle) << what;
        if (happened) { EXPECT_EQ(answer_of(work).bytes, right) << "after " << what; }
        return happened && !HasFailure();
    }
    std::array<int64_t, kinds> idle{};
};

} // namespace

// The first use of a process, in children of a process that has not used OpenCL.
TEST(DeviceFaultsAtFirst, TheNextCallFindsTheDevice) {
    if (!calls().empty()) GTEST_SKIP() << "another test has used the device before: run this one alone, as ctest does";
    struct Shared {
        char names[64][64];
        int64_t calls[64];
    };
    auto* const seen =
        static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(seen, MAP_FAILED);
    const auto in_child = [](const auto& body) {
        const pid_t pid = fork();
        if (pid == 0) {
            alarm(60);
            dnnl_set_verbose(0);
            _exit(body());
        }
        int status = 0;
        waitpid(pid, &status, 0);
        return status;
    };
    const auto find_device = [] {
        if (dnnl::engine::get_count(dnnl::engine::kind::gpu) == 0) return std::string("no device");
        try {
            const dnnl::engine gpu(dnnl::engine::kind::gpu, 0);
        } catch (const dnnl::error& e) { return std::string(e.what()); }
        return std::string();
    };
    const int all = in_child([&] {
        plan_fault({.function = "none"});
        if (find_device() == "no device") return 1;
        int n = 0;
        for (const auto& [name, count] : calls()) {
            std::strncpy(seen->names[n], name.c_str(), 63);
            seen->calls[n++] = count;
        }
        return 0;
    });
    if (WIFEXITED(all) && WEXITSTATUS(all) == 1) GTEST_SKIP() << "no device of OpenCL";
    ASSERT_EQ(all, 0);
    for (int n = 0; seen->calls[n]; ++n)
        for (int64_t k = 0; k < seen->calls[n]; ++k) {
            const Fault fault{seen->names[n], k, CL_OUT_OF_HOST_MEMORY};
            const int status = in_child([&] {
                plan_fault(fault);
                const std::string failed = find_device();
                if (!end_of_fault()) return 2;
                const bool silent = may_fail_silently(fault.function);
                if (failed.empty() ? !silent : !silent && failed.find(fault.function) == std::string::npos) return 3;
                if (!find_device().empty()) return 4;
                const DeviceWork& work = device_work().back();
                return answer_of(work).bytes.empty() ? 5 : 0;
            });
            EXPECT_EQ(status, 0) << text_of(fault) << ": status " << std::hex << status
                                 << "; 200: there is none, 300: no sentence, 400: the second time, 500: no work";
        }
    munmap(seen, sizeof(Shared));
}

TEST_F(DeviceFaults, TheWordsOfTheCompilerAreTold) {
    ASSERT_TRUE(without_disk);
    const DeviceWork& work = device_work().back();
    plan_fault({.function = "clCreateProgramWithSource", .from_then_on = true}); // spoils each
    const Answer answer = answer_of(work);
    ASSERT_TRUE(end_of_fault());
    EXPECT_EQ(answer.status, dnnl_runtime_error);
    EXPECT_NE(answer.text().find("no_such_function_anywhere"), std::string::npos) << answer.text();
    EXPECT_EQ(left(), idle);
    EXPECT_FALSE(answer_of(work).bytes.empty());
}

// Before the engine keeps any program, so that each of them is compiled under a fault first.
TEST_F(DeviceFaults, AProgramThatFailsIsCompiledNextTime) {
    for (const DeviceWork& work : device_work())
        for (const char* function : {"clCreateProgramWithSource", "clBuildProgram"})
            for (const cl_int error : {CL_BUILD_PROGRAM_FAILURE, CL_OUT_OF_HOST_MEMORY}) {
                plan_fault({function, 0, error});
                const Answer answer = answer_of(work);
                if (!end_of_fault()) continue; // every program of this work is there already
                const std::string what = std::string(work.name) + ", " + function + ": " + answer.text();
                ASSERT_EQ(answer.status, is_about_memory(error) ? dnnl_out_of_memory : dnnl_runtime_error) << what;
                EXPECT_EQ(left(), idle) << what;
            }
    for (const DeviceWork& work : device_work()) EXPECT_FALSE(answer_of(work).bytes.empty()) << work.name;
}

TEST_F(DeviceFaults, EachCallIsTold) {
    size_t turn = 0;
    for (const DeviceWork& work : device_work()) {
        const Bytes right = work.run();
        plan_fault({.function = "none"});
        EXPECT_EQ(work.run(), right);
        end_of_fault();
        const auto all = calls();
        EXPECT_GE(all.size(), 4u) << work.name;
        for (const auto& [function, count] : all)
            for (int64_t k = 0; k < count; ++k)
                ASSERT_TRUE(try_with(work, {function, k, errors[turn++ % std::size(errors)]}, right));
    }
}

TEST_F(DeviceFaults, MemoryOfTheHostRunsOut) {
    for (const DeviceWork& work : device_work()) {
        const std::string name = work.name; // the others add seconds and no other allocations
        if (name != "reorders" && name != "sparse_product" && name != "softmax_of_rows" && name != "events" &&
            name != "shared")
            continue;
        const Bytes right = work.run();
        const int64_t all = test::run({-1, false, in_opencl}, [&] { (void)work.run(); });
        EXPECT_GE(all, 10);
        for (const bool from_then_on : {false, true})
            for (int64_t k = 0; k < all; k += from_then_on ? 5 : 1) {
                Answer answer;
                test::run({k, from_then_on, in_opencl}, [&] { answer = answer_of(work); });
                const std::string what = std::string(work.name) + ", allocation " + std::to_string(k) +
                                         (from_then_on ? " and all that follow: " : ": ") + answer.text();
                ASSERT_TRUE(answer.status ? *answer.status == dnnl_out_of_memory : answer.bytes == right)
                    << what << answer.status.value_or(dnnl_success);
                ASSERT_EQ(left(), idle) << what;
                if (k % 10 == 0) { ASSERT_EQ(work.run(), right) << "after " << what; }
            }
    }
}

// While engine, stream and memories live: what they hold does not grow from execution to execution.
TEST_F(DeviceFaults, ExecutionsAndRefusalsHoldNothing) {
    using namespace dnnl;
    const engine gpu(engine::kind::gpu, 0), cpu(engine::kind::cpu, 0);
    const memory::desc md({40, 50}, memory::data_type::f32, memory::format_tag::ab);
    const memory host(md, cpu), there(md, gpu), result(md, gpu),
        rows({{40}, md.get_data_type(), memory::format_tag::a}, gpu);
    for (const auto flags : {stream::flags::in_order, stream::flags::out_of_order}) {
        stream s(gpu, flags);
        const softmax_forward p({gpu, prop_kind::forward_inference, algorithm::softmax_accurate, md, md, 1});
        const reorder up(host, there), down(result, host);
        int refused = 0;
        const auto round = [&] {
            up.execute(s, {{DNNL_ARG_FROM, host}, {DNNL_ARG_TO, there}});
            p.execute(s, {{DNNL_ARG_SRC, there}, {DNNL_ARG_DST, result}});
            const cl_event event =
                ocl_interop::execute(p, s, {{DNNL_ARG_SRC, there}, {DNNL_ARG_DST, result}}, std::vector<cl_event>());
            gpu::opencl()->clReleaseEvent(event);
            down.execute(s, {{DNNL_ARG_FROM, result}, {DNNL_ARG_TO, host}});
            for (const memory& wrong : {rows, host}) try {
                    p.execute(s, {{DNNL_ARG_SRC, there}, {DNNL_ARG_DST, wrong}});
                } catch (const error&) { ++refused; }
            s.wait();
        };
        fill_with_scratch(s, [&](cl_event start) {
            return ocl_interop::execute(p, s, {{DNNL_ARG_SRC, there}, {DNNL_ARG_DST, result}}, {start});
        });
        for (int i = 0; i < 3; ++i) round();
        const auto before = alive();
        for (int i = 0; i < 10; ++i) round();
        EXPECT_EQ(alive(), before);
        EXPECT_EQ(refused, 26);
    }
}

TEST_F(DeviceFaults, ALostDeviceStaysLostUntilItIsBack) {
    for (const DeviceWork& work : device_work()) {
        const Bytes right = work.run();
        int64_t k = 0;
        while (try_with(work, {"", k, k % 2 ? CL_DEVICE_NOT_AVAILABLE : CL_OUT_OF_RESOURCES, true}, right))
            ASSERT_LT(++k, 10000);
    }
}

} // namespace tessera::test
