// SPDX-License-Identifier: Apache-2.0
// What an execution asks of OpenCL: operands are set and kernels are queued, and nothing is made, for kernels stay with
// the primitive and scratch memory with the stream.
// covers: SCR-01 SCR-02 STR-01 STR-02
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "faulty_opencl.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ocl.hpp"
#include "opencl_calls.hpp"

namespace tessera::test {
namespace {

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;
using Arguments = std::unordered_map<int, memory>;

class Calls : public testing::Test {
protected:
    void SetUp() override {
        dnnl_set_verbose(0);
        if (engine::get_count(engine::kind::gpu) == 0) GTEST_SKIP() << "no device of OpenCL";
        set_primitive_cache_capacity(0);
        gpu = engine(engine::kind::gpu, 0);
    }
    memory filled(const memory::desc& md, int seed) const {
        memory m(md, gpu);
        auto* const values = m.map_data<float>();
        for (size_t i = 0; i < md.get_size() / sizeof(float); ++i)
            values[i] = float((i * 37 + size_t(seed) * 11) % 64) / 8 - 3;
        m.unmap_data(values);
        return m;
    }
    static std::vector<float> values_of(const memory& m) {
        auto* const mapped = m.map_data<float>();
        std::vector<float> values(mapped, mapped + m.get_desc().get_size() / sizeof(float));
        m.unmap_data(mapped);
        return values;
    }
    // Exponentials of bf16 are in scratch memory between the kernels.
    softmax_forward softmax(int64_t rows, int64_t columns) const {
        return softmax_forward({gpu, prop_kind::forward_inference, algorithm::softmax_accurate, half(rows, columns),
                                half(rows, columns), 1});
    }
    static memory::desc half(int64_t rows, int64_t columns) { return {{rows, columns}, dt::bf16, tag::ab}; }
    Arguments rows_of(int64_t rows, int64_t columns) const {
        const memory::desc whole({rows, columns}, dt::f32, tag::ab), md = half(rows, columns);
        const memory src(md, gpu);
        stream s(gpu);
        const memory from = filled(whole, int(columns));
        reorder(from, src).execute(s, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, src}});
        s.wait();
        return {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, memory(md, gpu)}};
    }
    // A window over the border of an image: nine steps, which write parts of dst, in one kernel.
    convolution_forward convolution() const {
        return convolution_forward({gpu,
                                    prop_kind::forward_inference,
                                    algorithm::convolution_direct,
                                    image,
                                    weights,
                                    image,
                                    {1, 1},
                                    {1, 1},
                                    {1, 1}});
    }
    Arguments of_convolution() const {
        return {{DNNL_ARG_SRC, filled(image, 1)}, {DNNL_ARG_WEIGHTS, filled(weights, 2)}, {DNNL_ARG_DST, {image, gpu}}};
    }
    static std::vector<uint16_t> bits_of(const memory& m) {
        auto* const mapped = m.map_data<uint16_t>();
        std::vector<uint16_t> bits(mapped, mapped + m.get_desc().get_size() / sizeof(uint16_t));
        m.unmap_data(mapped);
        return bits;
    }
    const memory::desc image{{2, 8, 7, 9}, dt::f32, tag::nchw}, weights{{8, 8, 3, 3}, dt::f32, tag::oihw};
    engine gpu;
};

std::map<std::string, int64_t> calls_of(const std::function<void()>& body) {
    plan_fault({.function = "none"});
    body();
    end_of_fault();
    return calls();
}

} // namespace

TEST_F(Calls, OfAnExecutionSetOperandsAndQueueKernels) {
    const memory::desc plain({3, 40, 5}, dt::f32, tag::abc), turned({3, 40, 5}, dt::f32, tag::acb),
        matrix({40, 40}, dt::f32, tag::ab);
    primitive_attr scaled;
    scaled.set_host_scale(DNNL_ARG_SRC, dt::f32);
    const memory half(memory::desc::host_scalar(dt::f32), 0.5f);
    const auto of_matmul = [&](const std::pair<int, memory>& more) {
        Arguments all{
            {DNNL_ARG_SRC, filled(matrix, 1)}, {DNNL_ARG_WEIGHTS, filled(matrix, 2)}, {DNNL_ARG_DST, {matrix, gpu}}};
        if (more.first) all.insert(more);
        return all;
    };
    struct Case {
        const char* name;
        primitive p;
        Arguments arguments;
        int64_t kernels, operands; // at most; of a kernel
    };
    const Case cases[] = {
        {"reorder",
         reorder(reorder::primitive_desc(gpu, plain, gpu, turned)),
         {{DNNL_ARG_FROM, filled(plain, 1)}, {DNNL_ARG_TO, memory(turned, gpu)}},
         1,
         2},
        {"matmul", matmul({gpu, matrix, matrix, matrix}), of_matmul({}), 2, 3},
        {"matmul with a scale of the host", matmul({gpu, matrix, matrix, matrix, scaled}),
         of_matmul({DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, half}), 2, 4},
        {"softmax", softmax(20, 300), rows_of(20, 300), 4, 3},
        {"convolution", convolution(), of_convolution(), 1, 3},
    };
    for (const auto flags : {stream::flags::in_order, stream::flags::out_of_order})
        for (const Case& c : cases) {
            stream s(gpu, flags);
            c.p.execute(s, c.arguments);                        // the stream has the scratch memory now
            if (flags == stream::flags::out_of_order) s.wait(); // an execution that is done leaves it to others
            auto all = calls_of([&] { c.p.execute(s, c.arguments); });
            s.wait();
            const int64_t kernels = all["clEnqueueNDRangeKernel"], operands = all["clSetKernelArg"];
            EXPECT_TRUE(kernels >= 1 && kernels <= c.kernels) << c.name << ": " << kernels;
            EXPECT_TRUE(operands >= kernels && operands <= kernels * c.operands) << c.name << ": " << operands;
            EXPECT_EQ(all["clEnqueueFillBuffer"], c.arguments.contains(DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC)) << c.name;
            for (const char* expected : {"clEnqueueNDRangeKernel", "clSetKernelArg", "clEnqueueFillBuffer"})
                all.erase(expected);
            if (flags == stream::flags::out_of_order)
                for (const char* own : {"clReleaseEvent", "clGetEventInfo"}) all.erase(own);
            for (const auto& [function, count] : all) ADD_FAILURE() << c.name << ": " << count << " of " << function;
        }
}

// Those on their way have scratch memory of their own; the stream keeps that of the last four.
TEST_F(Calls, OutOfOrderTakeScratchMemoryOfThoseThatAreDone) {
    const auto p = softmax(20, 300);
    std::vector<Arguments> rows(12, rows_of(20, 300));
    for (Arguments& a : rows) a.at(DNNL_ARG_DST) = memory(half(20, 300), gpu);
    stream ordered(gpu);
    p.execute(ordered, rows[0]);
    ordered.wait();
    const std::vector<uint16_t> right = bits_of(rows[0].at(DNNL_ARG_DST));
    const auto before = alive();
    {
        stream s(gpu, stream::flags::out_of_order);
        p.execute(s, rows[0]);
        const int64_t of_one = alive()[buffers] - before[buffers];
        EXPECT_GE(of_one, 1);
        s.wait();
        EXPECT_FALSE(calls_of([&] { p.execute(s, rows[1]); }).contains("clCreateBuffer"));
        for (size_t i = 2; i < rows.size(); ++i) p.execute(s, rows[i]);
        s.wait();
        EXPECT_LE(alive()[buffers] - before[buffers], 4 * of_one);
        for (const Arguments& a : rows) EXPECT_EQ(bits_of(a.at(DNNL_ARG_DST)), right);
        // Behind an event that has not come nothing is done.
        const Kept<cl_event> start = make_event(ocl_interop::get_context(gpu));
        std::vector<cl_event> ends;
        for (size_t i = 0; i < 4; ++i) ends.push_back(ocl_interop::execute(p, s, rows[i], {start.get()}));
        EXPECT_GE(alive()[buffers] - before[buffers], 4 * of_one);
        CL(clSetUserEventStatus)(start.get(), CL_COMPLETE);
        s.wait();
        for (const cl_event e : ends) CL(clReleaseEvent)(e);
        // What failed to be queued does not come back as memory that is free.
        plan_fault({.function = "clEnqueueNDRangeKernel", .first = 1, .error = CL_OUT_OF_RESOURCES});
        EXPECT_THROW(p.execute(s, rows[0]), error);
        end_of_fault();
        s.wait();
        p.execute(s, rows[1]);
        s.wait();
        EXPECT_EQ(bits_of(rows[1].at(DNNL_ARG_DST)), right);
    }
    EXPECT_EQ(alive()[buffers], before[buffers]);
}

TEST_F(Calls, OfOneStreamShareScratchMemoryOfTheLargest) {
    const auto small = softmax(5, 30), large = softmax(20, 300);
    const Arguments few = rows_of(5, 30), many = rows_of(20, 300);
    stream first(gpu);
    large.execute(first, many);
    first.wait();
    const std::vector<uint16_t> right = bits_of(many.at(DNNL_ARG_DST));
    const auto before = alive();
    {
        stream s(gpu);
        small.execute(s, few);
        const int64_t scratch = alive()[buffers] - before[buffers];
        EXPECT_GE(scratch, 1);
        s.wait();
        const std::vector<uint16_t> alone = bits_of(few.at(DNNL_ARG_DST));
        large.execute(s, many);
        const auto all = calls_of([&] {
            for (int i = 0; i < 3; ++i) small.execute(s, few), large.execute(s, many);
        });
        EXPECT_FALSE(all.contains("clCreateBuffer"));
        EXPECT_EQ(alive()[buffers] - before[buffers], scratch);
        s.wait();
        EXPECT_EQ(bits_of(few.at(DNNL_ARG_DST)), alone);
        EXPECT_EQ(bits_of(many.at(DNNL_ARG_DST)), right);
    }
    EXPECT_EQ(alive(), before);
}

// Each execution has the scale that the host had then, whenever its kernels run.
TEST_F(Calls, TakeScalarsOfTheHostAtOnce) {
    const memory::desc matrix({40, 40}, dt::f32, tag::ab);
    primitive_attr scaled;
    scaled.set_host_scale(DNNL_ARG_SRC, dt::f32);
    scaled.set_host_scale(DNNL_ARG_WEIGHTS, dt::f32);
    const matmul product({gpu, matrix, matrix, matrix, scaled});
    const memory a = filled(matrix, 1), b = filled(matrix, 2);
    memory scale(memory::desc::host_scalar(dt::f32), 1.f);
    const memory two(memory::desc::host_scalar(dt::f32), 2.f);
    for (const auto flags : {stream::flags::in_order, stream::flags::out_of_order}) {
        stream s(gpu, flags);
        std::vector<memory> results;
        for (int i = 0; i < 8; ++i) {
            results.emplace_back(matrix, gpu);
            scale.set_host_scalar_value(float(1 << i));
            product.execute(s, {{DNNL_ARG_SRC, a},
                                {DNNL_ARG_WEIGHTS, b},
                                {DNNL_ARG_DST, results[size_t(i)]},
                                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, scale},
                                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, two}});
        }
        scale.set_host_scalar_value(0.f);
        s.wait();
        const std::vector<float> first = values_of(results[0]);
        EXPECT_NE(first[0], 0);
        for (size_t i = 1; i < results.size(); ++i) {
            const std::vector<float> more = values_of(results[i]);
            for (size_t k = 0; k < more.size(); ++k) ASSERT_EQ(more[k], first[k] * float(1 << i)) << i;
        }
    }
}

// Threads that execute one primitive on one stream, and on streams of their own.
TEST_F(Calls, OfSeveralThreadsDoNotMeet) {
    constexpr size_t threads = 6;
    const auto p = softmax(40, 200);
    std::vector<Arguments> arguments;
    for (size_t t = 0; t < threads; ++t) {
        arguments.push_back(rows_of(40, 200));
        arguments[t][DNNL_ARG_SRC] = rows_of(40, 200 + int64_t(t)).at(DNNL_ARG_SRC); // begins with other numbers
    }
    std::vector<std::vector<uint16_t>> right;
    for (size_t t = 0; t < threads; ++t) {
        memory src(half(40, 200), gpu, nullptr);
        ocl_interop::set_mem_object(src, ocl_interop::get_mem_object(arguments[t].at(DNNL_ARG_SRC)));
        arguments[t][DNNL_ARG_SRC] = src;
        stream s(gpu);
        p.execute(s, arguments[t]);
        s.wait();
        right.push_back(bits_of(arguments[t].at(DNNL_ARG_DST)));
    }
    EXPECT_NE(right[0], right[1]);
    const int64_t kernels_of_one = alive()[kernels];
    for (const bool common : {true, false}) {
        const stream one(gpu);
        std::vector<std::thread> team;
        for (size_t t = 0; t < threads; ++t)
            team.emplace_back([&, t] {
                stream s = common ? one : stream(gpu);
                for (int i = 0; i < 50; ++i) p.execute(s, arguments[t]);
                s.wait();
            });
        for (std::thread& t : team) t.join();
        for (size_t t = 0; t < threads; ++t) EXPECT_EQ(bits_of(arguments[t].at(DNNL_ARG_DST)), right[t]) << common;
    }
    EXPECT_LE(alive()[kernels], kernels_of_one * int64_t(threads));
}

// Steps that write parts of one tensor wait for what the execution waits for, and its event for all of them.
TEST_F(Calls, OutOfOrderLetPartsOfATensorRunAtTheSameTime) {
    stream s(gpu, stream::flags::out_of_order);
    // The channels of a whole block, those of the last one, and its zeros.
    const memory::desc plain({2, 13, 7, 9}, dt::f32, tag::nchw), blocks({2, 13, 7, 9}, dt::f32, tag::nChw8c);
    const auto p = reorder(reorder::primitive_desc(gpu, plain, gpu, blocks));
    const Arguments arguments = {{DNNL_ARG_FROM, filled(plain, 1)}, {DNNL_ARG_TO, {blocks, gpu}}};
    stream in_order(gpu);
    p.execute(in_order, arguments);
    in_order.wait();
    const std::vector<float> right = values_of(arguments.at(DNNL_ARG_TO));
    auto* const wrong = arguments.at(DNNL_ARG_TO).map_data<float>();
    std::fill_n(wrong, right.size(), 1e30f);
    arguments.at(DNNL_ARG_TO).unmap_data(wrong);
    const cl_event first = ocl_interop::execute(p, s, arguments);
    plan_fault({.function = "none"});
    const cl_event last = ocl_interop::execute(p, s, arguments, {first});
    end_of_fault();
    const auto all = queued();
    ASSERT_GT(all.size(), 1u);
    for (const Queued& kernel : all) EXPECT_EQ(kernel.after, std::vector<cl_event>{first});
    EXPECT_EQ(std::ranges::count(all, last, &Queued::made), 0);
    EXPECT_EQ(gpu::opencl()->clWaitForEvents(1, &last), CL_SUCCESS);
    EXPECT_EQ(values_of(arguments.at(DNNL_ARG_TO)), right);
    for (const cl_event event : {first, last}) gpu::opencl()->clReleaseEvent(event);
}

} // namespace tessera::test
