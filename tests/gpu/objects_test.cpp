// SPDX-License-Identifier: Apache-2.0
// dnnl_ocl.hpp beside what interop_test.cpp counts: views, both kinds of memory in one execution, the order of a plan's
// steps, executions of nothing, the side that a reorder runs on, blobs with a wrong byte.
// covers: IOP-02 IOP-04 IOP-05 STR-03 CCH-03 OBJ-01
#include "opencl_calls.hpp" // before others include CL/cl.h

#include <algorithm>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl_ocl.hpp"
#include "settled.hpp"

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

class DeviceObjects : public testing::Test {
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

// The bytes behind the last element of the last row are the memory's, too.
TEST_F(DeviceObjects, a_mapping_has_all_bytes_of_the_descriptor) {
    const memory::desc rows({4, 5}, dt::f32, memory::dims{8, 1});
    ASSERT_EQ(rows.get_size(), 4 * 8 * 4u);
    const memory m(rows, gpu);
    float* mapped = m.map_data<float>();
    std::iota(mapped, mapped + 32, 1.f);
    m.unmap_data(mapped);
    mapped = m.map_data<float>();
    EXPECT_EQ(std::vector<float>(mapped, mapped + 32), [] {
        std::vector<float> v(32);
        std::iota(v.begin(), v.end(), 1.f);
        return v;
    }());
    m.unmap_data(mapped);
    // A buffer of the caller that ends with the last element.
    const auto buffer = make_buffer(context.get(), 29 * 4);
    const memory shorter = ocl_interop::make_memory(rows, gpu, buffer.get());
    mapped = shorter.map_data<float>();
    mapped[28] = 7;
    shorter.unmap_data(mapped);
    mapped = shorter.map_data<float>();
    EXPECT_EQ(mapped[28], 7);
    shorter.unmap_data(mapped);
}

TEST_F(DeviceObjects, what_is_no_mapping_is_not_unmapped) {
    const memory m = filled(3), other = filled(4);
    float* const first = m.map_data<float>();
    float* const second = m.map_data<float>(); // each is a copy of its own
    float* const of_other = other.map_data<float>();
    std::vector<float> stranger(count);
    for (float* const pointer : {stranger.data(), of_other, first + 1, static_cast<float*>(nullptr)})
        expect_words(refusal([&] { m.unmap_data(pointer); }), "could not unmap");
    first[0] = 100;
    m.unmap_data(first);
    expect_words(refusal([&] { m.unmap_data(first); }), "could not unmap");
    second[1] = 200;
    m.unmap_data(second);
    other.unmap_data(of_other);
    EXPECT_EQ(values_of(m)[0], 3); // what was unmapped last is there
    EXPECT_EQ(values_of(m)[1], 200);
    const memory nothing(memory::desc({0, 3}, dt::f32, tag::ab), gpu);
    EXPECT_EQ(nothing.map_data<float>(), nullptr);
    EXPECT_NO_THROW(nothing.unmap_data(nullptr));
}

TEST_F(DeviceObjects, a_reorder_between_engines_takes_its_sides_from_their_own_engines) {
    const memory here(md, cpu), there = filled(1);
    const memory::desc narrow({count}, dt::s8, tag::a);
    const memory small_here(narrow, cpu), small_there(narrow, gpu);
    const auto moves = [&](const reorder& r, const memory& from, const memory& to) {
        return refusal([&] {
            r.execute(ordered, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
            ordered.wait();
        });
    };
    const reorder up({cpu, md, gpu, md}), down({gpu, md, cpu, md}), narrows({gpu, md, cpu, narrow}),
        widens({cpu, narrow, gpu, md});
    EXPECT_EQ(moves(up, here, there) + moves(down, there, here) + moves(narrows, there, small_here) +
                  moves(widens, small_here, there),
              "acceptedacceptedacceptedaccepted");
    const memory second = filled(2), also_here(md, cpu);
    expect_words(moves(up, there, here), "made from CPU engine 0 to GPU engine");
    expect_words(moves(down, here, there), "DNNL_ARG_FROM (1) is a memory of CPU engine 0");
    expect_words(moves(narrows, here, small_there), "made from GPU");
    expect_words(moves(widens, small_there, here), "made from CPU");
    expect_words(moves(up, there, second), "made from CPU");
    expect_words(moves(up, here, also_here), "DNNL_ARG_TO (17) is a memory of CPU");
}

// As on the CPU: what one buffer gives is what two give.
TEST_F(DeviceObjects, one_buffer_for_an_input_and_an_output) {
    const memory::desc a({33, 50}, dt::f32, tag::ab), b({50, 40}, dt::f32, tag::ab), c({33, 40}, dt::f32, tag::ab);
    const auto values = [&](const memory::desc& desc, int seed) {
        memory m(desc, gpu);
        float* const at = m.map_data<float>();
        for (size_t i = 0; i < desc.get_size() / 4; ++i) at[i] = float(int(i * 7 + size_t(seed)) % 11 - 5);
        m.unmap_data(at);
        return m;
    };
    const auto bytes = [](const memory& m) {
        float* const at = m.map_data<float>();
        std::vector<float> all(at, at + m.get_desc().get_size() / 4);
        m.unmap_data(at);
        return all;
    };
    primitive_attr attr;
    post_ops chain;
    chain.append_binary(algorithm::binary_add, c);
    attr.set_post_ops(chain);
    const matmul product({gpu, a, b, c, attr});
    const memory x = values(a, 1), w = values(b, 2), both = values(c, 3), added = values(c, 3), dst(c, gpu);
    const auto multiply = [&](const memory& with, const memory& to) {
        product.execute(ordered, {{DNNL_ARG_SRC, x},
                                  {DNNL_ARG_WEIGHTS, w},
                                  {DNNL_ARG_DST, to},
                                  {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, with}});
        ordered.wait();
    };
    multiply(added, dst);
    multiply(both, both);
    EXPECT_EQ(bytes(both), bytes(dst));
    const memory::desc slopes({1, 40}, dt::f32, tag::ab);
    const prelu_forward::primitive_desc hint(gpu, prop_kind::forward_training, c, slopes, c);
    const prelu_backward back({gpu, c, slopes, c, slopes, c, hint});
    const memory src = values(c, 4), s = values(slopes, 5), dd = values(c, 6), over = values(c, 6), ds(c, gpu),
                 dw(slopes, gpu), dw2(slopes, gpu);
    const auto slope = [&](const memory& from, const memory& to, const memory& weights) {
        back.execute(ordered, {{DNNL_ARG_SRC, src},
                               {DNNL_ARG_WEIGHTS, s},
                               {DNNL_ARG_DIFF_DST, from},
                               {DNNL_ARG_DIFF_SRC, to},
                               {DNNL_ARG_DIFF_WEIGHTS, weights}});
        ordered.wait();
    };
    slope(dd, ds, dw);
    slope(over, over, dw2);
    EXPECT_EQ(bytes(over), bytes(ds));
    EXPECT_EQ(bytes(dw2), bytes(dw));
}

TEST_F(DeviceObjects, a_view_needs_no_more_than_it_reaches) {
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

TEST_F(DeviceObjects, memory_is_unified_and_shared) {
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

// Kernels of products read vectors from handles at multiples of 16 bytes, as buffers are; the others have kernels of
// their own, and the aligned ones theirs afterwards.
TEST_F(DeviceObjects, products_take_handles_at_any_address) {
    const auto place = [&](const memory::desc& d) {
        return ocl_interop::make_memory(d, gpu, ocl_interop::memory_kind::usm);
    };
    if (const std::string why = refusal([&] { place(md); }); why != "accepted") GTEST_SKIP() << why;
    constexpr memory::dim n = 64;
    for (const dt type : {dt::f32, dt::bf16}) {
        const memory::desc factor({n, n}, type, tag::ab), sums({n, n}, dt::f32, tag::ab);
        const auto element = memory::data_type_size(type);
        const matmul product({gpu, factor, factor, sums});
        const memory::desc wider({n * n + 16}, type, tag::a);
        memory at_start = place(wider), elsewhere = place(wider), got = place(sums), want = place(sums);
        for (const size_t shift : {size_t(0), element, 3 * element}) {
            const auto values = static_cast<uint8_t*>(at_start.get_data_handle());
            for (size_t i = 0; i < n * n * element; ++i) values[i] = uint8_t(i * 7 % 61 + 1); // no infinity, no NaN
            void* const shifted = static_cast<uint8_t*>(elsewhere.get_data_handle()) + shift;
            std::memcpy(shifted, values, n * n * element);
            const memory a = ocl_interop::make_memory(factor, gpu, ocl_interop::memory_kind::usm, values);
            const memory b = ocl_interop::make_memory(factor, gpu, ocl_interop::memory_kind::usm, shifted);
            product.execute(ordered, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, got}});
            product.execute(ordered, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, a}, {DNNL_ARG_DST, want}});
            ordered.wait();
            EXPECT_EQ(std::memcmp(got.get_data_handle(), want.get_data_handle(), n * n * 4), 0)
                << "elements of " << element << " bytes, " << shift << " bytes further";
        }
    }
}

TEST_F(DeviceObjects, steps_of_a_plan_keep_their_order_out_of_order) {
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

TEST_F(DeviceObjects, an_execution_of_nothing_has_an_event) {
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

TEST_F(DeviceObjects, refuses_arguments_of_executions) {
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

TEST_F(DeviceObjects, reorders_run_where_there_is_less_to_move) {
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

TEST_F(DeviceObjects, reorders_between_engines_take_either_stream) {
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

// ---- blobs

TEST_F(DeviceObjects, an_engine_comes_back_from_its_blob) {
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
    const auto count = [&] { return users(other.get()); };
    EXPECT_EQ(settled(count, 1), 1u);
    for (size_t i = 0; i < blob.size(); i += 1 + blob.size() / 500) {
        std::vector<uint8_t> forged = blob;
        forged[i] ^= 0x20;
        ASSERT_NE(refusal([&] { ocl_interop::make_engine(device, other.get(), forged); }), "accepted") << i;
        forged.resize(i);
        ASSERT_NE(refusal([&] { ocl_interop::make_engine(device, other.get(), forged); }), "accepted") << i;
    }
    EXPECT_EQ(settled(count, 1), 1u);
    size_t size = blob.size() - 1;
    std::vector<uint8_t> room(size);
    EXPECT_EQ(dnnl_ocl_interop_engine_get_cache_blob(gpu.get(), &size, room.data()), dnnl_invalid_arguments);
}

TEST_F(DeviceObjects, a_primitive_comes_back_from_its_blob) {
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

    // What is wrong with it, with the values.
    const auto reason = [&](std::vector<uint8_t> bytes) { return refusal([&] { eltwise_forward(pd, bytes); }); };
    forged = blob, forged.back() ^= 1;
    expect_words(reason(forged), "is damaged: its checksum is 0x");
    forged = blob, forged[0] = '9';
    expect_words(reason(forged), "is of version 9");
    expect_words(reason(eltwise_forward(other).get_cache_blob()), "the cache blob is of eltwise forward_inference 1:");
    expect_words(reason(ocl_interop::get_engine_cache_blob(gpu)), "the cache blob is of an engine, not of eltwise");
    expect_words(reason({1, 2, 3}), "the 3 bytes begin with no version of the library");
    for (const size_t size : {blob.size() - 1, blob.size() / 2, blob.size() - blob.size() / 3})
        expect_words(reason({blob.begin(), blob.begin() + ptrdiff_t(size)}), "cut off");
    const auto line = std::ranges::find(blob, uint8_t('\n')) + 1;
    expect_words(reason({blob.begin(), line}), "is of nothing, for it is cut off");
}
