// SPDX-License-Identifier: Apache-2.0
// Batch normalization: each channel of a batch gets mean 0 and variance 1, then a scale and a shift of its own.
//
// Three channels of very different ranges. Training computes their means and variances, which are printed before and
// after: a variance of 0.00005 becomes 0.84 only, for epsilon counts beside it. A program keeps a running average of
// both. Then the backward: the gradients of scale and shift, and that the gradient of src sums to 0 over each channel.
// Last inference, which takes the statistics as arguments, with a fused ReLU.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int N = 4, C = 3, points = 6, count = N * points;
constexpr float epsilon = 1e-5f;
bool right = true;

void check(double got, double wanted, const char* what) {
    if (std::fabs(got - wanted) <= 1e-3 * (1 + std::fabs(wanted))) return;
    std::printf("WRONG: %s is %g, a plain loop says %g\n", what, got, wanted);
    right = false;
}

size_t at(int n, int c, int p) { return size_t((n * C + c) * points + p); }

struct Statistics {
    double mean = 0, variance = 0;
};
Statistics statistics(const std::vector<float>& x, int c) {
    Statistics of;
    for (int i = 0; i < count; ++i) of.mean += x[at(i / points, c, i % points)] / count;
    for (int i = 0; i < count; ++i) of.variance += std::pow(x[at(i / points, c, i % points)] - of.mean, 2) / count;
    return of;
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::desc data({N, C, points}, dt::f32, tag::ncw), per_channel({C}, dt::f32, tag::a);
    const auto affine = normalization_flags::use_scale | normalization_flags::use_shift;
    std::vector<float> x(N * C * points), y(x.size()), dy(x.size()), dx(x.size()), positive(x.size());
    std::vector<float> mean(C), variance(C), scale = {1, 1, 2}, shift = {0, 0, -5}, dscale(C), dshift(C);
    for (int i = 0; i < count; ++i)
        for (int c = 0; c < C; ++c) {
            const float wave = std::sin(float(7 * i + c));
            x[at(i / points, c, i % points)] = c == 0 ? 100 + 10 * wave : c == 1 ? 0.01f * wave : wave - 3;
            dy[at(i / points, c, i % points)] = float(i % 3);
        }
    const auto of = [&](std::vector<float>& values) {
        return memory(values.size() == C ? per_channel : data, cpu, values.data());
    };

    // Training: mean and variance are results.
    const batch_normalization_forward::primitive_desc forward(cpu, prop_kind::forward_training, data, data, epsilon,
                                                              affine);
    std::unordered_map<int, memory> args = {
        {DNNL_ARG_SRC, of(x)},     {DNNL_ARG_SCALE, of(scale)},       {DNNL_ARG_SHIFT, of(shift)},
        {DNNL_ARG_MEAN, of(mean)}, {DNNL_ARG_VARIANCE, of(variance)}, {DNNL_ARG_DST, of(y)}};
    batch_normalization_forward(forward).execute(s, args);
    s.wait();
    std::printf("channel     mean  variance | scale shift | mean of dst  variance\n");
    for (int c = 0; c < C; ++c) {
        const auto before = statistics(x, c), after = statistics(y, c);
        std::printf("%7d %8.3f %9.5f | %5.0f %5.0f | %11.3f %9.3f\n", c, mean[c] + 0.f, variance[c], scale[c], shift[c],
                    std::round(after.mean * 1000) / 1000 + 0., after.variance);
        check(mean[c], before.mean, "mean");
        check(variance[c], before.variance, "variance");
        check(after.mean, shift[c], "mean of dst");
        check(after.variance, scale[c] * scale[c] * before.variance / (before.variance + epsilon), "variance of dst");
    }

    // Backward takes the statistics that forward computed; arguments that it does not need are ignored.
    const batch_normalization_backward::primitive_desc backward(cpu, prop_kind::backward, data, data, data, epsilon,
                                                                affine, forward);
    std::unordered_map<int, memory> all = args;
    all.insert({{DNNL_ARG_DIFF_DST, of(dy)},
                {DNNL_ARG_DIFF_SRC, of(dx)},
                {DNNL_ARG_DIFF_SCALE, of(dscale)},
                {DNNL_ARG_DIFF_SHIFT, of(dshift)}});
    batch_normalization_backward(backward).execute(s, all);
    // Inference with the statistics of training: they are arguments now, and the ReLU costs no pass of its own.
    const auto of_training = normalization_flags::use_global_stats | normalization_flags::fuse_norm_relu;
    const batch_normalization_forward::primitive_desc inference(cpu, prop_kind::forward_inference, data, data, epsilon,
                                                                affine | of_training);
    args[DNNL_ARG_DST] = of(positive);
    batch_normalization_forward(inference).execute(s, args);
    s.wait();
    std::printf("\nchannel diff_shift diff_scale | of dst, positive\n");
    for (int c = 0; c < C; ++c) {
        const double rstd = 1 / std::sqrt(variance[c] + epsilon);
        double sum = 0, sum_dy = 0, sum_scale = 0, above = 0;
        for (int i = 0; i < count; ++i) {
            const size_t e = at(i / points, c, i % points);
            sum += dx[e] / rstd;
            sum_dy += dy[e];
            sum_scale += dy[e] * (x[e] - mean[c]) * rstd;
            above += positive[e] > 0;
            check(positive[e], std::max(0.f, y[e]), "dst with a fused ReLU");
        }
        std::printf("%7d %10.3f %10.3f | %2.0f of %d\n", c, dshift[c], dscale[c], above, count);
        check(dshift[c], sum_dy, "diff_shift");
        check(dscale[c], sum_scale, "diff_scale");
        check(sum, 0, "the sum of diff_src");
    }
    return right ? 0 : 1;
} catch (const error& e) {
    std::fprintf(stderr, "batch_normalization: %s\n", e.what());
    return 1;
}
