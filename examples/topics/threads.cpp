// SPDX-License-Identifier: Apache-2.0
// Threads: one primitive, executed by several threads of the program at once, by any number of threads each.
//
// Primitives do not change after their creation and keep no scratch memory of their own, so threads may share them;
// each brings its stream and its buffers. Every result is compared bit by bit with that of a single thread: neither the
// neighbours nor the number of threads change a rounding. It prints whose threads do the work, which the build decides.

#include <cstdio>
#include <random>
#include <thread>
#include <vector>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

using dnnl::memory;

constexpr int M = 100, K = 300, N = 200, callers = 4;

int main() try {
    std::printf("the library's threads: %s\n", dnnl_runtime2str(unsigned(dnnl::version()->cpu_runtime)));

    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const auto md = [](int rows, int columns) {
        return memory::desc({rows, columns}, memory::data_type::f32, memory::format_tag::ab);
    };
    std::mt19937 bits(1);
    std::vector<float> src(M * K), weights(K * N);
    for (auto* values : {&src, &weights})
        for (float& v : *values) v = float(bits()) / 2147483648.f - 1;
    const dnnl::matmul product({cpu, md(M, K), md(K, N), md(M, N)});

    // [one caller]
    const auto result = [&] {
        dnnl::stream stream(cpu); // of the thread that calls
        std::vector<float> dst(M * N);
        product.execute(stream, {{DNNL_ARG_SRC, memory(md(M, K), cpu, src.data())},
                                 {DNNL_ARG_WEIGHTS, memory(md(K, N), cpu, weights.data())},
                                 {DNNL_ARG_DST, memory(md(M, N), cpu, dst.data())}});
        stream.wait();
        return dst;
    };
    // [/one caller]
    const std::vector<float> alone = result();

    // [several callers]
    std::vector<std::vector<float>> results(callers);
    std::vector<std::thread> threads;
    for (int i = 0; i < callers; ++i) threads.emplace_back([&, i] { results[size_t(i)] = result(); });
    for (std::thread& t : threads) t.join();
    // [/several callers]
    bool good = true;
    for (const auto& r : results) good &= r == alone;
    std::printf("%d threads at once: %s\n", callers, good ? "the same bits" : "OTHER BITS");

#ifdef _OPENMP
    // [number of threads]
    for (int count : {1, 2, 3, 7}) {
        omp_set_num_threads(count); // or OMP_NUM_THREADS in the environment
        const bool same = result() == alone;
        std::printf("OpenMP with %d: %s\n", count, same ? "the same bits" : "OTHER BITS");
        good &= same;
    }
    // [/number of threads]

    // Inside of a parallel region of the program each call works alone: threads are not multiplied by threads.
#pragma omp parallel num_threads(callers)
    {
        const bool same = result() == alone;
#pragma omp critical
        good &= same;
    }
    std::printf("in a parallel region: %s\n", good ? "the same bits" : "OTHER BITS");
#endif
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
