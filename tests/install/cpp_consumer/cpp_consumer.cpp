// SPDX-License-Identifier: Apache-2.0
// memory, reorder and shuffle through the installed C++ header: f32 nchw to s8 nhwc, four channels in two groups.
// Library, header and package must mean the same run time.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

int main() try {
    using namespace dnnl;
    if (dnnl_version()->cpu_runtime != DNNL_CPU_RUNTIME || DNNL_CPU_RUNTIME != PACKAGE_RUNTIME) {
        std::fprintf(stderr, "run time %u; %u for the header, %u for the package\n", dnnl_version()->cpu_runtime,
                     DNNL_CPU_RUNTIME, PACKAGE_RUNTIME);
        return 1;
    }
    const memory::dim channels = 4, points = 6;
    const memory::dims dims = {1, channels, 2, 3};
    engine cpu(engine::kind::cpu, 0);
    stream work(cpu);

    std::vector<float> from(channels * points);
    for (size_t i = 0; i < from.size(); ++i) from[i] = float(i);
    memory src({dims, memory::data_type::f32, memory::format_tag::nchw}, cpu, from.data());
    memory dst({dims, memory::data_type::s8, memory::format_tag::nhwc}, cpu);
    memory out(dst.get_desc(), cpu);

    reorder(src, dst).execute(work, src, dst);
    const shuffle_forward::primitive_desc desc(cpu, prop_kind::forward_inference, dst.get_desc(), out.get_desc(), 1, 2);
    shuffle_forward(desc).execute(work, {{DNNL_ARG_SRC, dst}, {DNNL_ARG_DST, out}});
    work.wait();

    const auto* moved = static_cast<const int8_t*>(dst.get_data_handle());
    const auto* mixed = static_cast<const int8_t*>(out.get_data_handle());
    const int shuffle_of[] = {0, 2, 1, 3};
    for (memory::dim c = 0; c < channels; ++c)
        for (memory::dim p = 0; p < points; ++p)
            if (moved[p * channels + c] != c * points + p || mixed[p * channels + c] != shuffle_of[c] * points + p) {
                std::fprintf(stderr, "channel %d, point %d: reorder %d, shuffle %d\n", int(c), int(p),
                             moved[p * channels + c], mixed[p * channels + c]);
                return 1;
            }
    std::puts("installed C++ header: reorder and shuffle agree");
    return 0;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "status %d: %s\n", int(e.status), e.what());
    return 1;
}
