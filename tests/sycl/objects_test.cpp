// SPDX-License-Identifier: Apache-2.0
// Engines, streams and memories of SYCL objects, and the objects they give back. covers: IOP-01 IOP-04 OBJ-01 OBJ-04
// THR-01
#include "fixture.hpp"

using namespace on_sycl_tests;

// ---- engines

TEST_F(Sycl, an_engine_gives_back_its_device_and_context) {
    EXPECT_EQ(interop::get_device(on_sycl), device);
    EXPECT_EQ(interop::get_context(on_sycl), context);
}

TEST_F(Sycl, a_cpu_device_makes_a_cpu_engine_unless_its_kernels_are_asked_for) {
    EXPECT_EQ(on_sycl.get_kind(), kernels_of_opencl() ? engine::kind::gpu : engine::kind::cpu);
}

TEST_F(Sycl, engines_of_one_device_and_context_are_one) {
    EXPECT_EQ(interop::make_engine(device, context).get(), on_sycl.get());
    EXPECT_NE(interop::make_engine(device, sycl::context(device)).get(), on_sycl.get());
}

TEST_F(Sycl, a_device_of_another_context_is_refused) {
    for (const sycl::device& other : sycl::device::get_devices())
        if (other != device) {
            const std::string why = refusal([&] { interop::make_engine(other, context); });
            EXPECT_TRUE(contains(why, "is no device of the context")) << why;
        }
    const auto parts = device.get_info<sycl::info::device::max_compute_units>() > 1
                           ? device.create_sub_devices<sycl::info::partition_property::partition_equally>(1)
                           : std::vector<sycl::device>();
    if (parts.empty()) GTEST_SKIP() << "a device of one unit has no parts";
    const std::string why = refusal([&] { interop::make_engine(parts[0], context); });
    EXPECT_TRUE(contains(why, "is no device of the context")) << why;
}

TEST_F(Sycl, the_cpu_engine_has_no_sycl_objects) {
    for (const auto& ask : std::vector<std::function<void()>>{
             [&] { interop::get_device(cpu); }, [&] { interop::get_context(cpu); },
             [&] { interop::make_stream(cpu, in_order); }, [&] { interop::get_queue(on_cpu); }}) {
        const std::string why = refusal(ask);
        EXPECT_TRUE(contains(why, "make_engine")) << why;
    }
}

TEST(Version, says_that_the_gpu_run_time_is_sycl) {
    EXPECT_EQ(dnnl_version()->gpu_runtime, DNNL_RUNTIME_SYCL);
    EXPECT_EQ(DNNL_GPU_RUNTIME, DNNL_RUNTIME_SYCL);
}

TEST(Devices, are_engines_of_kind_gpu_only_where_they_are_asked_for) {
    if (kernels_of_opencl()) {
        ASSERT_GE(engine::get_count(engine::kind::gpu), 1u);
        const engine first(engine::kind::gpu, 0);
        EXPECT_EQ(interop::get_device(first).get_backend(), sycl::backend::opencl);
        EXPECT_EQ(interop::make_engine(interop::get_device(first), interop::get_context(first)).get(), first.get());
    } else {
        for (size_t i = 0; i < engine::get_count(engine::kind::gpu); ++i)
            EXPECT_FALSE(interop::get_device(engine(engine::kind::gpu, i)).is_cpu());
    }
}

// ---- streams

TEST_F(Sycl, a_stream_gives_back_its_queue) {
    EXPECT_EQ(interop::get_queue(s), out_of_order);
    EXPECT_EQ(interop::get_queue(interop::make_stream(on_sycl, in_order)), in_order);
    EXPECT_EQ(s.get_engine(), on_sycl);
}

TEST_F(Sycl, streams_without_a_queue_of_the_caller_get_one_of_their_order) {
    EXPECT_TRUE(interop::get_queue(stream(on_sycl)).is_in_order());
    const sycl::queue q = interop::get_queue(stream(on_sycl, stream::flags::out_of_order));
    EXPECT_FALSE(q.is_in_order());
    EXPECT_EQ(q.get_device(), device);
    EXPECT_EQ(q.get_context(), context);
}

TEST_F(Sycl, queues_of_others_are_refused) {
    sycl::queue another(sycl::context(device), device);
    const std::string why = refusal([&] { interop::make_stream(on_sycl, another); });
    EXPECT_TRUE(contains(why, "of another context")) << why;
    for (const sycl::device& other : sycl::device::get_devices())
        if (other != device) {
            sycl::queue q(other);
            const std::string text = refusal([&] { interop::make_stream(on_sycl, q); });
            EXPECT_TRUE(contains(text, "of another device")) << text;
        }
}

TEST_F(Sycl, a_stream_outlives_the_callers_queue) {
    stream of_gone;
    {
        sycl::queue q(context, device);
        of_gone = interop::make_stream(on_sycl, q);
    }
    const memory::desc md = floats({5}, tag::a);
    const memory m = filled(md, memory_kind::usm, numbers(5));
    interop::execute(linear(md, 2, 1)(on_sycl), of_gone, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}}).wait();
    EXPECT_EQ(contents(m)[1], 2 * numbers(5)[1] + 1);
}

// ---- memory objects

TEST_F(Sycl, memory_is_usm_unless_it_is_said_otherwise) {
    const memory::desc md = floats({16, 4}, tag::ab);
    const memory m(md, on_sycl);
    EXPECT_EQ(interop::get_memory_kind(m), memory_kind::usm);
    EXPECT_EQ(sycl::get_pointer_type(m.get_data_handle(), context), sycl::usm::alloc::shared);
    EXPECT_EQ(uintptr_t(m.get_data_handle()) % 64, 0u);
    const memory none(md, on_sycl, DNNL_MEMORY_NONE);
    EXPECT_EQ(none.get_data_handle(), nullptr);
    EXPECT_EQ(interop::get_memory_kind(none), memory_kind::usm);
    EXPECT_EQ(interop::get_memory_kind(interop::make_memory(md, on_sycl, memory_kind::buffer)), memory_kind::buffer);
}

TEST_F(Sycl, the_data_handle_of_usm_is_its_address) {
    const memory::desc md = floats({16}, tag::a);
    for (void* const p : {sycl::malloc_host(64, out_of_order), sycl::malloc_shared(64, out_of_order),
                          sycl::malloc_device(64, out_of_order)}) {
        memory m(md, on_sycl, p);
        EXPECT_EQ(m.get_data_handle(), p);
        EXPECT_EQ(interop::make_memory(md, on_sycl, memory_kind::usm, p).get_data_handle(), p);
        m.set_data_handle(nullptr);
        EXPECT_EQ(m.get_data_handle(), nullptr);
        m.set_data_handle(p);
        EXPECT_EQ(m.get_data_handle(), p);
        fill(m, numbers(16));
        EXPECT_EQ(contents(m), numbers(16));
        sycl::free(p, out_of_order);
    }
}

TEST_F(Sycl, buffers_go_in_and_come_out) {
    const memory::desc md = floats({4, 3}, tag::ab);
    const std::vector<float> values = numbers(12);
    sycl::buffer<float> b(values.data(), sycl::range<1>(12));
    const memory m = interop::make_memory(md, on_sycl, b);
    EXPECT_EQ(interop::get_memory_kind(m), memory_kind::buffer);
    EXPECT_EQ(contents(m), values);
    sycl::buffer<float> out = interop::get_buffer<float>(m);
    EXPECT_EQ(out.size(), 12u);
    {
        const sycl::host_accessor write(out);
        write[3] = 77;
    }
    EXPECT_EQ(contents(m)[3], 77);
    const sycl::host_accessor read(b); // one buffer, whoever holds it
    EXPECT_EQ(read[3], 77);
}

TEST_F(Sycl, the_second_versions_members_do_the_same) {
    const memory::desc md = floats({10}, tag::a);
    const std::vector<float> first = numbers(10), second(10, 5.f);
    sycl::buffer<float> a(first.data(), sycl::range<1>(10)), b(second.data(), sycl::range<1>(10));
    memory m(md, on_sycl, a);
    EXPECT_EQ(contents(m), first);
    m.set_sycl_buffer(b);
    EXPECT_EQ(contents(m), second);
    m.set_sycl_buffer(a, s);
    size_t offset = 99;
    sycl::buffer<float> out = m.get_sycl_buffer<float>(&offset);
    EXPECT_EQ(offset, 0u);
    const sycl::host_accessor read(out);
    EXPECT_EQ(read[1], first[1]);
}

TEST_F(Sycl, setting_a_buffer_changes_the_kind) {
    const memory::desc md = floats({8}, tag::a);
    memory m(md, on_sycl);
    sycl::buffer<float> b(sycl::range<1>(8));
    interop::set_buffer(m, b);
    EXPECT_EQ(interop::get_memory_kind(m), memory_kind::buffer);
}

TEST_F(Sycl, there_is_no_buffer_in_usm) {
    const memory m(floats({8}, tag::a), on_sycl);
    const std::string why = refusal([&] { interop::get_buffer<float>(m); });
    EXPECT_TRUE(contains(why, "held by USM")) << why;
    const memory none = interop::make_memory(floats({8}, tag::a), on_sycl, memory_kind::buffer, DNNL_MEMORY_NONE);
    EXPECT_EQ(interop::get_memory_kind(none), memory_kind::buffer);
    EXPECT_TRUE(contains(refusal([&] { interop::get_buffer<float>(none); }), "no SYCL buffer yet"));
}

TEST_F(Sycl, a_buffer_too_small_is_refused_with_both_sizes) {
    const memory::desc md = floats({10}, tag::a);
    sycl::buffer<float> b(sycl::range<1>(9));
    for (const std::string& why : {refusal([&] { interop::make_memory(md, on_sycl, b); }),
                                   refusal([&] { memory(md, on_sycl, b); }), refusal([&] {
                                       memory m(md, on_sycl, DNNL_MEMORY_NONE);
                                       interop::set_buffer(m, b);
                                   })})
        EXPECT_TRUE(contains(why, "36 bytes") && contains(why, "40")) << why;
    memory m = interop::make_memory(md, on_sycl, memory_kind::buffer); // and what was there stays
    const void* const before = m.get_data_handle();
    refusal([&] { interop::set_buffer(m, b); });
    EXPECT_EQ(m.get_data_handle(), before);
}

TEST_F(Sycl, the_offset_of_a_view_counts) {
    const memory::desc whole = floats({4, 8}, tag::ab);
    const memory::desc part = whole.submemory_desc({2, 8}, {2, 0});
    sycl::buffer<float> small(sycl::range<1>(16)), enough(sycl::range<1>(32));
    const std::string why = refusal([&] { interop::make_memory(part, on_sycl, small); });
    EXPECT_TRUE(contains(why, "64 bytes") && contains(why, "128")) << why;
    EXPECT_EQ(refusal([&] { interop::make_memory(part, on_sycl, enough); }), "accepted");
}

TEST_F(Sycl, addresses_are_checked_where_the_device_does_not_reach_everything) {
    const memory::desc md = floats({4}, tag::a);
    std::vector<float> on_heap(4);
    if (device.has(sycl::aspect::usm_system_allocations)) {
        EXPECT_EQ(refusal([&] { memory(md, on_sycl, on_heap.data()); }), "accepted");
    }
    for (const sycl::device& other : sycl::device::get_devices()) { // PoCL: no USM at all
        if (other.has(sycl::aspect::usm_shared_allocations) || !kernels_of_opencl()) continue;
        const engine e = interop::make_engine(other, sycl::context(other));
        const std::string why = refusal([&] { memory(md, e, on_heap.data()); });
        EXPECT_TRUE(contains(why, "no unified shared memory")) << why;
        EXPECT_TRUE(contains(refusal([&] { memory(md, e); }), "no unified shared memory"));
        const memory in_buffer = interop::make_memory(md, e, memory_kind::buffer);
        fill(in_buffer, numbers(4));
        stream there(e);
        linear(md, 2, 1)(e).execute(there, {{DNNL_ARG_SRC, in_buffer}, {DNNL_ARG_DST, in_buffer}});
        there.wait();
        for (size_t i = 0; i < 4; ++i) EXPECT_EQ(contents(in_buffer)[i], 2 * numbers(4)[i] + 1);
    }
}

TEST_F(Sycl, empty_tensors_need_no_memory) {
    const memory::desc md = floats({0, 4}, tag::ab);
    for (const memory_kind kind : {memory_kind::usm, memory_kind::buffer}) {
        const memory m = interop::make_memory(md, on_sycl, kind), other = interop::make_memory(md, on_sycl, kind);
        EXPECT_EQ(m.map_data<float>(), nullptr);
        interop::execute(reordered(md, md)(on_sycl), s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, other}}).wait();
    }
}

TEST_F(Sycl, more_than_there_is_cannot_be_allocated) {
    const memory::desc md({int64_t(1) << 46}, dt::u8, tag::a);
    const std::string why = refusal([&] { memory(md, on_sycl); });
    EXPECT_TRUE(contains(why, "70368744177664 bytes cannot be allocated")) << why;
}
