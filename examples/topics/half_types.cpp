// SPDX-License-Identifier: Apache-2.0
// Floats of 16, 8 and 4 bits: what becomes of a number, and of a product of matrices.
//
// For each type it prints what numbers read after a reorder to the type and back: 1/3 shows the bits of the mantissa,
// 300 and 1e5 where a type ends (infinity, NaN or its largest number), 1e-3 and 1e-6 where small ones become 0. Then
// the relative error of a product whose two factors are stored in the type, sums in f32. The rounding is checked
// against the formula: to nearest, ties to even.

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

struct Format {
    const char* name;
    dt type;
    int mantissa_bits, least_exponent; // of the smallest normal number: 2^least_exponent
};
const Format formats[] = {{"bf16", dt::bf16, 7, -126},
                          {"f16", dt::f16, 10, -14},
                          {"f8_e5m2", dt::f8_e5m2, 2, -14},
                          {"f8_e4m3", dt::f8_e4m3, 3, -6},
                          {"f4_e2m1", dt::f4_e2m1, 1, 0}};

// [there and back]
std::vector<float> rounded(const std::vector<float>& values, dt type, const dnnl::engine& cpu) {
    dnnl::stream stream(cpu);
    const memory::dims dims = {memory::dim(values.size())};
    std::vector<float> result = values;
    memory wide({dims, dt::f32, tag::a}, cpu, result.data()), narrow({dims, type, tag::a}, cpu);
    dnnl::reorder(wide, narrow).execute(stream, wide, narrow);
    dnnl::reorder(narrow, wide).execute(stream, narrow, wide);
    stream.wait();
    return result;
}
// [/there and back]

// x on the grid of a format: multiples of 2^(exponent - mantissa bits), nearest, ties to even.
float on_grid(float x, const Format& f) {
    const int step = std::max(std::ilogb(x), f.least_exponent) - f.mantissa_bits;
    return std::ldexp(std::nearbyint(std::ldexp(x, -step)), step);
}

constexpr int M = 16, K = 64, N = 16;

// The product of two matrices that are stored in a type, and its error against f32.
double error_of_product(const std::vector<float>& a, const std::vector<float>& b, dt type, const dnnl::engine& cpu) {
    dnnl::stream stream(cpu);
    std::vector<float> copy_a = a, copy_b = b, result(M * N);
    memory wide_a({{M, K}, dt::f32, tag::ab}, cpu, copy_a.data()),
        wide_b({{K, N}, dt::f32, tag::ab}, cpu, copy_b.data());
    memory src({{M, K}, type, tag::ab}, cpu), weights({{K, N}, type, tag::ab}, cpu);
    memory dst({{M, N}, dt::f32, tag::ab}, cpu, result.data());
    dnnl::reorder(wide_a, src).execute(stream, wide_a, src);
    dnnl::reorder(wide_b, weights).execute(stream, wide_b, weights);
    dnnl::matmul({cpu, src.get_desc(), weights.get_desc(), dst.get_desc()})
        .execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    stream.wait();
    double off = 0, size = 0;
    for (int i = 0; i < M * N; ++i) {
        double sum = 0;
        for (int k = 0; k < K; ++k) sum += double(a[size_t(i / N * K + k)]) * b[size_t(k * N + i % N)];
        off += std::pow(result[size_t(i)] - sum, 2);
        size += sum * sum;
    }
    return std::sqrt(off / size);
}

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    std::mt19937 bits(1);
    std::vector<float> a(M * K), b(K * N);
    for (auto* values : {&a, &b})
        for (float& v : *values) v = float(bits()) / 1073741824.f - 2;

    const std::vector<float> samples = {1.f / 3, 300, 1e5f, 1e-3f, 1e-6f};
    std::printf("%-8s %10s %9s %9s %10s %10s %12s\n", "", "1/3", "300", "1e5", "1e-3", "1e-6", "product");
    bool good = true;
    for (const Format& f : formats) {
        std::printf("%-8s", f.name);
        const std::vector<float> read = rounded(samples, f.type, cpu);
        for (size_t i = 0; i < read.size(); ++i)
            std::printf(i == 1 || i == 2 ? " %9.6g" : " %10.4g", std::fabs(read[i]));
        const double error = error_of_product(a, b, f.type, cpu);
        std::printf("    %.2g %%\n", 100 * error);
        good &= error < std::ldexp(1, -f.mantissa_bits);

        const std::vector<float> inside = rounded(a, f.type, cpu); // numbers that no type has to clip
        for (size_t i = 0; i < a.size(); ++i) good &= inside[i] == on_grid(a[i], f);
    }
    std::printf("%s\n", good ? "all are rounded to nearest, ties to even" : "WRONG");
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
