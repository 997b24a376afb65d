// SPDX-License-Identifier: Apache-2.0
// The engine of OpenCL devices from outside: memory, mapping, streams, primitives on the device, reorders to it and
// back, and what is refused. covers: REO-02 ENG-02
#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

using dt = memory::data_type;
using tag = memory::format_tag;

class GpuEngine : public testing::Test {
protected:
    void SetUp() override {
        if (engine::get_count(engine::kind::gpu) == 0) GTEST_SKIP() << "no device of OpenCL";
        gpu = engine(engine::kind::gpu, 0);
        on_gpu = stream(gpu);
    }
    // Dense values in a memory of the CPU.
    memory host(const memory::dims& dims, dt type, tag layout) const {
        memory m({dims, type, layout}, cpu);
        auto* const bytes = static_cast<unsigned char*>(m.get_data_handle());
        for (size_t i = 0; i < m.get_desc().get_size(); ++i) bytes[i] = static_cast<unsigned char>(i * 37 % 64);
        return m;
    }
    void run(const primitive& p, const stream& s, const std::unordered_map<int, memory>& args) const {
        p.execute(s, args);
        stream(s).wait();
    }
    memory moved(const memory& from, const memory::desc& to, const engine& e) {
        memory result(to, e);
        run(reorder(reorder::primitive_desc(from.get_engine(), from.get_desc(), e, to)), on_gpu,
            {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, result}});
        return result;
    }
    engine cpu{engine::kind::cpu, 0}, gpu;
    stream on_cpu{cpu}, on_gpu;
};

template <typename F> std::string refusal(F f) {
    try {
        f();
    } catch (const error& e) { return e.what(); }
    return "accepted";
}

bool same(const memory& a, const memory& b) {
    return std::memcmp(a.get_data_handle(), b.get_data_handle(), a.get_desc().get_size()) == 0;
}

} // namespace

TEST_F(GpuEngine, moves_tensors_there_and_back) {
    const memory src = host({2, 17, 5, 5}, dt::f32, tag::nchw);
    const memory there = moved(src, {{2, 17, 5, 5}, dt::f32, tag::nChw16c}, gpu);
    const memory back = moved(there, src.get_desc(), cpu);
    EXPECT_TRUE(same(src, back));
}

TEST_F(GpuEngine, converts_on_the_way_as_the_cpu_does) {
    const memory src = host({3, 20, 7}, dt::s8, tag::abc);
    const memory::desc to({3, 20, 7}, dt::bf16, tag::acb);
    memory want(to, cpu);
    run(reorder(src, want), on_cpu, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, want}});
    EXPECT_TRUE(same(want, moved(moved(src, to, gpu), to, cpu)));
}

TEST_F(GpuEngine, maps_a_copy_and_writes_it_back) {
    memory m({{100}, dt::s32, tag::a}, gpu);
    auto* values = m.map_data<int32_t>();
    ASSERT_NE(values, nullptr);
    std::iota(values, values + 100, 5);
    m.unmap_data(values);
    values = m.map_data<int32_t>();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(values[i], i + 5);
    m.unmap_data(values);
}

TEST_F(GpuEngine, runs_primitives) {
    const memory::desc md({4, 32, 6, 6}, dt::f32, tag::nhwc);
    const memory src = host(md.get_dims(), dt::s8, tag::nchw);
    const memory on_device = moved(src, md, gpu);
    memory result(md, gpu), want(md, cpu);
    memory cpu_src(md, cpu);
    run(reorder(src, cpu_src), on_cpu, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, cpu_src}});
    const auto relu = [&](const engine& e) {
        return eltwise_forward(eltwise_forward::primitive_desc(e, prop_kind::forward_inference,
                                                               algorithm::eltwise_linear, md, md, 2.f, -30.f));
    };
    run(relu(gpu), on_gpu, {{DNNL_ARG_SRC, on_device}, {DNNL_ARG_DST, result}});
    run(relu(cpu), on_cpu, {{DNNL_ARG_SRC, cpu_src}, {DNNL_ARG_DST, want}});
    EXPECT_TRUE(same(want, moved(result, md, cpu)));
}

TEST_F(GpuEngine, multiplies_with_a_scale_that_stays_on_the_host) {
    const memory a = host({5, 40}, dt::u8, tag::ab), b = host({40, 16}, dt::s8, tag::ab);
    const memory::desc c({5, 16}, dt::f32, tag::ab);
    primitive_attr attr;
    attr.set_host_scale(DNNL_ARG_SRC, dt::f32);
    const memory scale(memory::desc::host_scalar(dt::f32), 0.25f);
    const auto product = [&](const engine& e) {
        return matmul(matmul::primitive_desc(e, a.get_desc(), b.get_desc(), c, attr));
    };
    memory want(c, cpu), got(c, gpu);
    run(product(cpu), on_cpu,
        {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, want}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, scale}});
    run(product(gpu), on_gpu,
        {{DNNL_ARG_SRC, moved(a, a.get_desc(), gpu)},
         {DNNL_ARG_WEIGHTS, moved(b, b.get_desc(), gpu)},
         {DNNL_ARG_DST, got},
         {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, scale}});
    EXPECT_TRUE(same(want, moved(got, c, cpu)));
}

TEST_F(GpuEngine, refuses_what_is_elsewhere) {
    const memory::desc md({8, 8}, dt::f32, tag::ab);
    const eltwise_forward p(
        eltwise_forward::primitive_desc(gpu, prop_kind::forward_inference, algorithm::eltwise_relu, md, md, 0.f));
    memory here(md, cpu), there(md, gpu);
    EXPECT_NE(refusal([&] {
                  p.execute(on_gpu, {{DNNL_ARG_SRC, here}, {DNNL_ARG_DST, there}});
              }).find("is a memory of CPU engine 0; this primitive runs on GPU engine 0"),
              std::string::npos);
    EXPECT_NE(refusal([&] {
                  p.execute(on_cpu, {{DNNL_ARG_SRC, there}, {DNNL_ARG_DST, there}});
              }).find("the stream is of another engine"),
              std::string::npos);
    const eltwise_forward q(
        eltwise_forward::primitive_desc(cpu, prop_kind::forward_inference, algorithm::eltwise_relu, md, md, 0.f));
    EXPECT_NE(refusal([&] {
                  q.execute(on_cpu, {{DNNL_ARG_SRC, there}, {DNNL_ARG_DST, here}});
              }).find("is a memory of GPU engine 0; this primitive runs on CPU engine 0"),
              std::string::npos);
    const size_t count = engine::get_count(engine::kind::gpu);
    EXPECT_NE(refusal([&] { engine(engine::kind::gpu, count); }).find("is outside of 0.."), std::string::npos);
}

TEST_F(GpuEngine, has_empty_tensors) {
    const memory::desc a({3, 0}, dt::f32, tag::ab), b({0, 64}, dt::f32, tag::ab), c({3, 64}, dt::f32, tag::ab);
    memory dst = moved(host({3, 64}, dt::f32, tag::ab), c, gpu);
    run(matmul(matmul::primitive_desc(gpu, a, b, c)), on_gpu,
        {{DNNL_ARG_SRC, memory(a, gpu)}, {DNNL_ARG_WEIGHTS, memory(b, gpu)}, {DNNL_ARG_DST, dst}});
    const memory zeros = moved(dst, c, cpu);
    for (int i = 0; i < 3 * 64; ++i) ASSERT_EQ(static_cast<const float*>(zeros.get_data_handle())[i], 0.f);
    memory empty(a, gpu);
    EXPECT_EQ(empty.map_data<float>(), nullptr);
}

TEST_F(GpuEngine, refuses_more_memory_than_there_is) {
    const memory::desc md({1 << 22, 1 << 20}, dt::s8, tag::ab);
    EXPECT_NE(refusal([&] { memory(md, gpu); }).find("OpenCL: clCreateBuffer failed"), std::string::npos);
}

TEST_F(GpuEngine, takes_buffers_of_others) {
    const memory::desc md({50}, dt::s32, tag::a);
    memory first(md, gpu), second(md, gpu, DNNL_MEMORY_NONE);
    int32_t* values = first.map_data<int32_t>();
    std::iota(values, values + 50, 0);
    first.unmap_data(values);
    second.set_data_handle(first.get_data_handle());
    first = memory(); // the buffer lives on
    values = second.map_data<int32_t>();
    for (int i = 0; i < 50; ++i) EXPECT_EQ(values[i], i);
    second.unmap_data(values);
    const reorder copy(reorder::primitive_desc(gpu, md, gpu, md));
    const memory nothing(md, gpu, DNNL_MEMORY_NONE);
    EXPECT_NE(refusal([&] {
                  copy.execute(on_gpu, {{DNNL_ARG_FROM, nothing}, {DNNL_ARG_TO, second}});
              }).find("has no buffer"),
              std::string::npos);
}

TEST_F(GpuEngine, runs_on_several_threads_at_once) {
    const memory src = host({16, 33}, dt::f32, tag::ab);
    const memory::desc to({16, 33}, dt::f32, tag::ba);
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 10; ++i) right += same(src, moved(moved(src, to, gpu), src.get_desc(), cpu));
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(right, 40);
}

TEST_F(GpuEngine, knows_the_dims_at_execution) {
    const memory::dim any = DNNL_RUNTIME_DIM_VAL;
    const memory::desc open({any, 40}, dt::u8, tag::ab), b({40, 16}, dt::s8, tag::ab), c({any, 16}, dt::s32, tag::ab);
    const matmul product(matmul::primitive_desc(gpu, open, b, c));
    const memory weights = host({40, 16}, dt::s8, tag::ab);
    const memory there = moved(weights, b, gpu);
    for (const int64_t rows : {1, 5, 9}) {
        const memory src = host({rows, 40}, dt::u8, tag::ab);
        const memory::desc result({rows, 16}, dt::s32, tag::ab);
        memory got(result, gpu), want(result, cpu);
        run(product, on_gpu,
            {{DNNL_ARG_SRC, moved(src, src.get_desc(), gpu)}, {DNNL_ARG_WEIGHTS, there}, {DNNL_ARG_DST, got}});
        run(matmul(matmul::primitive_desc(cpu, src.get_desc(), b, result)), on_cpu,
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, want}});
        EXPECT_TRUE(same(want, moved(got, result, cpu))) << rows;
    }
}
