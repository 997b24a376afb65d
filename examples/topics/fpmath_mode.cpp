// SPDX-License-Identifier: Apache-2.0
// fpmath mode: permission to round factors of f32 to fewer bits inside of a product.
//
// Tensors stay f32. A mode allows, it does not demand: where bf16 instructions are no faster, results are those of
// strict. It prints the relative error of each mode; what bf16 may cost is checked, not what it must. The mode belongs
// to the attributes, which begin with the default mode of the process.

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

using dnnl::fpmath_mode;
using dnnl::memory;

constexpr int M = 64, K = 512, N = 64;

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const auto md = [](int rows, int columns) {
        return memory::desc({rows, columns}, memory::data_type::f32, memory::format_tag::ab);
    };
    std::mt19937 bits(1);
    std::vector<float> src(M * K), weights(K * N), dst(M * N);
    for (auto* values : {&src, &weights})
        for (float& v : *values) v = float(bits()) / 2147483648.f - 1;

    const auto error_of = [&](const dnnl::primitive_attr& attr) { // |dst - exact| / |exact|
        dnnl::matmul({cpu, md(M, K), md(K, N), md(M, N), attr})
            .execute(stream, {{DNNL_ARG_SRC, memory(md(M, K), cpu, src.data())},
                              {DNNL_ARG_WEIGHTS, memory(md(K, N), cpu, weights.data())},
                              {DNNL_ARG_DST, memory(md(M, N), cpu, dst.data())}});
        stream.wait();
        double off = 0, size = 0;
        for (int i = 0; i < M * N; ++i) {
            double sum = 0;
            for (int k = 0; k < K; ++k) sum += double(src[size_t(i / N * K + k)]) * weights[size_t(k * N + i % N)];
            off += std::pow(dst[size_t(i)] - sum, 2);
            size += sum * sum;
        }
        return std::sqrt(off / size);
    };

    bool good = true;
    const auto report = [&](const char* name, const dnnl::primitive_attr& attr, double most) {
        const double error = error_of(attr);
        std::printf("%-7s error %.1e, at most %.0e\n", name, error, most);
        good &= error < most;
    };

    // [attribute]
    dnnl::primitive_attr strict, bf16, any;
    bf16.set_fpmath_mode(fpmath_mode::bf16);
    any.set_fpmath_mode(fpmath_mode::any);
    // [/attribute]
    report("strict:", strict, 1e-6);
    report("bf16:", bf16, 4e-3);
    report("any:", any, 4e-3);

    // [default]
    dnnl::set_default_fpmath_mode(fpmath_mode::bf16); // as ONEDNN_DEFAULT_FPMATH_MODE=BF16
    const dnnl::primitive_attr later;
    // [/default]
    good &= later.get_fpmath_mode() == fpmath_mode::bf16 && strict.get_fpmath_mode() == fpmath_mode::strict;
    std::printf("attributes made after the default changed: %s; made before: %s\n",
                dnnl_fpmath_mode2str(dnnl::convert_to_c(later.get_fpmath_mode())),
                dnnl_fpmath_mode2str(dnnl::convert_to_c(strict.get_fpmath_mode())));
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
