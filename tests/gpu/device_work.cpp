// SPDX-License-Identifier: Apache-2.0
#define DNNL_EXPERIMENTAL_PROFILING
#include "device_work.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <numeric>

#include "gpu/opencl.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ocl.hpp"

namespace tessera::test {

namespace {

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;
using Bytes = std::vector<unsigned char>;

struct Engines {
    engine cpu{engine::kind::cpu, 0}, gpu{engine::kind::gpu, 0};
    stream on_gpu{gpu};
};

memory host(const Engines& e, const memory::desc& md, int seed) {
    memory m(md, e.cpu);
    auto* const bytes = static_cast<unsigned char*>(m.get_data_handle());
    for (size_t i = 0; i < md.get_size(); ++i) bytes[i] = static_cast<unsigned char>((i * 37 + size_t(seed) * 11) % 64);
    return m;
}

void run(const Engines& e, const primitive& p, const std::unordered_map<int, memory>& args) {
    p.execute(e.on_gpu, args);
    stream(e.on_gpu).wait();
}

memory moved(const Engines& e, const memory& from, const memory::desc& to, const engine& where) {
    memory result(to, where);
    run(e, reorder(reorder::primitive_desc(from.get_engine(), from.get_desc(), where, to)),
        {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, result}});
    return result;
}

Bytes bytes_of(const memory& m) {
    const auto* const bytes = static_cast<const unsigned char*>(m.get_data_handle());
    return {bytes, bytes + m.get_desc().get_size()};
}
std::unordered_map<int, memory> in_place(const memory& m) { return {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}}; }
primitive linear(const Engines& e, const memory::desc& md, float alpha, float beta) {
    return eltwise_forward(eltwise_forward::primitive_desc(e.gpu, prop_kind::forward_inference,
                                                           algorithm::eltwise_linear, md, md, alpha, beta));
}
Bytes fetched(const Engines& e, const memory& m) { return bytes_of(moved(e, m, m.get_desc(), e.cpu)); }
memory there(const Engines& e, const memory::desc& md, int seed) { return moved(e, host(e, md, seed), md, e.gpu); }

Bytes reorders() {
    const Engines e;
    const memory::desc plain({2, 17, 3, 3}, dt::f32, tag::nchw);
    const memory blocked = moved(e, host(e, plain, 1), {{2, 17, 3, 3}, dt::bf16, tag::nChw16c}, e.gpu);
    const memory other = moved(e, blocked, {{2, 17, 3, 3}, dt::f16, tag::nhwc}, e.gpu);
    return bytes_of(moved(e, other, plain, e.cpu));
}

Bytes scaled_product() {
    const Engines e;
    const memory::desc a({5, 40}, dt::u8, tag::ab), b({40, 16}, dt::s8, tag::ab), c({5, 16}, dt::f32, tag::ab);
    primitive_attr attr;
    attr.set_host_scale(DNNL_ARG_SRC, dt::f32);
    attr.set_scales_mask(DNNL_ARG_WEIGHTS, 2);
    std::vector<float> values(16);
    std::iota(values.begin(), values.end(), 1.f);
    const memory::desc row({16}, dt::f32, tag::a);
    const memory result(c, e.gpu);
    run(e, matmul(matmul::primitive_desc(e.gpu, a, b, c, attr)),
        {{DNNL_ARG_SRC, there(e, a, 1)},
         {DNNL_ARG_WEIGHTS, there(e, b, 2)},
         {DNNL_ARG_DST, result},
         {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, memory(memory::desc::host_scalar(dt::f32), 0.25f)},
         {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, moved(e, memory(row, e.cpu, values.data()), row, e.gpu)}});
    return fetched(e, result);
}

// Sums in scratch memory first, then their scales.
Bytes dynamic_quantization() {
    const Engines e;
    const memory::desc a({4, 24}, dt::f32, tag::ab), b({24, 64}, dt::f32, tag::ab), c({4, 64}, dt::f8_e4m3, tag::ab);
    const memory::desc exponents({4, 2}, dt::e8m0, tag::ab);
    primitive_attr attr;
    attr.set_scales(DNNL_ARG_DST, 3, {1, 32}, dt::e8m0, false, quantization_mode::dynamic_mx);
    const memory result(c, e.gpu), scales(exponents, e.gpu);
    run(e, matmul(matmul::primitive_desc(e.gpu, a, b, c, attr)),
        {{DNNL_ARG_SRC, there(e, a, 1)},
         {DNNL_ARG_WEIGHTS, there(e, b, 2)},
         {DNNL_ARG_DST, result},
         {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scales}});
    return fetched(e, result);
}

// A list of elements, which a kernel checks before the product.
Bytes sparse_product() {
    const Engines e;
    const memory::desc a = memory::desc::csr({3, 8}, dt::f32, 4, dt::s32, dt::s32), b({8, 16}, dt::f32, tag::ab),
                       c({3, 16}, dt::f32, tag::ab);
    const memory list(a, e.gpu), result(c, e.gpu);
    const auto put = [&](int buffer, const auto& values) {
        auto* const mapped = list.map_data<void>(buffer);
        std::memcpy(mapped, values.data(), values.size() * 4);
        list.unmap_data(mapped, buffer);
    };
    put(0, std::array{1.f, -2.f, 3.f, 0.5f});
    put(1, std::array{0, 5, 2, 7});
    put(2, std::array{0, 2, 2, 4});
    run(e, matmul(matmul::primitive_desc(e.gpu, a, b, c)),
        {{DNNL_ARG_SRC, list}, {DNNL_ARG_WEIGHTS, there(e, b, 2)}, {DNNL_ARG_DST, result}});
    return fetched(e, result);
}

// Several kernels with scratch memory between them.
Bytes softmax_of_rows() {
    const Engines e;
    const memory::desc md({6, 50}, dt::bf16, tag::ab), to({6, 50}, dt::f32, tag::ab);
    const memory result(to, e.gpu);
    run(e,
        softmax_forward(softmax_forward::primitive_desc(e.gpu, prop_kind::forward_inference,
                                                        algorithm::softmax_accurate, md, to, 1)),
        {{DNNL_ARG_SRC, there(e, md, 1)}, {DNNL_ARG_DST, result}});
    return fetched(e, result);
}

Bytes sums() {
    const Engines e;
    const memory::desc md({3, 20, 7}, dt::f32, tag::abc), other({3, 20, 7}, dt::s8, tag::acb);
    const memory result(md, e.gpu);
    run(e, sum(sum::primitive_desc(e.gpu, md, {1.f, 0.5f, 2.f}, {md, other, md})),
        {{DNNL_ARG_MULTIPLE_SRC, there(e, md, 1)},
         {DNNL_ARG_MULTIPLE_SRC + 1, there(e, other, 2)},
         {DNNL_ARG_MULTIPLE_SRC + 2, there(e, md, 3)},
         {DNNL_ARG_DST, result}});
    return fetched(e, result);
}

Bytes mapping() {
    const Engines e;
    memory m({{100}, dt::s32, tag::a}, e.gpu);
    auto* values = m.map_data<int32_t>();
    std::iota(values, values + 100, 5);
    m.unmap_data(values);
    values = m.map_data<int32_t>();
    const Bytes bytes(reinterpret_cast<unsigned char*>(values), reinterpret_cast<unsigned char*>(values + 100));
    m.unmap_data(values);
    return bytes;
}

Bytes open_dims() {
    const Engines e;
    const memory::desc open({DNNL_RUNTIME_DIM_VAL, 24}, dt::u8, tag::ab), b({24, 8}, dt::s8, tag::ab),
        to({DNNL_RUNTIME_DIM_VAL, 8}, dt::s32, tag::ab);
    const matmul product(matmul::primitive_desc(e.gpu, open, b, to));
    Bytes all;
    for (const int64_t rows : {1, 5}) {
        const memory result({{rows, 8}, dt::s32, tag::ab}, e.gpu);
        run(e, product,
            {{DNNL_ARG_SRC, there(e, {{rows, 24}, dt::u8, tag::ab}, 1)},
             {DNNL_ARG_WEIGHTS, there(e, b, 2)},
             {DNNL_ARG_DST, result}});
        const Bytes more = fetched(e, result);
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

// Several on a stream, each in the result of the one before, and one wait.
Bytes chain() {
    const Engines e;
    const memory::desc md({6, 50}, dt::s32, tag::ab);
    const memory values = there(e, md, 1);
    for (const auto& [alpha, beta] : {std::pair{2.f, 1.f}, {1.f, -4.f}, {0.5f, 0.f}})
        linear(e, md, alpha, beta).execute(e.on_gpu, in_place(values));
    stream(e.on_gpu).wait();
    return fetched(e, values);
}

// The same out of order, each after the event of the one before.
Bytes events() {
    const Engines e;
    const memory::desc md({6, 50}, dt::s32, tag::ab);
    const memory values = there(e, md, 1);
    stream s(e.gpu, stream::flags::out_of_order);
    using Event = gpu::Owned<cl_event>;
    std::vector<Event> all;
    for (const auto& [alpha, beta] : {std::pair{2.f, 1.f}, {1.f, -4.f}, {0.5f, 0.f}}) {
        std::vector<cl_event> after;
        if (!all.empty()) after = {all.back().get()};
        const cl_event made = ocl_interop::execute(linear(e, md, alpha, beta), s, in_place(values), after);
        all.push_back(Event(made, [](cl_event event) { gpu::opencl()->clReleaseEvent(event); }));
    }
    s.wait();
    return fetched(e, values);
}

Bytes times() {
    const Engines e;
    const memory::desc md({6, 50}, dt::s32, tag::ab);
    const memory values = there(e, md, 1);
    stream s(e.gpu, stream::flags(unsigned(stream::flags::in_order) | unsigned(stream::flags::profiling)));
    for (int i = 0; i < 2; ++i) linear(e, md, 3, 1).execute(s, in_place(values));
    Bytes bytes = {static_cast<unsigned char>(get_profiling_data(s, profiling_data_kind::time).size())};
    const Bytes more = fetched(e, values);
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
}

// In unified shared memory, if the device has it.
Bytes shared() {
    const Engines e;
    const memory::desc md({6, 50}, dt::s32, tag::ab);
    memory values;
    try {
        values = ocl_interop::make_memory(md, e.gpu, ocl_interop::memory_kind::usm);
    } catch (const error& error) {
        if (error.status == dnnl_unimplemented) return {0};
        throw;
    }
    auto* const mapped = values.map_data<int32_t>();
    std::iota(mapped, mapped + 300, 0);
    values.unmap_data(mapped);
    linear(e, md, 3, 1).execute(e.on_gpu, in_place(values));
    stream(e.on_gpu).wait();
    return fetched(e, values);
}

} // namespace

const std::vector<DeviceWork>& device_work() {
    static const std::vector<DeviceWork> all = {{"reorders", reorders},
                                                {"scaled_product", scaled_product},
                                                {"dynamic_quantization", dynamic_quantization},
                                                {"sparse_product", sparse_product},
                                                {"softmax_of_rows", softmax_of_rows},
                                                {"sums", sums},
                                                {"mapping", mapping},
                                                {"open_dims", open_dims},
                                                {"events", events},
                                                {"times", times},
                                                {"shared", shared},
                                                {"chain", chain}};
    return all;
}

} // namespace tessera::test
