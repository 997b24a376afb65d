// SPDX-License-Identifier: Apache-2.0
// One primitive for every batch size: an extent that is known at execution.
//
// The descriptors for creation say DNNL_RUNTIME_DIM_VAL; the memory objects of an execution have the extents. It prints
// a sum of each batch size beside the same sum of a loop, and what is refused: memories that contradict each other.

#include <cmath>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

constexpr int K = 32, N = 8, most = 100;

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    std::vector<float> src(most * K), weights(K * N), dst(most * N);
    for (int i = 0; i < most * K; ++i) src[size_t(i)] = float(i % 7 - 3);
    for (int i = 0; i < K * N; ++i) weights[size_t(i)] = float(i % 5 - 2);

    // [created once]
    const memory::dim rows = DNNL_RUNTIME_DIM_VAL;
    const memory::desc weights_md({K, N}, dt::f32, tag::ab);
    const dnnl::matmul product({cpu, {{rows, K}, dt::f32, tag::ab}, weights_md, {{rows, N}, dt::f32, tag::ab}});
    // [/created once]

    // [executed]
    const memory w(weights_md, cpu, weights.data());
    const auto execute = [&](memory::dim m, memory::dim rows_of_dst) {
        const memory x({{m, K}, dt::f32, tag::ab}, cpu, src.data());
        const memory y({{rows_of_dst, N}, dt::f32, tag::ab}, cpu, dst.data());
        product.execute(stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, y}});
        stream.wait();
    };
    // [/executed]

    bool good = true;
    for (int m : {1, 3, 64, most}) {
        execute(m, m);
        float sum = 0, by_loop = 0;
        for (int i = 0; i < m * N; ++i) {
            sum += dst[size_t(i)] * float(i % 3);
            for (int k = 0; k < K; ++k)
                by_loop += src[size_t(i / N * K + k)] * weights[size_t(k * N + i % N)] * float(i % 3);
        }
        std::printf("batch of %3d: %g, by a loop %g\n", m, sum, by_loop);
        good &= sum == by_loop; // small integers: exact
    }

    try {
        execute(5, 4);
        good = false;
    } catch (const dnnl::error& e) { std::printf("%s\n", e.what()); }
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
