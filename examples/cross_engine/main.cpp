// SPDX-License-Identifier: Apache-2.0
// cross_engine: a tensor goes from the CPU to a device, in another layout and type, through a function there, and back.
//
//   cross_engine                               on every GPU that there is
//   TESSERA_OPENCL_DEVICES=all cross_engine    on processors with OpenCL, too
//
//   nchw, f32, CPU  --reorder-->  nChw16c, f16, GPU  --eltwise-->  the same  --reorder-->  nchw, f32, CPU
//
// Whatever crosses is a memory object of one engine and one of the other; the reorder between them is the only
// primitive that takes both. Without a device it says so and ends with 0; it ends with 1 if a value is wrong.
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

using dt = memory::data_type;
using tag = memory::format_tag;

const memory::dims shape = {2, 17, 13, 11}; // 17 channels: the second block of 16 is padded
constexpr float slope = 0.5f;

// -16 to 16 in steps of an eighth: f16 holds them and their halves exactly, so that results have one right value.
float value(size_t i) { return float(i * 37 % 257) / 8 - 16; }

float leaky_relu(float x) { return x < 0 ? slope * x : x; }

void move(const memory& from, const memory& to, stream& s) {
    const reorder::primitive_desc pd(from.get_engine(), from.get_desc(), to.get_engine(), to.get_desc());
    reorder(pd).execute(s, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

// How many values are wrong.
size_t there_and_back(const engine& cpu, const engine& gpu) {
    const memory::desc plain(shape, dt::f32, tag::nchw), blocked(shape, dt::f16, tag::nChw16c);
    std::vector<float> values(plain.get_size() / sizeof(float)), results(values.size(), -1000.f);
    for (size_t i = 0; i < values.size(); ++i) values[i] = value(i);

    // [there and back]
    const memory here(plain, cpu, values.data()), back(plain, cpu, results.data());
    const memory src(blocked, gpu), dst(blocked, gpu);
    stream s(gpu); // in order: none of these calls waits for the one before
    move(here, src, s);
    const eltwise_forward::primitive_desc pd(gpu, prop_kind::forward_inference, algorithm::eltwise_relu, blocked,
                                             blocked, slope);
    eltwise_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    move(dst, back, s);
    s.wait();
    // [/there and back]

    size_t wrong = 0;
    for (size_t i = 0; i < values.size(); ++i) wrong += results[i] != leaky_relu(values[i]);
    std::printf("%zu values to the device as f16 nChw16c, leaky relu there, back as f32 nchw: %zu of them wrong\n",
                values.size(), wrong);
    return wrong;
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    const size_t devices = engine::get_count(engine::kind::gpu);
    if (devices == 0) {
        set_verbose(0); // the library's sentence about what is missing comes once, not as a line of its log too
        try {
            const engine none(engine::kind::gpu, 0);
        } catch (const error& e) { std::printf("cross_engine: nothing to show without a device: %s\n", e.what()); }
        return 0;
    }
    size_t wrong = 0;
    for (size_t i = 0; i < devices; ++i) {
        std::printf("GPU engine %zu: ", i);
        wrong += there_and_back(cpu, engine(engine::kind::gpu, i));
    }
    return wrong == 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "cross_engine: %s\n", e.what());
    return 1;
}
