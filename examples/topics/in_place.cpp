// SPDX-License-Identifier: Apache-2.0
// Results in the buffer of an input: what may share one, and what is refused.
//
// Element-wise primitives, softmax and normalizations read each element before they write it, so src and dst may be one
// buffer if layouts and sizes of elements are equal. A product reads its factors many times: execution refuses, before
// anything is written. It prints results in place and the refusals.

#include <cmath>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dnnl::prop_kind;
using dt = memory::data_type;
using tag = memory::format_tag;

bool good = true;

void print(const char* name, const std::vector<float>& values, const std::vector<float>& expected) {
    std::printf("%-8s", name);
    for (size_t i = 0; i < values.size(); ++i) {
        std::printf(" %.3g", values[i]);
        good &= std::fabs(values[i] - expected[i]) < 1e-6f;
    }
    std::printf("\n");
}

template <typename Work> void refused(const std::vector<float>& untouched, Work work) {
    const std::vector<float> before = untouched;
    try {
        work();
        std::printf("NOT REFUSED\n");
        good = false;
    } catch (const dnnl::error& e) { std::printf("refused: %s\n", e.what()); }
    good &= untouched == before;
}

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const memory::desc md({2, 2}, dt::f32, tag::ab), transposed({2, 2}, dt::f32, tag::ba);

    // [in place]
    std::vector<float> values = {-1, 2, -3, 4};
    const memory both(md, cpu, values.data());
    dnnl::eltwise_forward({cpu, prop_kind::forward_inference, dnnl::algorithm::eltwise_relu, md, md})
        .execute(stream, {{DNNL_ARG_SRC, both}, {DNNL_ARG_DST, both}});
    stream.wait();
    // [/in place]
    print("relu:", values, {0, 2, 0, 4});

    dnnl::binary({cpu, dnnl::algorithm::binary_add, md, md, md})
        .execute(stream, {{DNNL_ARG_SRC_0, both}, {DNNL_ARG_SRC_1, both}, {DNNL_ARG_DST, both}});
    stream.wait();
    print("x + x:", values, {0, 4, 0, 8});

    dnnl::softmax_forward({cpu, prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, md, md, 1})
        .execute(stream, {{DNNL_ARG_SRC, both}, {DNNL_ARG_DST, both}});
    stream.wait();
    const float a = 1 / (1 + std::exp(4.f)), b = 1 / (1 + std::exp(8.f));
    print("softmax:", values, {a, 1 - a, b, 1 - b});

    // [refused]
    const memory weights(md, cpu);
    refused(values, [&] {
        dnnl::matmul({cpu, md, md, md})
            .execute(stream, {{DNNL_ARG_SRC, both}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, both}});
    });
    refused(values, [&] { // other layout: the first element written would be one that is read later
        dnnl::eltwise_forward({cpu, prop_kind::forward_inference, dnnl::algorithm::eltwise_relu, md, transposed})
            .execute(stream, {{DNNL_ARG_SRC, both}, {DNNL_ARG_DST, memory(transposed, cpu, values.data())}});
    });
    // [/refused]
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
