// dnnl_ocl.hpp: engines, streams and memory over objects of OpenCL and back; events; unified shared memory; times of
// executions; cache blobs. covers: IOP-02 IOP-04 IOP-05 ENG-02 STR-01 STR-02 STR-03 STR-04 CCH-03 OBJ-01 OBJ-03
#define DNNL_EXPERIMENTAL_PROFILING
#include "opencl_calls.hpp" // before others include CL/cl.h

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl_ocl.hpp"

using namespace dnnl;
using namespace tessera::test;

namespace {

using dt = memory::data_type;
using tag = memory::format_tag;

template <typename F> std::string refusal(F f) {
    try {
        f();
    } catch (const error& e) { return e.what(); }
    return "accepted";
}
void expect_words(const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
}

class Interop : public testing::Test {
protected:
    void SetUp() override {
        if (engine::get_count(engine::kind::gpu) == 0) GTEST_SKIP() << "no device of OpenCL";
        device = ocl_interop::get_device(engine(engine::kind::gpu, 0));
        context = make_context(device);
        gpu = ocl_interop::make_engine(device, context.get());
        ordered = stream(gpu);
    }
    memory filled(float first) { // on the device
        memory m(md, gpu);
        float* const values = m.map_data<float>();
        std::iota(values, values + count, first);
        m.unmap_data(values);
        return m;
    }
    static std::vector<float> values_of(const memory& m) {
        float* const mapped = m.map_data<float>();
        std::vector<float> values(mapped, mapped + count);
        m.unmap_data(mapped);
        return values;
    }
    static std::vector<float> counted(float first) {
        std::vector<float> values(count);
        std::iota(values.begin(), values.end(), first);
        return values;
    }
    primitive plus(float x) const { // dst = src + x
        return eltwise_forward({gpu, prop_kind::forward_inference, algorithm::eltwise_linear, md, md, 1.f, x});
    }

    static constexpr int count = 1000;
    const memory::desc md{{count}, dt::f32, tag::a};
    cl_device_id device = nullptr;
    Kept<cl_context> context;
    engine gpu, cpu{engine::kind::cpu, 0};
    stream ordered;
};

} // namespace

TEST_F(Interop, engines_are_those_of_their_device_and_context) {
    EXPECT_EQ(ocl_interop::get_device(gpu), device);
    EXPECT_EQ(ocl_interop::get_context(gpu), context.get());
    EXPECT_EQ(ocl_interop::make_engine(device, context.get()).get(), gpu.get());
    const auto other = make_context(device);
    const engine of_other = ocl_interop::make_engine(device, other.get());
    EXPECT_NE(of_other.get(), gpu.get());
    expect_words(refusal([&] {
                     ordered = stream(gpu),
                     plus(1).execute(ordered, {{DNNL_ARG_SRC, memory(md, of_other)}, {DNNL_ARG_DST, filled(0)}});
                 }),
                 "a reorder moves it there");
    expect_words(refusal([&] { ocl_interop::get_context(cpu); }), "not of OpenCL");
    expect_words(refusal([&] { ocl_interop::make_engine(nullptr, context.get()); }), "device is null");
}

TEST_F(Interop, a_context_goes_with_the_last_object_of_its_engine) {
    const auto other = make_context(device);
    const cl_uint before = users(other.get());
    {
        memory kept;
        {
            const engine e = ocl_interop::make_engine(device, other.get());
            stream s(e);
            eltwise_forward p({e, prop_kind::forward_inference, algorithm::eltwise_relu, md, md});
            kept = memory(md, e);
            p.execute(s, {{DNNL_ARG_SRC, kept}, {DNNL_ARG_DST, kept}});
            s.wait();
        }
        EXPECT_GT(users(other.get()), before);
        EXPECT_EQ(ocl_interop::get_context(kept.get_engine()), other.get());
    }
    EXPECT_EQ(users(other.get()), before);
}

TEST_F(Interop, streams_are_over_queues) {
    const auto queue = make_queue(context.get(), device);
    stream s = ocl_interop::make_stream(gpu, queue.get());
    EXPECT_EQ(ocl_interop::get_command_queue(s), queue.get());
    const memory m = filled(1);
    plus(2).execute(s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    CL(clFinish)(queue.get());
    EXPECT_EQ(values_of(m), counted(3));

    const auto other = make_context(device);
    const auto of_other = make_queue(other.get(), device);
    expect_words(refusal([&] { ocl_interop::make_stream(gpu, of_other.get()); }), "of another context");
    expect_words(refusal([&] { ocl_interop::make_stream(cpu, queue.get()); }), "not of OpenCL");
    expect_words(refusal([&] { ocl_interop::get_command_queue(stream(cpu)); }), "not of OpenCL");
}

TEST_F(Interop, memory_is_a_buffer) {
    const auto buffer = make_buffer(context.get(), count * 4);
    memory m = ocl_interop::make_memory(md, gpu, buffer.get());
    EXPECT_EQ(ocl_interop::get_memory_kind(m), ocl_interop::memory_kind::buffer);
    EXPECT_EQ(ocl_interop::get_mem_object(m), buffer.get());
    EXPECT_EQ(m.get_data_handle(), buffer.get());
    const memory from = filled(5);
    plus(0).execute(ordered, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, m}});
    ordered.wait();
    EXPECT_EQ(values_of(m), counted(5));

    ocl_interop::set_mem_object(m, ocl_interop::get_mem_object(from));
    EXPECT_EQ(m.get_data_handle(), from.get_data_handle());
    EXPECT_EQ(ocl_interop::get_mem_object(memory(md, gpu)) == nullptr, false);
    EXPECT_EQ(ocl_interop::get_mem_object(memory(md, gpu, DNNL_MEMORY_NONE)), nullptr);

    const auto small = make_buffer(context.get(), count * 4 - 4),
               other_context = make_buffer(make_context(device).get(), 4000);
    expect_words(refusal([&] { ocl_interop::make_memory(md, gpu, small.get()); }), "3996 bytes; the tensor has 4000");
    expect_words(refusal([&] { m.set_data_handle(small.get()); }), "3996 bytes; the tensor has 4000");
    EXPECT_EQ(m.get_data_handle(), from.get_data_handle()) << "a refused handle changes nothing";
    expect_words(refusal([&] { ocl_interop::make_memory(md, gpu, other_context.get()); }), "another context");
    expect_words(refusal([&] { ocl_interop::make_memory(md, cpu, buffer.get()); }), "not of OpenCL");
    expect_words(refusal([&] { ocl_interop::make_memory(md, gpu, ocl_interop::memory_kind(7)); }), "memory_kind 7");
}

TEST_F(Interop, a_view_needs_no_more_than_it_reaches) {
    const memory::desc whole({8, 8}, dt::f32, tag::ab);
    const memory::desc corner = whole.submemory_desc({4, 4}, {4, 4});
    const auto buffer = make_buffer(context.get(), 8 * 8 * 4);
    const memory m = ocl_interop::make_memory(corner, gpu, buffer.get());
    float* const mapped = m.map_data<float>();
    mapped[63] = 7;
    m.unmap_data(mapped);
    const memory all = ocl_interop::make_memory(whole, gpu, buffer.get());
    float* const seen = all.map_data<float>();
    EXPECT_EQ(seen[63], 7);
    all.unmap_data(seen);
}

TEST_F(Interop, memory_is_unified_and_shared) {
    const auto make = [&] { return ocl_interop::make_memory(md, gpu, ocl_interop::memory_kind::usm); };
    if (const std::string why = refusal(make); why != "accepted") {
        expect_words(why, "no unified shared memory");
        GTEST_SKIP() << why;
    }
    memory a = make();
    const memory b = make(), there = filled(9);
    EXPECT_EQ(ocl_interop::get_memory_kind(a), ocl_interop::memory_kind::usm);
    expect_words(refusal([&] { ocl_interop::get_mem_object(a); }), "no cl_mem");
    plus(1).execute(ordered, {{DNNL_ARG_SRC, there}, {DNNL_ARG_DST, a}}); // both kinds in one execution
    plus(1).execute(ordered, {{DNNL_ARG_SRC, a}, {DNNL_ARG_DST, b}});
    ordered.wait();
    EXPECT_EQ(values_of(b), counted(11));
    // In the middle of an allocation, as views of other libraries are.
    void* const inside = static_cast<char*>(a.get_data_handle()) + 400;
    const memory::desc rest({count - 100}, dt::f32, tag::a);
    const memory part = ocl_interop::make_memory(rest, gpu, ocl_interop::memory_kind::usm, inside);
    EXPECT_EQ(part.map_data<float>()[0], 110);
    // To the CPU engine and back.
    memory host(md, cpu);
    reorder(b, host).execute(ordered, {{DNNL_ARG_FROM, b}, {DNNL_ARG_TO, host}});
    ordered.wait();
    EXPECT_EQ(values_of(host), counted(11));
    reorder(host, a).execute(ordered, {{DNNL_ARG_FROM, host}, {DNNL_ARG_TO, a}});
    ordered.wait();
    EXPECT_EQ(values_of(a), counted(11));
    a.set_data_handle(b.get_data_handle());
    EXPECT_EQ(a.get_data_handle(), b.get_data_handle());
}

TEST_F(Interop, an_execution_waits_for_events_and_has_one) {
    for (const bool unordered : {false, true}) {
        SCOPED_TRACE(unordered ? "out of order" : "in order");
        const auto queue = make_queue(context.get(), device, unordered ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        const stream s = ocl_interop::make_stream(gpu, queue.get());
        const auto gate = make_event(context.get());
        const memory a = filled(0), b = filled(0), c = filled(0);
        cl_event first = ocl_interop::execute(plus(1), s, {{DNNL_ARG_SRC, a}, {DNNL_ARG_DST, b}}, {gate.get()});
        cl_event second = ocl_interop::execute(plus(2), s, {{DNNL_ARG_SRC, b}, {DNNL_ARG_DST, c}}, {first});
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_NE(state(second), CL_COMPLETE) << "the gate is closed";
        CL(clSetUserEventStatus)(gate.get(), CL_COMPLETE);
        CL(clWaitForEvents)(1, &second);
        EXPECT_EQ(state(first), CL_COMPLETE);
        EXPECT_EQ(values_of(c), counted(3));
        CL(clReleaseEvent)(first);
        CL(clReleaseEvent)(second);
    }
}

TEST_F(Interop, steps_of_a_plan_keep_their_order_out_of_order) {
    const stream s(gpu, stream::flags::out_of_order);
    const memory::desc a({64, 96}, dt::f32, tag::ab), w({96, 40}, dt::f32, tag::ba), d({64, 40}, dt::f32, tag::ab);
    matmul::primitive_desc pd(gpu, a, w, d);
    memory src(a, gpu), weights(w, gpu), dst(d, gpu);
    for (const memory& m : {src, weights}) {
        float* const values = m.map_data<float>();
        for (size_t i = 0; i < m.get_desc().get_size() / 4; ++i) values[i] = float(i % 7) - 3;
        m.unmap_data(values);
    }
    cl_event done =
        ocl_interop::execute(matmul(pd), s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    CL(clWaitForEvents)(1, &done);
    CL(clReleaseEvent)(done);
    const float* const x = src.map_data<float>();
    const float* const y = weights.map_data<float>();
    const float* const z = dst.map_data<float>();
    for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 40; ++j) {
            float sum = 0;
            for (int k = 0; k < 96; ++k) sum += x[i * 96 + k] * y[j * 96 + k];
            ASSERT_EQ(z[i * 40 + j], sum);
        }
}

TEST_F(Interop, an_execution_of_nothing_has_an_event) {
    const memory::desc empty({0, 4}, dt::f32, tag::ab);
    const memory m(empty, gpu);
    const eltwise_forward relu({gpu, prop_kind::forward_inference, algorithm::eltwise_relu, empty, empty});
    const auto gate = make_event(context.get());
    cl_event done = ocl_interop::execute(relu, ordered, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}}, {gate.get()});
    ASSERT_NE(done, nullptr);
    EXPECT_NE(state(done), CL_COMPLETE);
    CL(clSetUserEventStatus)(gate.get(), CL_COMPLETE);
    EXPECT_EQ(CL(clWaitForEvents)(1, &done), CL_SUCCESS);
    CL(clReleaseEvent)(done);
}

TEST_F(Interop, refuses_arguments_of_executions) {
    const memory m = filled(0);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, m.get()}, {DNNL_ARG_DST, m.get()}};
    const primitive p = plus(1);
    const cl_event none = nullptr;
    const auto execute = [&](const stream& s, const cl_event* deps, int ndeps) {
        return dnnl_ocl_interop_primitive_execute(p.get(), s.get(), 2, args, deps, ndeps, nullptr);
    };
    EXPECT_EQ(execute(ordered, nullptr, 0), dnnl_success);
    EXPECT_EQ(execute(ordered, nullptr, 1), dnnl_invalid_arguments);
    EXPECT_EQ(execute(ordered, &none, 1), dnnl_invalid_arguments);
    EXPECT_EQ(execute(ordered, &none, -1), dnnl_invalid_arguments);
    EXPECT_EQ(execute(stream(cpu), nullptr, 0), dnnl_invalid_arguments);
    ordered.wait();
}

TEST_F(Interop, reorders_run_where_there_is_less_to_move) {
    const memory::desc wide({count}, dt::f32, tag::a), narrow({count}, dt::bf16, tag::a);
    const auto name = [](const engine& from, const memory::desc& src, const engine& to, const memory::desc& dst) {
        return std::string(reorder::primitive_desc(from, src, to, dst).impl_info_str());
    };
    EXPECT_NE(name(cpu, wide, gpu, narrow), "opencl");
    EXPECT_EQ(name(cpu, narrow, gpu, wide), "opencl");
    EXPECT_EQ(name(gpu, wide, cpu, narrow), "opencl");
    EXPECT_NE(name(gpu, narrow, cpu, wide), "opencl");
    EXPECT_EQ(name(gpu, wide, cpu, wide), "opencl");
    EXPECT_EQ(name(cpu, wide, gpu, wide), "opencl");
}

TEST_F(Interop, reorders_between_engines_take_either_stream) {
    const auto other_context = make_context(device);
    const engine other = ocl_interop::make_engine(device, other_context.get());
    const engine all[] = {cpu, gpu, other};
    for (const engine& from : all)
        for (const engine& to : all)
            for (const engine& of_stream : {from, to})
                for (const dt type : {dt::f32, dt::f16, dt::f64})
                    for (const bool widens : {false, true}) {
                        const memory::desc half({count}, type == dt::f64 ? dt::f32 : type, tag::a);
                        const memory::desc full({count}, type == dt::f64 ? dt::f64 : dt::f32, tag::a);
                        // Values that f16 has.
                        memory host(memory::desc({count}, dt::f32, tag::a), cpu), back(host.get_desc(), cpu);
                        for (int i = 0; i < count; ++i) static_cast<float*>(host.get_data_handle())[i] = float(i);
                        memory src(widens ? half : full, from), dst(widens ? full : half, to);
                        stream s(of_stream), host_stream(cpu), end(to);
                        const auto move = [](memory& x, memory& y, stream& on) {
                            reorder(x, y).execute(on, {{DNNL_ARG_FROM, x}, {DNNL_ARG_TO, y}});
                            on.wait();
                        };
                        stream start(from);
                        move(host, src, start);
                        move(src, dst, s);
                        move(dst, back, end);
                        ASSERT_EQ(std::memcmp(host.get_data_handle(), back.get_data_handle(), 4 * count), 0);
                    }
    const stream third(other);
    const memory a(md, cpu), b(md, gpu);
    expect_words(refusal([&] {
                     reorder(a, b).execute(third, {{DNNL_ARG_FROM, a}, {DNNL_ARG_TO, b}});
                 }),
                 "the stream is of another engine");
}

TEST_F(Interop, a_stream_counts_nanoseconds) {
    stream s(gpu, stream::flags::in_order | stream::flags::profiling);
    const memory m = filled(0);
    for (int i = 0; i < 3; ++i) plus(1).execute(s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    const std::vector<uint64_t> times = get_profiling_data(s, profiling_data_kind::time);
    ASSERT_EQ(times.size(), 3u);
    for (const uint64_t t : times) EXPECT_TRUE(t > 0 && t < 1000000000u) << t;
    reset_profiling(s);
    EXPECT_EQ(get_profiling_data(s, profiling_data_kind::time).size(), 0u);
    int room = 0;
    uint64_t value = 0;
    plus(1).execute(s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    EXPECT_EQ(dnnl_query_profiling_data(s.get(), dnnl_profiling_data_kind_time, &room, &value), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_query_profiling_data(s.get(), dnnl_profiling_data_kind_undef, &room, nullptr),
              dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_query_profiling_data(s.get(), dnnl_profiling_data_kind_time, nullptr, nullptr),
              dnnl_invalid_arguments);
    expect_words(refusal([&] { reset_profiling(ordered); }), "dnnl_stream_profiling");
    expect_words(refusal([&] { stream(gpu, stream::flags::out_of_order | stream::flags::profiling); }), "in_order");
    const auto queue = make_queue(context.get(), device, CL_QUEUE_PROFILING_ENABLE);
    stream over = ocl_interop::make_stream(gpu, queue.get());
    plus(1).execute(over, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    EXPECT_EQ(get_profiling_data(over, profiling_data_kind::time).size(), 1u);
}

// ---- blobs

TEST_F(Interop, an_engine_comes_back_from_its_blob) {
    const memory m = filled(1);
    plus(4).execute(ordered, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    ordered.wait();
    const std::vector<uint8_t> blob = ocl_interop::get_engine_cache_blob(gpu);
    EXPECT_GT(blob.size(), 1000u);
    EXPECT_EQ(ocl_interop::get_engine_cache_blob_id(device), ocl_interop::get_engine_cache_blob_id(device));
    const auto other = make_context(device);
    {
        const engine again = ocl_interop::make_engine(device, other.get(), blob);
        stream s(again);
        const eltwise_forward p({again, prop_kind::forward_inference, algorithm::eltwise_linear, md, md, 1.f, 4.f});
        const memory there(md, again);
        p.execute(s, {{DNNL_ARG_SRC, there}, {DNNL_ARG_DST, there}});
        s.wait();
        EXPECT_EQ(ocl_interop::get_engine_cache_blob(again).size(), blob.size());
    }
    const cl_uint before = users(other.get());
    for (size_t i = 0; i < blob.size(); i += 1 + blob.size() / 500) {
        std::vector<uint8_t> forged = blob;
        forged[i] ^= 0x20;
        ASSERT_NE(refusal([&] { ocl_interop::make_engine(device, other.get(), forged); }), "accepted") << i;
        forged.resize(i);
        ASSERT_NE(refusal([&] { ocl_interop::make_engine(device, other.get(), forged); }), "accepted") << i;
    }
    EXPECT_EQ(users(other.get()), before);
    size_t size = blob.size() - 1;
    std::vector<uint8_t> room(size);
    EXPECT_EQ(dnnl_ocl_interop_engine_get_cache_blob(gpu.get(), &size, room.data()), dnnl_invalid_arguments);
}

TEST_F(Interop, a_primitive_comes_back_from_its_blob) {
    const eltwise_forward::primitive_desc pd(gpu, prop_kind::forward_inference, algorithm::eltwise_tanh, md, md);
    const eltwise_forward::primitive_desc other(gpu, prop_kind::forward_inference, algorithm::eltwise_exp, md, md);
    EXPECT_FALSE(pd.get_cache_blob_id().empty());
    EXPECT_NE(pd.get_cache_blob_id(), other.get_cache_blob_id());
    const std::vector<uint8_t> blob = eltwise_forward(pd).get_cache_blob();
    const eltwise_forward again(pd, blob);
    const memory m = filled(0), want = filled(0);
    again.execute(ordered, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    eltwise_forward(pd).execute(ordered, {{DNNL_ARG_SRC, want}, {DNNL_ARG_DST, want}});
    ordered.wait();
    EXPECT_EQ(values_of(m), values_of(want));
    std::vector<uint8_t> forged = blob;
    forged[blob.size() / 2] ^= 1;
    EXPECT_NE(refusal([&] { eltwise_forward(pd, forged); }), "accepted");
}

TEST_F(Interop, kernels_on_disk_that_are_damaged_are_compiled_anew) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("tessera_kernels_" + std::to_string(getpid()));
    setenv("TESSERA_OPENCL_CACHE", folder.c_str(), 1); // read when an engine is made
    const auto run = [&] {
        const auto fresh = make_context(device);
        const engine e = ocl_interop::make_engine(device, fresh.get());
        stream s(e);
        memory m(md, e);
        float* const values = m.map_data<float>();
        std::iota(values, values + count, 0.f);
        m.unmap_data(values);
        const eltwise_forward p({e, prop_kind::forward_inference, algorithm::eltwise_linear, md, md, 1.f, 8.f});
        p.execute(s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
        s.wait();
        EXPECT_EQ(values_of(m), counted(8));
    };
    run();
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(folder)) files.push_back(file.path());
    ASSERT_EQ(files.size(), 1u);
    const auto size = fs::file_size(files[0]);
    run();
    for (const uintmax_t left : {uintmax_t(0), uintmax_t(11), size / 2, size - 1}) {
        fs::resize_file(files[0], left);
        run();
        EXPECT_GE(fs::file_size(files[0]), size) << "kept again"; // PoCL adds work-group sizes
    }
    {
        std::fstream file(files[0], std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(std::streamoff(size / 2));
        file.put('!');
    }
    run();
    unsetenv("TESSERA_OPENCL_CACHE");
    fs::remove_all(folder);
}
