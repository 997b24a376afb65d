// SPDX-License-Identifier: Apache-2.0
// dnnl_ocl.hpp: engines, streams and memory over objects of OpenCL, events, times, and compiled kernels as bytes. After
// each test as many objects of OpenCL are alive as before.
// covers: IOP-02 IOP-04 IOP-05 STR-01 STR-03 STR-04 ENG-01 ENG-02 OBJ-01 OBJ-06 REO-02 HSC-01
#define DNNL_EXPERIMENTAL_PROFILING
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <numeric>
#include <thread>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "faulty_opencl.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ocl.hpp"
#include "settled.hpp"

extern "C" void* __real_dlsym(void* library, const char* name); // dlsym has the functions that count

namespace tessera::test {
namespace {

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;
using ocl_interop::memory_kind;

template <typename F> std::string refusal(F f) {
    try {
        f();
    } catch (const error& e) { return e.what(); }
    return "accepted";
}
bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Those of the loader: the library does not call them all.
template <typename Function> Function* function_of(const char* name) {
    void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<Function*>(__real_dlsym(library, name));
}

class Interop : public testing::Test {
protected:
    void SetUp() override {
        dnnl_set_verbose(0);
        if (engine::get_count(engine::kind::gpu) == 0) GTEST_SKIP() << "no device of OpenCL";
        set_primitive_cache_capacity(0);
        before = alive();
        standard = engine(engine::kind::gpu, 0);
        device = ocl_interop::get_device(standard);
        before = alive();
        context = make_context();
    }
    void TearDown() override {
        if (!context) return;
        cl.clReleaseContext(context);
        auto after = alive();
        after[programs] = before[programs]; // the standard engine keeps what it compiled
        EXPECT_EQ(after, before);
    }
    cl_context make_context() const {
        cl_int error = CL_SUCCESS;
        cl_context made = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
        EXPECT_EQ(error, CL_SUCCESS);
        return made;
    }
    cl_mem make_buffer(cl_context of, size_t bytes) const {
        cl_int error = CL_SUCCESS;
        cl_mem made = cl.clCreateBuffer(of, CL_MEM_READ_WRITE, bytes, nullptr, &error);
        EXPECT_EQ(error, CL_SUCCESS);
        return made;
    }
    cl_command_queue make_queue(cl_context of, cl_command_queue_properties properties = 0) const {
        cl_int error = CL_SUCCESS;
        cl_command_queue made = cl.clCreateCommandQueue(of, device, properties, &error);
        EXPECT_EQ(error, CL_SUCCESS);
        return made;
    }
    cl_uint users(cl_context of) const {
        cl_uint count = 0;
        cl.clGetContextInfo(of, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
        return count;
    }
    cl_uint users(cl_command_queue of) const {
        cl_uint count = 0;
        cl.clGetCommandQueueInfo(of, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, nullptr);
        return count;
    }
    cl_uint users(cl_mem of) const {
        cl_uint count = 0;
        cl.clGetMemObjectInfo(of, CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr);
        return count;
    }
    template <typename Object> cl_uint users_settle(Object of, cl_uint expected) const {
        return settled([&] { return users(of); }, expected);
    }
    std::vector<float> values_of(const memory& m) const {
        auto* const mapped = m.map_data<float>();
        std::vector<float> values(mapped, mapped + m.get_desc().get_size() / sizeof(float));
        m.unmap_data(mapped);
        return values;
    }
    memory counted(const engine& e, memory_kind kind = memory_kind::buffer) const { // 1, 2, 3, ...
        memory m = ocl_interop::make_memory(md, e, kind);
        auto* const mapped = m.map_data<float>();
        std::iota(mapped, mapped + 60, 1.f);
        m.unmap_data(mapped);
        return m;
    }
    primitive linear(const engine& e, float alpha, float beta) const {
        return eltwise_forward(eltwise_forward::primitive_desc(e, prop_kind::forward_inference,
                                                               algorithm::eltwise_linear, md, md, alpha, beta));
    }
    std::unordered_map<int, memory> in_place(const memory& m) const { return {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}}; }
    const gpu::OpenCl& cl = *gpu::opencl();
    const memory::desc md{{5, 12}, dt::f32, tag::ab};
    engine standard, cpu{engine::kind::cpu, 0};
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    std::array<int64_t, kinds> before{};
};

} // namespace

TEST_F(Interop, AnEngineKeepsItsContext) {
    {
        const engine first = ocl_interop::make_engine(device, context);
        const engine second = ocl_interop::make_engine(device, context);
        EXPECT_EQ(ocl_interop::get_context(first), context);
        EXPECT_EQ(ocl_interop::get_device(first), device);
        EXPECT_EQ(first.get_kind(), engine::kind::gpu);
        EXPECT_GT(users(context), 1u);
        // What is made from one works with the other.
        const memory src = counted(first);
        stream s(second);
        linear(second, 2, 0).execute(s, in_place(src));
        s.wait();
        EXPECT_EQ(values_of(src)[59], 120.f);
    }
    EXPECT_EQ(users_settle(context, 1), 1u);
}

TEST_F(Interop, ObjectsOutliveTheirEngine) {
    memory m;
    stream s;
    primitive p;
    {
        const engine e = ocl_interop::make_engine(device, context);
        m = counted(e), s = stream(e), p = linear(e, 1, 1);
    }
    p.execute(s, in_place(m));
    s.wait();
    EXPECT_EQ(values_of(m)[0], 2.f);
}

TEST_F(Interop, AnEngineOfTheLibraryHasADeviceAndAContext) {
    ASSERT_NE(ocl_interop::get_context(standard), nullptr);
    const cl_command_queue queue = make_queue(ocl_interop::get_context(standard));
    {
        stream s = ocl_interop::make_stream(standard, queue);
        const memory m = counted(standard);
        linear(standard, 3, 0).execute(s, in_place(m));
        s.wait();
        EXPECT_EQ(values_of(m)[9], 30.f);
    }
    cl.clReleaseCommandQueue(queue);
}

TEST_F(Interop, AStreamKeepsItsQueue) {
    const engine e = ocl_interop::make_engine(device, context);
    const cl_command_queue queue = make_queue(context);
    {
        const stream s = ocl_interop::make_stream(e, queue);
        EXPECT_EQ(ocl_interop::get_command_queue(s), queue);
        EXPECT_GT(users(queue), 1u);
    }
    EXPECT_EQ(users_settle(queue, 1), 1u);
    cl.clReleaseCommandQueue(queue);
    EXPECT_NE(ocl_interop::get_command_queue(stream(e)), nullptr);
    const cl_context other = make_context();
    const cl_command_queue elsewhere = make_queue(other);
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::make_stream(e, elsewhere); }), "of another context"));
    cl.clReleaseCommandQueue(elsewhere), cl.clReleaseContext(other);
}

TEST_F(Interop, AMemoryKeepsItsBuffer) {
    const engine e = ocl_interop::make_engine(device, context);
    const cl_mem first = make_buffer(context, md.get_size()), second = make_buffer(context, md.get_size());
    {
        memory m = ocl_interop::make_memory(md, e, first);
        EXPECT_EQ(ocl_interop::get_mem_object(m), first);
        EXPECT_EQ(m.get_data_handle(), first);
        EXPECT_EQ(ocl_interop::get_memory_kind(m), memory_kind::buffer);
        EXPECT_EQ(users(first), 2u);
        ocl_interop::set_mem_object(m, second);
        EXPECT_EQ(users(first), 1u);
        EXPECT_EQ(users(second), 2u);
        EXPECT_EQ(ocl_interop::get_mem_object(m), second);
        ocl_interop::set_mem_object(m, nullptr);
        EXPECT_EQ(users(second), 1u);
        EXPECT_EQ(ocl_interop::get_mem_object(m), nullptr);
    }
    EXPECT_EQ(users(first), 1u);
    const memory plain(md, e);
    EXPECT_EQ(ocl_interop::get_memory_kind(plain), memory_kind::buffer);
    EXPECT_EQ(users(ocl_interop::get_mem_object(plain)), 1u);
    EXPECT_EQ(ocl_interop::get_mem_object(memory(md, e, DNNL_MEMORY_NONE)), nullptr);
    cl.clReleaseMemObject(first), cl.clReleaseMemObject(second);
}

TEST_F(Interop, BuffersThatDoNotFitAreRefused) {
    const engine e = ocl_interop::make_engine(device, context);
    const cl_mem small = make_buffer(context, md.get_size() - 4);
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::make_memory(md, e, small); }),
                         "the cl_mem has 236 bytes; the tensor has 240"));
    memory m(md, e);
    EXPECT_TRUE(contains(refusal([&] { m.set_data_handle(small); }), "the cl_mem has 236 bytes"));
    EXPECT_NE(m.get_data_handle(), small);
    const cl_context other = make_context();
    const cl_mem elsewhere = make_buffer(other, md.get_size());
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::make_memory(md, e, elsewhere); }), "of another context"));
    cl.clReleaseMemObject(small), cl.clReleaseMemObject(elsewhere), cl.clReleaseContext(other);
}

TEST_F(Interop, KindsAndCountsThatThereAreNot) {
    const engine e = ocl_interop::make_engine(device, context);
    dnnl_memory_t m = nullptr;
    const auto unknown = static_cast<dnnl_ocl_interop_memory_kind_t>(2);
    EXPECT_EQ(dnnl_ocl_interop_memory_create(&m, md.get(), e.get(), unknown, DNNL_MEMORY_ALLOCATE),
              dnnl_invalid_arguments);
    EXPECT_TRUE(contains(dnnl_tessera_last_error(), "memory_kind 2 is neither dnnl_ocl_interop_usm (0)"));
    void* handles[] = {DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE};
    for (const int count : {-1, 0, 2}) {
        EXPECT_EQ(dnnl_ocl_interop_memory_create_v2(&m, md.get(), e.get(), dnnl_ocl_interop_buffer, count, handles),
                  dnnl_invalid_arguments);
        EXPECT_TRUE(contains(dnnl_tessera_last_error(), std::to_string(count).c_str()));
    }
    EXPECT_EQ(m, nullptr);
}

TEST_F(Interop, SharedMemoryBelongsToTheCallerOrTheLibrary) {
    const engine e = ocl_interop::make_engine(device, context);
    memory own;
    const std::string without = refusal([&] { own = ocl_interop::make_memory(md, e, memory_kind::usm); });
    if (without != "accepted") {
        EXPECT_TRUE(contains(without, "the device has no unified shared memory")) << without;
        GTEST_SKIP() << without;
    }
    EXPECT_EQ(ocl_interop::get_memory_kind(own), memory_kind::usm);
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::get_mem_object(own); }), "has no cl_mem"));
    own = counted(e, memory_kind::usm);
    stream s(e);
    linear(e, 2, 1).execute(s, in_place(own));
    // Of the caller, who keeps it.
    memory given = ocl_interop::make_memory(md, e, memory_kind::usm, own.get_data_handle());
    linear(e, 1, 1).execute(s, in_place(given));
    s.wait();
    EXPECT_EQ(values_of(own)[2], 8.f);
    given = memory();
    EXPECT_EQ(values_of(own)[59], 122.f);
    // Into a buffer, and from there to the host.
    const memory buffer(md, e), here(md, cpu);
    reorder(own, buffer).execute(s, {{DNNL_ARG_FROM, own}, {DNNL_ARG_TO, buffer}});
    reorder(buffer, here).execute(s, {{DNNL_ARG_FROM, buffer}, {DNNL_ARG_TO, here}});
    s.wait();
    EXPECT_EQ(static_cast<const float*>(here.get_data_handle())[59], 122.f);
}

TEST_F(Interop, ReordersCrossWithTheStreamOfEither) {
    const engine e = ocl_interop::make_engine(device, context);
    const memory::desc blocked({5, 12}, dt::f16, tag::AB16b16a);
    memory here(md, cpu), back(md, cpu);
    std::iota(static_cast<float*>(here.get_data_handle()), static_cast<float*>(here.get_data_handle()) + 60, 1.f);
    primitive_attr attr;
    attr.set_host_scale(DNNL_ARG_SRC, dt::f32);
    const memory half(memory::desc::host_scalar(dt::f32), 0.5f);
    for (const engine& there : {e, standard})
        for (const engine& first : {cpu, there})
            for (const engine& second : {cpu, there}) {
                const memory on_device(blocked, there);
                stream s(first), t(second);
                reorder(reorder::primitive_desc(cpu, md, there, blocked, attr))
                    .execute(
                        s,
                        {{DNNL_ARG_FROM, here}, {DNNL_ARG_TO, on_device}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, half}});
                s.wait();
                reorder(on_device, back).execute(t, {{DNNL_ARG_FROM, on_device}, {DNNL_ARG_TO, back}});
                t.wait();
                for (int i = 0; i < 60; ++i)
                    ASSERT_EQ(static_cast<const float*>(back.get_data_handle())[i], float(i + 1) / 2) << i;
            }
    // From one context to another, with a stream of either.
    for (const auto& [from, to] : {std::pair{e, standard}, {standard, e}})
        for (const engine& with : {from, to}) {
            const memory a = counted(from), b(md, to);
            stream s(with);
            reorder(a, b).execute(s, {{DNNL_ARG_FROM, a}, {DNNL_ARG_TO, b}});
            s.wait();
            EXPECT_EQ(values_of(b), values_of(a));
        }
    // No other primitive takes memory of both, and engines over two contexts are two.
    const memory there(md, e);
    stream s(e);
    EXPECT_TRUE(contains(refusal([&] { linear(e, 1, 0).execute(s, in_place(here)); }), "is a memory of CPU engine 0"));
    EXPECT_TRUE(contains(refusal([&] { linear(e, 1, 0).execute(s, in_place(memory(md, standard))); }),
                         "is a memory of GPU engine"));
    stream other(standard);
    EXPECT_TRUE(
        contains(refusal([&] { linear(e, 1, 0).execute(other, in_place(there)); }), "the stream is of another engine"));
}

// Executions of an out-of-order queue start when their events have ended, whatever the order of the calls.
TEST_F(Interop, EventsOrderExecutions) {
    auto* const make_event = function_of<decltype(clCreateUserEvent)>("clCreateUserEvent");
    auto* const end_event = function_of<decltype(clSetUserEventStatus)>("clSetUserEventStatus");
    auto* const info_of = function_of<decltype(clGetEventInfo)>("clGetEventInfo");
    const auto status = [&](cl_event event) {
        cl_int s = 0;
        EXPECT_EQ(info_of(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, nullptr), CL_SUCCESS);
        return s;
    };
    const engine e = ocl_interop::make_engine(device, context);
    for (const cl_command_queue_properties order : {cl_command_queue_properties(0), cl_command_queue_properties(1)}) {
        const cl_command_queue queue = make_queue(context, order); // 1: out of order
        const stream s = ocl_interop::make_stream(e, queue);
        const memory m = counted(e);
        cl_int error = CL_SUCCESS;
        const cl_event start = make_event(context, &error);
        ASSERT_EQ(error, CL_SUCCESS);
        const cl_event doubled = ocl_interop::execute(linear(e, 2, 0), s, in_place(m), {start});
        const cl_event raised = ocl_interop::execute(linear(e, 1, 3), s, in_place(m), {doubled});
        const cl_event last = ocl_interop::execute(linear(e, 10, 0), s, in_place(m), {raised, doubled, start});
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        for (const cl_event event : {doubled, raised, last}) EXPECT_NE(status(event), CL_COMPLETE) << order;
        ASSERT_EQ(end_event(start, CL_COMPLETE), CL_SUCCESS);
        ASSERT_EQ(cl.clWaitForEvents(1, &last), CL_SUCCESS);
        for (const cl_event event : {doubled, raised, last}) EXPECT_EQ(status(event), CL_COMPLETE) << order;
        EXPECT_EQ(values_of(m)[6], (7 * 2 + 3) * 10.f);
        for (const cl_event event : {doubled, raised, last}) cl.clReleaseEvent(event);
        function_of<decltype(clReleaseEvent)>("clReleaseEvent")(start); // as uncounted as its creation
        cl.clReleaseCommandQueue(queue);
    }
}

// A queue out of order may run any kernel at once that has nothing to wait for, which not every device does: so the
// lists of events are looked at.
TEST_F(Interop, KernelsOfAnExecutionFollowEachOtherOutOfOrder) {
    auto* const make_event = function_of<decltype(clCreateUserEvent)>("clCreateUserEvent");
    const engine e = ocl_interop::make_engine(device, context);
    const cl_command_queue queue = make_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    {
        const stream s = ocl_interop::make_stream(e, queue);
        const memory m = counted(e);
        const softmax_forward softmax(
            softmax_forward::primitive_desc(e, prop_kind::forward_inference, algorithm::softmax_accurate, md, md, 1));
        cl_int error = CL_SUCCESS;
        const cl_event start = make_event(context, &error);
        ASSERT_EQ(error, CL_SUCCESS);
        plan_fault({.function = "none"});
        const cl_event last = ocl_interop::execute(softmax, s, in_place(m), {start});
        end_of_fault();
        const auto kernels = queued();
        EXPECT_GT(kernels.size(), 1u);
        cl_event before = start;
        for (const Queued& kernel : kernels) {
            EXPECT_NE(std::ranges::find(kernel.after, before), kernel.after.end());
            before = kernel.made;
        }
        EXPECT_EQ(before, last);
        function_of<decltype(clSetUserEventStatus)>("clSetUserEventStatus")(start, CL_COMPLETE);
        EXPECT_EQ(cl.clWaitForEvents(1, &last), CL_SUCCESS);
        cl.clReleaseEvent(last);
        function_of<decltype(clReleaseEvent)>("clReleaseEvent")(start); // as uncounted as its creation
    }
    cl.clReleaseCommandQueue(queue);
}

// The library's own is not freed under a kernel that uses it.
TEST_F(Interop, SharedMemoryOutlivesItsKernels) {
    auto* const make_event = function_of<decltype(clCreateUserEvent)>("clCreateUserEvent");
    auto* const end_event = function_of<decltype(clSetUserEventStatus)>("clSetUserEventStatus");
    const engine e = ocl_interop::make_engine(device, context);
    for (const bool with_stream : {true, false}) {
        memory m;
        const std::string without = refusal([&] { m = counted(e, memory_kind::usm); });
        if (without != "accepted") GTEST_SKIP() << without;
        stream s(e);
        cl_int error = CL_SUCCESS;
        const cl_event start = make_event(context, &error);
        ASSERT_EQ(error, CL_SUCCESS);
        cl.clReleaseEvent(ocl_interop::execute(linear(e, 2, 0), s, in_place(m), {start}));
        std::atomic<bool> started = false;
        std::thread starter([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            started = true;
            end_event(start, CL_COMPLETE);
        });
        if (!with_stream) s = stream(cpu);
        m = memory();
        EXPECT_TRUE(started) << "freed before its kernel has begun";
        starter.join();
        function_of<decltype(clReleaseEvent)>("clReleaseEvent")(start);
    }
}

// Also where nothing runs on the device: empty tensors, and reorders to the host.
TEST_F(Interop, EveryExecutionHasAnEvent) {
    const engine e = ocl_interop::make_engine(device, context);
    stream s(e);
    const memory::desc empty({0, 12}, dt::f32, tag::ab);
    const memory nothing(empty, e), there = counted(e), here(md, cpu);
    const eltwise_forward on_nothing(eltwise_forward::primitive_desc(
        e, prop_kind::forward_inference, algorithm::eltwise_linear, empty, empty, 1.f, 1.f));
    cl_event event = ocl_interop::execute(on_nothing, s, in_place(nothing));
    ASSERT_NE(event, nullptr);
    const cl_event copied =
        ocl_interop::execute(reorder(there, here), s, {{DNNL_ARG_FROM, there}, {DNNL_ARG_TO, here}}, {event});
    ASSERT_NE(copied, nullptr);
    EXPECT_EQ(cl.clWaitForEvents(1, &copied), CL_SUCCESS);
    EXPECT_EQ(static_cast<const float*>(here.get_data_handle())[59], 60.f);
    cl.clReleaseEvent(event), cl.clReleaseEvent(copied);
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::execute(linear(e, 1, 0), s, in_place(there), {nullptr}); }),
                         "deps[0] is null"));
    dnnl_exec_arg_t arg{};
    const primitive p = linear(e, 1, 0);
    EXPECT_EQ(dnnl_ocl_interop_primitive_execute(p.get(), s.get(), 0, &arg, nullptr, -1, &event),
              dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_ocl_interop_primitive_execute(p.get(), s.get(), 0, &arg, nullptr, 1, &event),
              dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_ocl_interop_primitive_execute(p.get(), s.get(), -1, &arg, nullptr, 0, &event),
              dnnl_invalid_arguments);
}

TEST_F(Interop, StreamsWithTimesHaveOneForEachExecution) {
    const auto profiling = stream::flags(unsigned(stream::flags::in_order) | unsigned(stream::flags::profiling));
    for (const engine& e : {standard, ocl_interop::make_engine(device, context)}) {
        stream s(e, profiling);
        const memory m = counted(e);
        EXPECT_TRUE(get_profiling_data(s, profiling_data_kind::time).empty());
        for (int i = 0; i < 3; ++i) linear(e, 1, 1).execute(s, in_place(m));
        const auto times = get_profiling_data(s, profiling_data_kind::time);
        ASSERT_EQ(times.size(), 3u);
        for (const uint64_t t : times) EXPECT_TRUE(t > 0 && t < 10'000'000'000u) << t;
        reset_profiling(s);
        EXPECT_TRUE(get_profiling_data(s, profiling_data_kind::time).empty());
        linear(e, 1, 1).execute(s, in_place(m));
        EXPECT_EQ(get_profiling_data(s, profiling_data_kind::time).size(), 1u);
        // Of several kernels, all of them.
        const memory rows = counted(e);
        const softmax_forward softmax({e, prop_kind::forward_inference, algorithm::softmax_accurate, md, md, 1});
        reset_profiling(s);
        for (int i = 0; i < 2; ++i) softmax.execute(s, in_place(rows));
        EXPECT_EQ(get_profiling_data(s, profiling_data_kind::time).size(), 2u);
        reset_profiling(s);
        linear(e, 1, 0).execute(s, in_place(m));
        uint64_t time = 0;
        int none = 0;
        EXPECT_EQ(dnnl_query_profiling_data(s.get(), dnnl_profiling_data_kind_time, &none, &time),
                  dnnl_invalid_arguments);
        EXPECT_EQ(values_of(m)[0], 5.f);
        stream plain(e);
        EXPECT_TRUE(contains(refusal([&] { reset_profiling(plain); }), "without stream::flags::profiling"));
    }
    EXPECT_TRUE(contains(refusal([&] { stream(standard, stream::flags(unsigned(stream::flags::out_of_order) | 4)); }),
                         "needs in_order"));
}

TEST_F(Interop, KernelsAreKeptAsBytes) {
    setenv("TESSERA_OPENCL_CACHE", "off", 1);
    std::vector<uint8_t> of_engine, of_primitive;
    {
        const engine e = ocl_interop::make_engine(device, context);
        const primitive p = linear(e, 2, 5);
        of_engine = ocl_interop::get_engine_cache_blob(e);
        of_primitive = p.get_cache_blob();
        EXPECT_EQ(ocl_interop::get_engine_cache_blob_id(device), ocl_interop::get_engine_cache_blob_id(device));
        EXPECT_FALSE(ocl_interop::get_engine_cache_blob_id(device).empty());
    }
    const auto compiles = [] {
        const auto all = calls();
        return all.contains("clCreateProgramWithSource") ? all.at("clCreateProgramWithSource") : 0;
    };
    const auto works = [&](const engine& e, const primitive& p) {
        stream s(e);
        const memory m = counted(e);
        p.execute(s, in_place(m));
        s.wait();
        return values_of(m)[3] == 13.f;
    };
    plan_fault({.function = "none"});
    {
        const engine e = ocl_interop::make_engine(device, context, of_engine);
        EXPECT_TRUE(works(e, linear(e, 2, 5)));
        EXPECT_EQ(compiles(), 0);
    }
    {
        const engine e = ocl_interop::make_engine(device, context);
        const eltwise_forward::primitive_desc pd(e, prop_kind::forward_inference, algorithm::eltwise_linear, md, md,
                                                 2.f, 5.f);
        EXPECT_TRUE(works(e, eltwise_forward(pd, of_primitive)));
    }
    end_of_fault();
    {
        const engine e = ocl_interop::make_engine(device, context);
        (void)linear(e, 2, 5);
    }
    EXPECT_TRUE(contains(refusal([&] { linear(cpu, 1, 1).get_cache_blob(); }), "CPU")); // refused by the other engine
    // Damage is noticed, wherever it is.
    for (const size_t step : {size_t(1), of_engine.size() / 97})
        for (size_t at = 0; at < std::min(of_engine.size(), step * 97); at += step) {
            auto damaged = of_engine;
            damaged[at] ^= 0x20;
            ASSERT_NE(refusal([&] { ocl_interop::make_engine(device, context, damaged); }), "accepted") << at;
            damaged.assign(of_engine.begin(), of_engine.begin() + long(at));
            ASSERT_NE(refusal([&] { ocl_interop::make_engine(device, context, damaged); }), "accepted") << at;
        }
    std::vector<uint8_t> longer = of_engine;
    longer.push_back(0);
    EXPECT_NE(refusal([&] { ocl_interop::make_engine(device, context, longer); }), "accepted");
}

TEST_F(Interop, OtherEnginesAreRefused) {
    const memory here(md, cpu);
    memory other(md, cpu);
    const stream s(cpu);
    cl_event event = nullptr;
    dnnl_exec_arg_t arg{};
    const char* words = "the engine is not of OpenCL";
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::get_context(cpu); }), words));
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::get_device(cpu); }), words));
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::get_engine_cache_blob(cpu); }), words));
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::get_command_queue(s); }), words));
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::get_mem_object(here); }), words));
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::set_mem_object(other, nullptr); }), words));
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::get_memory_kind(here); }), words));
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::make_memory(md, cpu, memory_kind::buffer); }), words));
    EXPECT_EQ(dnnl_ocl_interop_primitive_execute(linear(cpu, 1, 0).get(), s.get(), 0, &arg, nullptr, 0, &event),
              dnnl_invalid_arguments);
    const cl_command_queue queue = make_queue(context);
    EXPECT_TRUE(contains(refusal([&] { ocl_interop::make_stream(cpu, queue); }), words));
    cl.clReleaseCommandQueue(queue);
    dnnl_memory_t made = nullptr;
    EXPECT_EQ(dnnl_ocl_interop_memory_create(&made, md.get(), standard.get(), dnnl_ocl_interop_memory_kind_t(7),
                                             DNNL_MEMORY_ALLOCATE),
              dnnl_invalid_arguments);
}

} // namespace tessera::test
