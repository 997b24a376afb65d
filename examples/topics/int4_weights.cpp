// SPDX-License-Identifier: Apache-2.0
// Weights of 4 bits, activations in f32: what language models use to fit their weights into memory.
//
// Every group of 32 weights along K has a scale (f16) and a zero point (u4 values, one per group). fpmath with
// apply_to_int = true asks for decompression: weights become (q - zero point) * scale and are multiplied as floats; src
// is not quantized. It prints the bytes of the weights, the error against the f32 weights, and that against a plain
// loop over the decompressed ones.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

constexpr int M = 4, K = 512, N = 128, group = 32, groups = K / group;

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    std::mt19937 bits(1);
    std::vector<float> src(M * K), weights(K * N), unpacked(K * N), dst(M * N);
    for (float& x : src) x = float(bits()) / 2147483648.f - 1;
    for (float& x : weights) x = float(bits()) / 4294967296.f - 0.4f;

    // Quantize: each group of a column from its least to its greatest weight, 0 to 15. Two values lie in a byte, the
    // one with the even number in the low half.
    std::vector<uint8_t> packed(K * N / 2), zeros(groups * N / 2);
    std::vector<float> scales(groups * N);
    const auto put = [](std::vector<uint8_t>& bytes, int i, int value) {
        bytes[size_t(i / 2)] = uint8_t(bytes[size_t(i / 2)] | value << (i % 2 * 4));
    };
    for (int g = 0; g < groups; ++g)
        for (int n = 0; n < N; ++n) {
            float low = 0, high = 0;
            for (int k = g * group; k < (g + 1) * group; ++k) {
                low = std::min(low, weights[size_t(k * N + n)]);
                high = std::max(high, weights[size_t(k * N + n)]);
            }
            const float scale = std::ldexp(std::ceil(std::ldexp((high - low) / 15, 14)), -14); // exact in f16
            const float zero = std::nearbyint(-low / scale);
            scales[size_t(g * N + n)] = scale;
            put(zeros, g * N + n, int(zero));
            for (int k = g * group; k < (g + 1) * group; ++k) {
                const float q = std::clamp(std::nearbyint(weights[size_t(k * N + n)] / scale) + zero, 0.f, 15.f);
                put(packed, k * N + n, int(q));
                unpacked[size_t(k * N + n)] = (q - zero) * scale;
            }
        }
    const memory::desc scales_f32({groups, N}, dt::f32, tag::ab), scales_f16({groups, N}, dt::f16, tag::ab);
    memory given(scales_f32, cpu, scales.data()), half(scales_f16, cpu);
    dnnl::reorder(given, half).execute(stream, given, half);

    // [matmul]
    const memory::desc src_md({M, K}, dt::f32, tag::ab), weights_md({K, N}, dt::u4, tag::ab),
        dst_md({M, N}, dt::f32, tag::ab);
    dnnl::primitive_attr attr;
    const int both = 1 << 0 | 1 << 1; // along K, by groups, and along N
    attr.set_scales(DNNL_ARG_WEIGHTS, both, {group, 1}, dt::f16);
    attr.set_zero_points(DNNL_ARG_WEIGHTS, both, {group, 1}, dt::u4);
    attr.set_fpmath_mode(dnnl::fpmath_mode::strict, true);
    const dnnl::matmul product({cpu, src_md, weights_md, dst_md, attr});
    product.execute(stream, {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())},
                             {DNNL_ARG_WEIGHTS, memory(weights_md, cpu, packed.data())},
                             {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())},
                             {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, half},
                             {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, //
                              memory({{groups, N}, dt::u4, tag::ab}, cpu, zeros.data())}});
    stream.wait();
    // [/matmul]

    const auto error_against = [&](const std::vector<float>& of_weights) { // |dst - src x weights| / |src x weights|
        double off = 0, size = 0;
        for (int i = 0; i < M * N; ++i) {
            double sum = 0;
            for (int k = 0; k < K; ++k) sum += src[size_t(i / N * K + k)] * of_weights[size_t(k * N + i % N)];
            off += std::pow(dst[size_t(i)] - sum, 2);
            size += sum * sum;
        }
        return std::sqrt(off / size);
    };
    const double quantized = error_against(weights), computed = error_against(unpacked);
    std::printf("weights: %zu bytes in f32, %zu in u4, of which %zu are scales and zero points\n",
                weights.size() * sizeof(float), packed.size() + scales.size() * 2 + zeros.size(),
                scales.size() * 2 + zeros.size());
    std::printf("relative error against f32 weights: %.0f %%\n", 100 * quantized);
    const bool good = computed < 1e-6 && quantized < 0.1;
    std::printf("against a loop over the decompressed weights: %s\n", computed < 1e-6 ? "below 1e-6" : "TOO LARGE");
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
