// SPDX-License-Identifier: Apache-2.0
// The C calls of SYCL with what they cannot take: each refuses with a sentence and changes nothing. covers: IOP-01
#include "fixture.hpp"

using namespace on_sycl_tests;

namespace {

class Hostile : public Sycl {
protected:
    const memory::desc md = floats({8}, tag::a);
    std::string text() const { return dnnl_tessera_last_error(); }
};

} // namespace

TEST_F(Hostile, nulls_are_named) {
    dnnl_engine_t e = nullptr;
    dnnl_stream_t made = nullptr;
    dnnl_memory_t m = nullptr;
    void* out = nullptr;
    dnnl_sycl_interop_memory_kind_t kind{};
    const auto refuses = [&](dnnl_status_t status, const char* what) {
        EXPECT_EQ(status, dnnl_invalid_arguments) << what;
        EXPECT_TRUE(contains(text(), std::string(what) + " is null")) << text();
    };
    refuses(dnnl_sycl_interop_engine_create(nullptr, &device, &context), "engine");
    refuses(dnnl_sycl_interop_engine_create(&e, nullptr, &context), "device");
    refuses(dnnl_sycl_interop_engine_create(&e, &device, nullptr), "context");
    refuses(dnnl_sycl_interop_engine_get_context(nullptr, &out), "engine");
    refuses(dnnl_sycl_interop_engine_get_context(on_sycl.get(), nullptr), "context");
    refuses(dnnl_sycl_interop_engine_get_device(nullptr, &out), "engine");
    refuses(dnnl_sycl_interop_engine_get_device(on_sycl.get(), nullptr), "device");
    refuses(dnnl_sycl_interop_stream_create(nullptr, on_sycl.get(), &in_order), "stream");
    refuses(dnnl_sycl_interop_stream_create(&made, nullptr, &in_order), "engine");
    refuses(dnnl_sycl_interop_stream_create(&made, on_sycl.get(), nullptr), "queue");
    refuses(dnnl_sycl_interop_stream_get_queue(nullptr, &out), "stream");
    refuses(dnnl_sycl_interop_stream_get_queue(s.get(), nullptr), "queue");
    refuses(dnnl_sycl_interop_memory_create(nullptr, md.get(), on_sycl.get(), dnnl_sycl_interop_usm, nullptr),
            "memory");
    refuses(dnnl_sycl_interop_memory_create(&m, nullptr, on_sycl.get(), dnnl_sycl_interop_usm, nullptr), "memory_desc");
    refuses(dnnl_sycl_interop_memory_create(&m, md.get(), nullptr, dnnl_sycl_interop_usm, nullptr), "engine");
    refuses(dnnl_sycl_interop_memory_create_v2(&m, md.get(), on_sycl.get(), dnnl_sycl_interop_usm, 1, nullptr),
            "handles");
    refuses(dnnl_sycl_interop_memory_get_memory_kind(nullptr, &kind), "memory");
    refuses(dnnl_sycl_interop_memory_get_memory_kind(memory(md, on_sycl).get(), nullptr), "memory_kind");
    refuses(dnnl_sycl_interop_memory_set_buffer(nullptr, &out), "memory");
    refuses(dnnl_sycl_interop_memory_set_buffer(memory(md, on_sycl).get(), nullptr), "buffer");
    refuses(dnnl_sycl_interop_primitive_execute(nullptr, s.get(), 0, nullptr, nullptr, nullptr), "primitive");
    const primitive p = linear(md, 1, 0)(on_sycl);
    refuses(dnnl_sycl_interop_primitive_execute(p.get(), nullptr, 0, nullptr, nullptr, nullptr), "stream");
    refuses(dnnl_sycl_interop_primitive_execute(p.get(), s.get(), 1, nullptr, nullptr, nullptr), "args");
    EXPECT_EQ(e, nullptr);
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(m, nullptr);
}

TEST_F(Hostile, kinds_and_counts_that_there_are_not) {
    dnnl_memory_t m = nullptr;
    const auto unknown = static_cast<dnnl_sycl_interop_memory_kind_t>(2);
    EXPECT_EQ(dnnl_sycl_interop_memory_create(&m, md.get(), on_sycl.get(), unknown, DNNL_MEMORY_ALLOCATE),
              dnnl_invalid_arguments);
    EXPECT_TRUE(contains(text(), "memory_kind 2 is neither dnnl_sycl_interop_usm (0)")) << text();
    void* handles[] = {DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE};
    for (const int count : {-1, 0, 2}) {
        EXPECT_EQ(
            dnnl_sycl_interop_memory_create_v2(&m, md.get(), on_sycl.get(), dnnl_sycl_interop_usm, count, handles),
            dnnl_invalid_arguments);
        EXPECT_TRUE(contains(text(), std::to_string(count))) << text();
    }
    EXPECT_EQ(m, nullptr);
}

TEST_F(Hostile, memory_of_the_cpu_engine_and_host_scalars_have_nothing_of_sycl) {
    const memory of_cpu(md, cpu), scalar(memory::desc::host_scalar(dt::f32), 1.f);
    sycl::buffer<float> b(sycl::range<1>(8));
    for (const memory& m : {of_cpu, scalar}) {
        memory copy = m;
        EXPECT_NE(refusal([&] { interop::get_memory_kind(m); }), "accepted");
        EXPECT_NE(refusal([&] { interop::set_buffer(copy, b); }), "accepted");
    }
    EXPECT_TRUE(contains(refusal([&] { interop::make_memory(md, cpu, memory_kind::usm); }), "not of SYCL"));
    EXPECT_TRUE(contains(refusal([&] { interop::make_memory(md, cpu, b); }), "not of SYCL"));
    const primitive p = linear(md, 1, 0)(cpu);
    EXPECT_TRUE(contains(refusal([&] {
                             interop::execute(p, on_cpu, {{DNNL_ARG_SRC, of_cpu}, {DNNL_ARG_DST, of_cpu}});
                         }),
                         "not of SYCL"));
}

TEST_F(Hostile, a_refused_execution_leaves_the_event_alone) {
    const primitive p = linear(md, 1, 0)(on_sycl);
    sycl::event before = out_of_order.submit([](sycl::handler&h) { h.host_task([] {}); }), event = before;
    EXPECT_EQ(dnnl_sycl_interop_primitive_execute(p.get(), s.get(), 0, nullptr, nullptr, &event),
              dnnl_invalid_arguments);
    EXPECT_EQ(event, before);
}

TEST_F(Hostile, engines_and_contexts_come_and_go) {
    for (int i = 0; i < 20; ++i) {
        const engine e = interop::make_engine(device, sycl::context(device));
        const memory m(md, e), in_buffer = interop::make_memory(md, e, memory_kind::buffer);
        stream on_e(e);
        linear(md, 2, 0)(e).execute(on_e, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, in_buffer}});
        if (i % 2) on_e.wait();
    }
}

TEST_F(Hostile, a_task_of_the_callers_that_throws_stops_nothing) {
    sycl::queue listening(context, device, [](const sycl::exception_list&) {});
    listening.submit([](sycl::handler& h) { h.host_task([] { throw std::runtime_error("the caller's"); }); });
    const memory m = filled(md, memory_kind::usm, numbers(8));
    stream on_queue = interop::make_stream(on_sycl, listening);
    linear(md, 2, 0)(on_sycl).execute(on_queue, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    EXPECT_EQ(refusal([&] { on_queue.wait(); }), "accepted");
    EXPECT_EQ(contents(m)[1], 2 * numbers(8)[1]);
}
