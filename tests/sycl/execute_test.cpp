// SPDX-License-Identifier: Apache-2.0
// Executions on SYCL queues: buffers and USM, events before and after, both orders, what is destroyed too early, what
// fails in a task. covers: IOP-01 IOP-04 IOP-05
#include <atomic>
#include <chrono>
#include <thread>

#include "fixture.hpp"

using namespace on_sycl_tests;

namespace {

constexpr auto a_while = std::chrono::milliseconds(50);

// A task that writes `value` into an int of USM after a while: what comes behind it must wait to see it.
sycl::event late_write(sycl::queue& q, float* at, float value) {
    return q.submit([&](sycl::handler& h) {
        h.host_task([=] {
            std::this_thread::sleep_for(a_while);
            *at = value;
        });
    });
}

const memory::dims of_a{6, 40}, of_b{40, 24}, of_c{6, 24};

} // namespace

// ---- what memory there is

class Kinds : public Sycl, public testing::WithParamInterface<memory_kind> {};

TEST_P(Kinds, reorders) {
    const memory::desc from = floats({2, 17, 5, 5}, tag::nchw), to({2, 17, 5, 5}, dt::s8, tag::nChw16c);
    const std::vector<float> values = numbers(2 * 17 * 25);
    const memory src = filled(from, GetParam(), values), dst = interop::make_memory(to, on_sycl, GetParam());
    const memory back = interop::make_memory(from, on_sycl, GetParam());
    interop::execute(reordered(from, to)(on_sycl), s, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
    s.wait();
    interop::execute(reordered(to, from)(on_sycl), s, {{DNNL_ARG_FROM, dst}, {DNNL_ARG_TO, back}}).wait();
    EXPECT_EQ(contents(back), values);
}

TEST_P(Kinds, multiplies) {
    const memory::desc a = floats(of_a, tag::ab), b = floats(of_b, tag::ba), c = floats(of_c, tag::ab);
    const memory dst = interop::make_memory(c, on_sycl, GetParam());
    interop::execute(product(a, b, c)(on_sycl), s,
                     {{DNNL_ARG_SRC, filled(a, GetParam(), numbers(240))},
                      {DNNL_ARG_WEIGHTS, filled(b, GetParam(), numbers(960))},
                      {DNNL_ARG_DST, dst}})
        .wait();
    EXPECT_EQ(contents(dst), expected(product(a, b, c),
                                      {{DNNL_ARG_SRC, {a, numbers(240)}}, {DNNL_ARG_WEIGHTS, {b, numbers(960)}}}, c));
}

TEST_P(Kinds, works_in_place) {
    const memory::desc md = floats({1000}, tag::a);
    const memory m = filled(md, GetParam(), numbers(1000));
    for (int i = 0; i < 3; ++i)
        interop::execute(linear(md, -1, 2)(on_sycl), interop::make_stream(on_sycl, in_order),
                         {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    in_order.wait();
    EXPECT_EQ(contents(m)[7], -numbers(1000)[7] + 2);
}

TEST_P(Kinds, takes_host_scalars) {
    const memory::desc a = floats(of_a, tag::ab), b = floats(of_b, tag::ab), c = floats(of_c, tag::ab);
    primitive_attr attr;
    attr.set_host_scale(DNNL_ARG_SRC, dt::f32);
    const auto make = [&](const engine& e) { return matmul(matmul::primitive_desc(e, a, b, c, attr)); };
    const memory dst = interop::make_memory(c, on_sycl, GetParam());
    interop::execute(make(on_sycl), s,
                     {{DNNL_ARG_SRC, filled(a, GetParam(), numbers(240))},
                      {DNNL_ARG_WEIGHTS, filled(b, GetParam(), numbers(960))},
                      {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, memory(memory::desc::host_scalar(dt::f32), 0.5f)},
                      {DNNL_ARG_DST, dst}})
        .wait();
    std::vector<float> want =
        expected(product(a, b, c), {{DNNL_ARG_SRC, {a, numbers(240)}}, {DNNL_ARG_WEIGHTS, {b, numbers(960)}}}, c);
    for (float& v : want) v *= 0.5f;
    EXPECT_EQ(contents(dst), want);
}

TEST_P(Kinds, nothing_waits_for_what_the_caller_has_not_done_yet) {
    const memory::desc md = floats({32}, tag::a);
    primitive_attr attr;
    attr.set_host_scale(DNNL_ARG_DST, dt::f32);
    const reorder p(reorder::primitive_desc(on_sycl, md, on_sycl, md, attr));
    const memory dst(md, on_sycl);
    std::atomic<bool> go{false};
    const sycl::event gate = out_of_order.submit([&](sycl::handler& h) {
        h.host_task([&] {
            while (!go) std::this_thread::yield();
        });
    });
    sycl::event done;
    {
        const memory src = filled(md, GetParam(), numbers(32)); // goes, and so does the scalar's place on the device
        done =
            interop::execute(p, s,
                             {{DNNL_ARG_FROM, src},
                              {DNNL_ARG_TO, dst},
                              {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, memory(memory::desc::host_scalar(dt::f32), 0.5f)}},
                             {gate});
    }
    go = true;
    done.wait();
    for (size_t i = 0; i < 32; ++i) ASSERT_EQ(contents(dst)[i], 2 * numbers(32)[i]);
}

TEST_P(Kinds, moves_between_the_cpu_engine_and_sycl) {
    const memory::desc plain = floats({3, 20, 7}, tag::abc), other = floats({3, 20, 7}, tag::acb);
    const std::vector<float> values = numbers(420);
    memory src(plain, cpu), back(plain, cpu);
    fill(src, values);
    const memory there = interop::make_memory(other, on_sycl, GetParam());
    interop::execute(reorder(reorder::primitive_desc(cpu, plain, on_sycl, other)), s,
                     {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, there}})
        .wait();
    reorder(reorder::primitive_desc(on_sycl, other, cpu, plain))
        .execute(s, {{DNNL_ARG_FROM, there}, {DNNL_ARG_TO, back}});
    s.wait();
    EXPECT_EQ(contents(back), values);
}

TEST_P(Kinds, moves_between_contexts) {
    const memory::desc plain = floats({3, 20, 7}, tag::abc), other = floats({3, 20, 7}, tag::cab);
    const engine elsewhere = interop::make_engine(device, sycl::context(device));
    const memory src = filled(plain, GetParam(), numbers(420)),
                 there = interop::make_memory(other, elsewhere, GetParam()),
                 back = interop::make_memory(plain, on_sycl, memory_kind::usm);
    reorder(reorder::primitive_desc(on_sycl, plain, elsewhere, other))
        .execute(s, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, there}});
    s.wait();
    interop::execute(reorder(reorder::primitive_desc(elsewhere, other, on_sycl, plain)), s,
                     {{DNNL_ARG_FROM, there}, {DNNL_ARG_TO, back}})
        .wait();
    EXPECT_EQ(contents(back), numbers(420));
}

TEST_P(Kinds, are_gone_before_the_task_begins) {
    const memory::desc md = floats({4096}, tag::a);
    float* const flag = sycl::malloc_shared<float>(1, out_of_order);
    const memory dst = filled(md, memory_kind::usm, std::vector<float>(4096));
    sycl::event done;
    {
        const sycl::event before = late_write(out_of_order, flag, 1);
        const memory src = filled(md, GetParam(), numbers(4096));
        const primitive p = reordered(md, md)(on_sycl);
        done = interop::execute(p, interop::make_stream(on_sycl, out_of_order),
                                {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}}, {before});
    } // the memory, the primitive and the stream
    done.wait();
    EXPECT_EQ(contents(dst), numbers(4096));
    sycl::free(flag, out_of_order);
}

INSTANTIATE_TEST_SUITE_P(, Kinds, testing::Values(memory_kind::usm, memory_kind::buffer),
                         [](const auto& kind) { return kind.param == memory_kind::usm ? "usm" : "buffer"; });

TEST_F(Sycl, usm_of_each_kind_is_read_and_written) {
    const memory::desc md = floats({100}, tag::a);
    const std::vector<float> values = numbers(100);
    const auto of_each_kind = [&] {
        return std::vector{sycl::malloc_host<float>(100, out_of_order), sycl::malloc_shared<float>(100, out_of_order),
                           sycl::malloc_device<float>(100, out_of_order)};
    };
    const std::vector<float*> sources = of_each_kind(), results = of_each_kind();
    for (float* const src : sources)
        for (float* const dst : results) {
            out_of_order.memset(dst, 0, 400).wait();
            const sycl::event copied = out_of_order.memcpy(src, values.data(), 400);
            const sycl::event done = interop::execute(
                linear(md, 3, 1)(on_sycl), s,
                {{DNNL_ARG_SRC, memory(md, on_sycl, src)}, {DNNL_ARG_DST, memory(md, on_sycl, dst)}}, {copied});
            std::vector<float> got(100);
            out_of_order.memcpy(got.data(), dst, 400, done).wait();
            for (size_t i = 0; i < 100; ++i) ASSERT_EQ(got[i], 3 * values[i] + 1);
        }
    for (const auto& all : {sources, results})
        for (float* const p : all) sycl::free(p, out_of_order);
}

TEST_F(Sycl, one_execution_may_have_memory_of_both_kinds) {
    const memory::desc md = floats({64}, tag::a);
    const memory in_usm = filled(md, memory_kind::usm, numbers(64));
    const memory in_buffer = filled(md, memory_kind::buffer, std::vector<float>(64));
    interop::execute(linear(md, 2, 0)(on_sycl), s, {{DNNL_ARG_SRC, in_usm}, {DNNL_ARG_DST, in_buffer}}).wait();
    for (size_t i = 0; i < 64; ++i) ASSERT_EQ(contents(in_buffer)[i], 2 * numbers(64)[i]);
}

TEST_F(Sycl, a_buffer_of_the_caller_is_written_back_when_it_goes) {
    const memory::desc md = floats({64}, tag::a);
    std::vector<float> values = numbers(64);
    {
        sycl::buffer<float> b(values.data(), sycl::range<1>(64));
        const memory m = interop::make_memory(md, on_sycl, b);
        interop::execute(linear(md, 2, 0)(on_sycl), s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    }
    for (size_t i = 0; i < 64; ++i) ASSERT_EQ(values[i], 2 * numbers(64)[i]);
}

TEST_F(Sycl, a_constant_buffer_is_only_read) {
    const memory::desc md = floats({64}, tag::a);
    const std::vector<float> values = numbers(64);
    sycl::buffer<float> b(values.data(), sycl::range<1>(64));
    const memory src = interop::make_memory(md, on_sycl, b), dst(md, on_sycl);
    interop::execute(linear(md, 2, 0)(on_sycl), s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}).wait();
    EXPECT_EQ(contents(dst)[5], 2 * values[5]);
}

TEST_F(Sycl, two_memories_over_one_buffer_are_one_buffer) {
    const memory::desc from = floats({4, 6}, tag::ab), to = floats({4, 6}, tag::ba);
    sycl::buffer<float> b(sycl::range<1>(24));
    const memory one = interop::make_memory(from, on_sycl, b), other = interop::make_memory(to, on_sycl, b);
    const std::string why = refusal([&] {
        interop::execute(reordered(from, to)(on_sycl), s, {{DNNL_ARG_FROM, one}, {DNNL_ARG_TO, other}});
    });
    EXPECT_TRUE(contains(why, "has the buffer of DNNL_ARG_FROM")) << why;
    fill(one, numbers(24));
    interop::execute(linear(from, 2, 0)(on_sycl), s,
                     {{DNNL_ARG_SRC, one}, {DNNL_ARG_DST, interop::make_memory(from, on_sycl, b)}});
    EXPECT_EQ(contents(one)[3], 2 * numbers(24)[3]);
}

TEST_F(Sycl, parts_of_buffers_are_the_cpus_alone) {
    const memory::desc md = floats({64}, tag::a);
    sycl::buffer<float> whole(sycl::range<1>(1024));
    sycl::buffer<float> part(whole, sycl::id<1>(1), sycl::range<1>(64)); // begins where no device asks for it
    if (kernels_of_opencl()) {
        const std::string why = refusal([&] { interop::make_memory(md, on_sycl, part); });
        EXPECT_TRUE(contains(why, "a part of another sycl::buffer")) << why;
    } else {
        const memory m = interop::make_memory(md, on_sycl, part);
        fill(m, numbers(64));
        interop::execute(linear(md, 2, 0)(on_sycl), s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}}).wait();
        const sycl::host_accessor read(whole);
        for (size_t i = 0; i < 64; ++i) ASSERT_EQ(read[i + 1], 2 * numbers(64)[i]);
    }
}

// ---- order

TEST_F(Sycl, waits_for_events_and_ends_with_one) {
    const memory::desc md = floats({1}, tag::a);
    for (sycl::queue* q : {&out_of_order, &in_order}) {
        float* const at = sycl::malloc_shared<float>(1, *q);
        *at = 0;
        const memory m(md, on_sycl, at);
        const stream on_queue = interop::make_stream(on_sycl, *q);
        sycl::queue another(sycl::context(device), device); // events of other contexts count as well
        const std::vector<sycl::event> before{late_write(another, at, 5), sycl::event()};
        const sycl::event doubled =
            interop::execute(linear(md, 2, 0)(on_sycl), on_queue, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}}, before);
        sycl::event done =
            interop::execute(linear(md, 1, 1)(on_sycl), on_queue, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}}, {doubled});
        done.wait();
        EXPECT_EQ(*at, 11);
        sycl::free(at, *q);
    }
}

TEST_F(Sycl, a_queue_in_order_needs_no_events) {
    const memory::desc md = floats({1}, tag::a);
    float* const at = sycl::malloc_shared<float>(1, in_order);
    const memory m(md, on_sycl, at);
    const stream on_queue = interop::make_stream(on_sycl, in_order);
    late_write(in_order, at, 3);
    linear(md, 2, 0)(on_sycl).execute(on_queue, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    float got = 0;
    in_order.memcpy(&got, at, sizeof got); // behind it, by the caller
    stream(on_queue).wait();
    EXPECT_EQ(got, 6);
    sycl::free(at, in_order);
}

TEST_F(Sycl, buffers_order_executions_on_a_queue_out_of_order) {
    const memory::desc md = floats({256}, tag::a);
    const memory m = filled(md, memory_kind::buffer, std::vector<float>(256, 1));
    const primitive twice = linear(md, 2, 0)(on_sycl), more = linear(md, 1, 1)(on_sycl);
    for (int i = 0; i < 10; ++i) {
        twice.execute(s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
        more.execute(s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    }
    EXPECT_EQ(contents(m)[255], 2047); // a mapping waits for the buffer
}

TEST_F(Sycl, execution_returns_before_the_work_is_done) {
    const memory::desc md = floats({1}, tag::a);
    float* const at = sycl::malloc_shared<float>(1, out_of_order);
    *at = 0;
    const memory m(md, on_sycl, at);
    std::atomic<bool> go{false};
    const sycl::event gate = out_of_order.submit([&](sycl::handler& h) {
        h.host_task([&] {
            while (!go) std::this_thread::yield();
        });
    });
    sycl::event done = interop::execute(linear(md, 1, 1)(on_sycl), s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}}, {gate});
    EXPECT_NE(done.get_info<sycl::info::event::command_execution_status>(), sycl::info::event_command_status::complete);
    EXPECT_EQ(*at, 0);
    go = true;
    s.wait();
    EXPECT_EQ(*at, 1);
    sycl::free(at, out_of_order);
}

TEST_F(Sycl, an_execution_without_work_is_ordered_like_any_other) {
    const memory::desc md = floats({0}, tag::a);
    const memory m(md, on_sycl);
    sycl::queue another(context, device);
    for (sycl::queue* q : {&out_of_order, &in_order}) {
        float* const at = sycl::malloc_shared<float>(1, *q);
        *at = 0;
        const sycl::event written = late_write(q == &in_order ? in_order : another, at, 4);
        const std::vector<sycl::event> before = q == &in_order ? std::vector<sycl::event>() : std::vector{written};
        interop::execute(reordered(md, md)(on_sycl), interop::make_stream(on_sycl, *q),
                         {{DNNL_ARG_FROM, m}, {DNNL_ARG_TO, m}}, before)
            .wait();
        EXPECT_EQ(*at, 4);
        sycl::free(at, *q);
    }
}

// ---- what fails

// Row pointers that do not ascend: found when they are read, in the task.
TEST_F(Sycl, what_fails_in_a_task_is_told_by_wait) {
    const memory::desc a = memory::desc::csr({2, 4}, dt::f32, 2, dt::s32, dt::s32), b = floats({4, 3}, tag::ab),
                       c = floats({2, 3}, tag::ab);
    memory sparse(a, on_sycl);
    for (int i = 0; i < 3; ++i) std::memset(sparse.get_data_handle(i), 0x7f, a.get_size(i));
    const memory weights = filled(b, memory_kind::usm, numbers(12)), dst(c, on_sycl);
    const Args args{{DNNL_ARG_SRC, sparse}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}};
    const primitive p = product(a, b, c)(on_sycl);

    interop::execute(p, s, args).wait();
    const std::string why = refusal([&] { s.wait(); });
    EXPECT_TRUE(contains(why, "sparse argument")) << why;
    EXPECT_EQ(refusal([&] { s.wait(); }), "accepted") << "told once";

    out_of_order.wait_and_throw(); // nothing is thrown: SYCL would end a process without a handler
    const std::vector<int32_t> pointers{0, 1, 2}, columns{3, 0}; // and the queue goes on
    std::memcpy(sparse.get_data_handle(1), columns.data(), 8);
    std::memcpy(sparse.get_data_handle(2), pointers.data(), 12);
    const std::vector<float> values{1, 2};
    std::memcpy(sparse.get_data_handle(0), values.data(), 8);
    interop::execute(p, s, args).wait();
    s.wait();
    EXPECT_EQ(contents(dst), (std::vector<float>{numbers(12)[9], numbers(12)[10], numbers(12)[11], 2 * numbers(12)[0],
                                                 2 * numbers(12)[1], 2 * numbers(12)[2]}));
}

TEST_F(Sycl, memory_without_a_buffer_is_refused_before_anything_is_queued) {
    const memory::desc md = floats({8}, tag::a);
    const memory none(md, on_sycl, DNNL_MEMORY_NONE), dst(md, on_sycl);
    const std::string why = refusal([&] {
        interop::execute(linear(md, 1, 0)(on_sycl), s, {{DNNL_ARG_SRC, none}, {DNNL_ARG_DST, dst}});
    });
    EXPECT_TRUE(contains(why, "DNNL_ARG_SRC")) << why;
}

TEST_F(Sycl, memory_and_streams_of_other_engines_are_refused) {
    const memory::desc md = floats({8}, tag::a);
    const engine another = interop::make_engine(device, sycl::context(device));
    const memory mine(md, on_sycl), of_another(md, another), of_cpu(md, cpu);
    const primitive p = linear(md, 1, 0)(on_sycl);
    EXPECT_NE(refusal([&] { interop::execute(p, s, {{DNNL_ARG_SRC, of_another}, {DNNL_ARG_DST, mine}}); }), "accepted");
    EXPECT_NE(refusal([&] { interop::execute(p, s, {{DNNL_ARG_SRC, of_cpu}, {DNNL_ARG_DST, mine}}); }), "accepted");
    EXPECT_NE(refusal([&] { interop::execute(p, on_cpu, {{DNNL_ARG_SRC, mine}, {DNNL_ARG_DST, mine}}); }), "accepted");
    EXPECT_NE(refusal([&] { p.execute(stream(another), {{DNNL_ARG_SRC, mine}, {DNNL_ARG_DST, mine}}); }), "accepted");
}

// ---- profiling

TEST_F(Sycl, a_queue_with_profiling_times_executions) {
    sycl::queue timed(context, device, {sycl::property::queue::enable_profiling(), sycl::property::queue::in_order()});
    stream on_timed = interop::make_stream(on_sycl, timed);
    const memory::desc md = floats({1 << 20}, tag::a);
    const memory m = filled(md, memory_kind::usm, numbers(1 << 20));
    const primitive p = linear(md, -1, 0)(on_sycl);
    for (int i = 0; i < 3; ++i) p.execute(on_timed, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    const std::vector<uint64_t> times = get_profiling_data(on_timed, profiling_data_kind::time);
    ASSERT_EQ(times.size(), 3u);
    for (const uint64_t t : times) EXPECT_GT(t, 0u);
    reset_profiling(on_timed);
    EXPECT_EQ(get_profiling_data(on_timed, profiling_data_kind::time).size(), 0u);

    stream own(on_sycl, stream::flags::in_order | stream::flags::profiling);
    p.execute(own, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    EXPECT_EQ(get_profiling_data(own, profiling_data_kind::time).size(), 1u);
    const std::string why = refusal([&] { reset_profiling(s); });
    EXPECT_TRUE(contains(why, "without stream::flags::profiling")) << why;
}

// ---- threads

TEST_F(Sycl, eight_threads_share_an_engine_and_a_queue) {
    const memory::desc a = floats(of_a, tag::ab), b = floats(of_b, tag::ab), c = floats(of_c, tag::ab);
    const primitive p = product(a, b, c)(on_sycl);
    const std::vector<float> want =
        expected(product(a, b, c), {{DNNL_ARG_SRC, {a, numbers(240)}}, {DNNL_ARG_WEIGHTS, {b, numbers(960)}}}, c);
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            const memory_kind kind = t % 2 ? memory_kind::usm : memory_kind::buffer;
            for (int i = 0; i < 20; ++i) {
                const memory dst = interop::make_memory(c, on_sycl, kind);
                const stream own = t % 4 < 2 ? s : interop::make_stream(on_sycl, in_order);
                interop::execute(p, own,
                                 {{DNNL_ARG_SRC, filled(a, kind, numbers(240))},
                                  {DNNL_ARG_WEIGHTS, filled(b, kind, numbers(960))},
                                  {DNNL_ARG_DST, dst}})
                    .wait();
                right += contents(dst) == want;
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(right, 160);
}
