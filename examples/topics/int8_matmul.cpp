// SPDX-License-Identifier: Apache-2.0
// A product in 8 bits: dst = src x weights with src in u8 and weights in s8.
//
// A stored value q stands for (q - zero point) * scale. src has one scale and a zero point; the columns of the weights
// have a scale each, since they differ in size. Sums are exact in s32, so the only errors are those of quantization.
// It prints the relative error against f32, with a scale for each column and with one for all, then a dst of u8 with
// its own scale and zero point, compared with the formula.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

constexpr int M = 16, K = 256, N = 64;

template <typename T> memory tensor(const dnnl::engine& cpu, const memory::dims& dims, dt type, std::vector<T>& data) {
    return memory({dims, type, dims.size() == 1 ? tag::a : tag::ab}, cpu, data.data());
}

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    std::mt19937 bits(1);
    const auto uniform = [&](float low, float high) { return low + (high - low) * (float(bits()) / 4294967296.f); };

    std::vector<float> src(M * K), weights(K * N), exact(M * N);
    for (float& x : src) x = uniform(-1, 3);
    for (int i = 0; i < K * N; ++i)
        weights[size_t(i)] = uniform(-1, 1) * std::exp2(-float(i % N) / 10); // columns of 1 to 1/80
    for (int i = 0; i < M * N; ++i)
        for (int k = 0; k < K; ++k) exact[size_t(i)] += src[size_t(i / N * K + k)] * weights[size_t(k * N + i % N)];

    // [src] -1 to 3 become 0 to 255.
    float src_scale = 4.f / 255;
    int32_t src_zero = 64; // stands for 0
    std::vector<uint8_t> src_u8(M * K);
    for (size_t i = 0; i < src.size(); ++i)
        src_u8[i] = uint8_t(std::clamp(std::nearbyint(src[i] / src_scale) + float(src_zero), 0.f, 255.f));
    // [/src]

    bool good = true;
    std::vector<float> scales(N), dst(M * N);
    std::vector<int8_t> weights_s8(K * N);
    for (bool each : {true, false}) {
        // [weights] The largest of a column, or of all, becomes 127.
        std::fill(scales.begin(), scales.end(), 0.f);
        for (int i = 0; i < K * N; ++i)
            scales[each ? size_t(i % N) : 0] =
                std::max(scales[each ? size_t(i % N) : 0], std::fabs(weights[size_t(i)]) / 127);
        for (int i = 0; i < K * N; ++i)
            weights_s8[size_t(i)] = int8_t(std::nearbyint(weights[size_t(i)] / scales[each ? size_t(i % N) : 0]));
        // [/weights]

        // [matmul]
        dnnl::primitive_attr attr;
        attr.set_scales_mask(DNNL_ARG_SRC, 0);                     // one value
        attr.set_zero_points_mask(DNNL_ARG_SRC, 0);                // one value
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, each ? 1 << 1 : 0); // bit 1: they vary along dimension 1, the columns
        const dnnl::matmul::primitive_desc desc(cpu, {{M, K}, dt::u8, tag::ab}, {{K, N}, dt::s8, tag::ab},
                                                {{M, N}, dt::f32, tag::ab}, attr);
        dnnl::matmul(desc).execute(
            stream,
            {{DNNL_ARG_SRC, tensor(cpu, {M, K}, dt::u8, src_u8)},
             {DNNL_ARG_WEIGHTS, tensor(cpu, {K, N}, dt::s8, weights_s8)},
             {DNNL_ARG_DST, tensor(cpu, {M, N}, dt::f32, dst)},
             {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, memory({{1}, dt::f32, tag::a}, cpu, &src_scale)},
             {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, memory({{1}, dt::s32, tag::a}, cpu, &src_zero)},
             {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, memory({{each ? N : 1}, dt::f32, tag::a}, cpu, scales.data())}});
        stream.wait();
        // [/matmul]

        double error = 0; // mean over the columns of |error| / |column|
        for (int n = 0; n < N; ++n) {
            double off = 0, size = 0;
            for (int m = 0; m < M; ++m) {
                off += std::pow(dst[size_t(m * N + n)] - exact[size_t(m * N + n)], 2);
                size += std::pow(exact[size_t(m * N + n)], 2);
            }
            error += std::sqrt(off / size) / N;
        }
        std::printf("%-32s relative error %.1f %%\n",
                    each ? "weights: a scale for each column" : "weights: one scale for all", 100 * error);
        good &= each ? error < 0.02 : error > 0.04;
    }

    // [dst] A dst of u8: q = saturate(round(value / scale) + zero point).
    float dst_scale = 0.5f;
    int32_t dst_zero = 128;
    std::vector<uint8_t> dst_u8(M * N);
    dnnl::primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_DST, 0);
    attr.set_zero_points_mask(DNNL_ARG_DST, 0);
    dnnl::reorder::primitive_desc convert(cpu, {{M, N}, dt::f32, tag::ab}, cpu, {{M, N}, dt::u8, tag::ab}, attr);
    dnnl::reorder(convert).execute(
        stream, {{DNNL_ARG_FROM, tensor(cpu, {M, N}, dt::f32, dst)},
                 {DNNL_ARG_TO, tensor(cpu, {M, N}, dt::u8, dst_u8)},
                 {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, memory({{1}, dt::f32, tag::a}, cpu, &dst_scale)},
                 {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, memory({{1}, dt::s32, tag::a}, cpu, &dst_zero)}});
    stream.wait();
    // [/dst]
    for (size_t i = 0; i < dst.size(); ++i)
        good &= dst_u8[i] == uint8_t(std::clamp(std::nearbyint(dst[i] / dst_scale + float(dst_zero)), 0.f, 255.f));
    std::printf("dst as u8: %.2f became %d, which stands for %.2f\n", dst[63], dst_u8[63],
                float(dst_u8[63] - dst_zero) * dst_scale);
    std::printf("%s\n", good ? "all as the formulas say" : "WRONG");
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
