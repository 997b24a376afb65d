// SPDX-License-Identifier: Apache-2.0
// Convolution, bias, residual sum and relu as one primitive, against three: dst = max(0, conv(src) + bias + dst).
//
// Post-ops run on results while they are in registers, in the order in which they were appended: sum reads what dst
// held before. The primitives one after the other pass through memory three times. Both give the same numbers; it
// prints the first of them, the largest difference and both times.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;
using dt = memory::data_type;
using tag = memory::format_tag;

std::vector<float> noise(size_t count, unsigned seed) {
    std::mt19937 bits(seed);
    std::vector<float> values(count);
    for (float& v : values) v = float(bits()) / 2147483648.f - 1;
    return values;
}

template <typename Work> double best_us(Work work) {
    double best = 1e30;
    for (int i = 0; i < 20; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best =
            std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const memory::desc pixels({2, 32, 28, 28}, dt::f32, tag::nhwc); // src, dst and the residual
    const memory::desc weights_md({32, 32, 1, 1}, dt::f32, tag::oihw), bias_md({32}, dt::f32, tag::x);
    const size_t count = pixels.get_size() / sizeof(float);
    std::vector<float> src = noise(count, 1), weights = noise(32 * 32, 2), bias = noise(32, 3),
                       residual = noise(count, 4);
    std::vector<float> fused(count), result(count);
    const memory x(pixels, cpu, src.data()), w(weights_md, cpu, weights.data()), b(bias_md, cpu, bias.data());
    const memory r(pixels, cpu, residual.data()), one(pixels, cpu, fused.data()), three(pixels, cpu, result.data());

    // [fused]
    dnnl::post_ops after;
    after.append_sum(1.f);                               // x = x + old dst
    after.append_eltwise(algorithm::eltwise_relu, 0, 0); // x = max(0, x)
    dnnl::primitive_attr attr;
    attr.set_post_ops(after);
    const dnnl::convolution_forward all({cpu,
                                         prop_kind::forward_inference,
                                         algorithm::convolution_direct,
                                         pixels,
                                         weights_md,
                                         bias_md,
                                         pixels,
                                         {1, 1},
                                         {0, 0},
                                         {0, 0},
                                         attr});
    const auto run_fused = [&] {
        all.execute(stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, one}});
        stream.wait();
    };
    // [/fused]

    const dnnl::convolution_forward conv({cpu,
                                          prop_kind::forward_inference,
                                          algorithm::convolution_direct,
                                          pixels,
                                          weights_md,
                                          bias_md,
                                          pixels,
                                          {1, 1},
                                          {0, 0},
                                          {0, 0}});
    const dnnl::binary add({cpu, algorithm::binary_add, pixels, pixels, pixels});
    const dnnl::eltwise_forward relu({cpu, prop_kind::forward_inference, algorithm::eltwise_relu, pixels, pixels});
    const auto run_three = [&] {
        conv.execute(stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, three}});
        add.execute(stream, {{DNNL_ARG_SRC_0, three}, {DNNL_ARG_SRC_1, r}, {DNNL_ARG_DST, three}});
        relu.execute(stream, {{DNNL_ARG_SRC, three}, {DNNL_ARG_DST, three}});
        stream.wait();
    };

    fused = residual; // what sum reads
    run_fused();
    run_three();
    float difference = 0, largest = 0, by_hand = bias[0] + residual[0];
    for (size_t i = 0; i < count; ++i) {
        difference = std::max(difference, std::fabs(fused[i] - result[i]));
        largest = std::max(largest, result[i]);
    }
    for (size_t c = 0; c < 32; ++c) by_hand += src[c] * weights[c]; // channel 0 of pixel 0; nhwc: channels are dense
    by_hand = std::max(0.f, by_hand);
    std::printf("first result: %.3f fused, %.3f one by one, %.3f by a loop\n", fused[0], result[0], by_hand);
    const bool good = difference < 1e-5f * largest && std::fabs(fused[0] - by_hand) < 1e-4f;
    std::printf("largest difference below 1e-5 of the largest result: %s\n", good ? "yes" : "NO");
    const double a = best_us(run_fused), c = best_us(run_three);
    std::printf("fused %.0f us, one by one %.0f us: %.1f times as fast\n", a, c, c / a);
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
