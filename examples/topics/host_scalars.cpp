// SPDX-License-Identifier: Apache-2.0
// Scales as plain numbers: a host scalar is a memory that holds one value, without a buffer and without an engine.
//
// On a device it saves the copy of one float; on the CPU it saves a buffer that must outlive the execution. It prints a
// reorder of f32 to s8 with two scales that differ from call to call, and a scale that is passed as a tensor of one
// element is compared with it.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dt = memory::data_type;

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    std::vector<float> src = {0.1f, -0.2f, 0.35f, 1, -3, 100};
    std::vector<int8_t> dst(6);
    const memory::desc from_md({6}, dt::f32, memory::format_tag::a), to_md({6}, dt::s8, memory::format_tag::a);
    const memory from(from_md, cpu, src.data()), to(to_md, cpu, dst.data());

    // [attribute]
    dnnl::primitive_attr attr;
    attr.set_host_scale(DNNL_ARG_DST, dt::f32);
    const dnnl::reorder quantize({cpu, from_md, cpu, to_md, attr});
    // [/attribute]

    bool good = true;
    const auto run = [&](const memory& scale, float value) {
        quantize.execute(stream,
                         {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scale}});
        stream.wait();
        std::printf("scale %-4g", value);
        for (size_t i = 0; i < 6; ++i) {
            std::printf(" %4d", dst[i]);
            good &= dst[i] == int8_t(std::fmin(127.f, std::fmax(-128.f, std::nearbyint(src[i] / value))));
        }
        std::printf("\n");
    };

    // [values]
    const memory::desc scalar = memory::desc::host_scalar(dt::f32);
    const memory scale(scalar, 0.05f); // the value is copied into the memory object
    run(scale, scale.get_host_scalar_value<float>());
    scale.set_host_scalar_value(0.5f); // for the next execution
    run(scale, scale.get_host_scalar_value<float>());
    // [/values]

    // The other way round: what was declared as a tensor is given as a host scalar.
    dnnl::primitive_attr by_tensor;
    by_tensor.set_scales_mask(DNNL_ARG_DST, 0);
    const std::vector<int8_t> before = dst;
    dnnl::reorder({cpu, from_md, cpu, to_md, by_tensor})
        .execute(stream, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scale}});
    stream.wait();
    good &= dst == before;
    std::printf("%s\n", good ? "all as round(x / scale), saturated" : "WRONG");
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
