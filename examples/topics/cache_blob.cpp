// SPDX-License-Identifier: Apache-2.0
// Compiled kernels as bytes: what a program keeps in its own files, so that its next start compiles nothing.
//
// For devices, whose kernels take tenths of a second to compile. A primitive hands out a blob; a key says for what it
// is good: problem, device, driver and version of the library. Creating the primitive with the blob gives the same
// results. It prints the result of both. On the CPU engine there is nothing to keep, for creation takes microseconds:
// the library says so, and without a device this is all that is printed. TESSERA_OPENCL_DEVICES=all takes processors as
// devices.

#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::engine;
using dnnl::memory;

int main() try {
    dnnl::set_verbose(0); // refusals are printed here, not by the log as well
    const memory::desc md({1000}, memory::data_type::f32, memory::format_tag::a);
    const auto relu_on = [&](const engine& e) {
        return dnnl::eltwise_forward::primitive_desc(e, dnnl::prop_kind::forward_inference,
                                                     dnnl::algorithm::eltwise_relu, md, md);
    };
    const engine cpu(engine::kind::cpu, 0);
    try {
        dnnl::eltwise_forward(relu_on(cpu)).get_cache_blob();
        return 1;
    } catch (const dnnl::error& e) { std::printf("%s\n", e.what()); }
    if (engine::get_count(engine::kind::gpu) == 0) {
        std::printf("no device\n");
        return 77; // ctest: skipped
    }

    const engine device(engine::kind::gpu, 0);
    // [keep]
    const auto desc = relu_on(device);
    const std::vector<uint8_t> key = desc.get_cache_blob_id(); // the name of a file, say
    const dnnl::eltwise_forward compiled(desc);
    const std::vector<uint8_t> blob = compiled.get_cache_blob();
    // [/keep]

    // [use]
    const dnnl::eltwise_forward restored(desc, blob); // in another process, if its key is the same
    // [/use]
    dnnl::stream stream(device);
    bool good = !key.empty() && !blob.empty();
    for (const auto* relu : {&compiled, &restored}) {
        const memory x(md, device), y(md, device);
        float* values = x.map_data<float>();
        for (int i = 0; i < 1000; ++i) values[i] = float(i - 500);
        x.unmap_data(values);
        relu->execute(stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
        stream.wait();
        values = y.map_data<float>();
        float sum = 0;
        for (int i = 0; i < 1000; ++i) sum += values[i];
        y.unmap_data(values);
        std::printf("%s: the sum of relu(-500 to 499) is %g\n", relu == &compiled ? "compiled" : "restored", sum);
        good &= sum == 499 * 500 / 2;
    }
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
