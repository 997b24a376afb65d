// SPDX-License-Identifier: Apache-2.0
// Layer normalization, and RMS normalization: the last dim of each row gets mean 0 and variance 1.
//
// Four tokens of eight features, of growing mean and range: the printed means and variances are the rows' before and
// after. Then RMS normalization, which divides by the root mean square alone and keeps the mean; and the backward,
// whose result has no part along what the normalization takes away: it sums to 0, and its product with dst is 0.
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int tokens = 4, features = 8;
constexpr float epsilon = 1e-6f;
bool right = true;

void check(double got, double wanted, const char* what) {
    if (std::fabs(got - wanted) <= 1e-4 * (1 + std::fabs(wanted))) return;
    std::printf("WRONG: %s is %g, a plain loop says %g\n", what, got, wanted);
    right = false;
}

struct Statistics {
    double mean = 0, variance = 0, squares = 0; // the last: mean of the squares
};
Statistics statistics(const float* row) {
    Statistics of;
    for (int f = 0; f < features; ++f) {
        of.mean += row[f] / features;
        of.squares += row[f] * row[f] / features;
    }
    for (int f = 0; f < features; ++f) of.variance += std::pow(row[f] - of.mean, 2) / features;
    return of;
}

double shown(double x) { return std::round(x * 1000) / 1000 + 0.; } // never -0.000

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::desc data({tokens, features}, dt::f32, tag::ab), per_token({tokens}, dt::f32, tag::a);
    std::vector<float> x(tokens * features), y(x.size()), dy(x.size()), dx(x.size()), mean(tokens), variance(tokens);
    for (int t = 0; t < tokens; ++t)
        for (int f = 0; f < features; ++f) {
            x[t * features + f] = std::pow(4.f, float(t)) * (1 + 0.25f * float(f * 5 % 8));
            dy[t * features + f] = float(f);
        }
    const memory src(data, cpu, x.data()), dst(data, cpu, y.data());
    const memory means(per_token, cpu, mean.data()), variances(per_token, cpu, variance.data());

    const layer_normalization_forward::primitive_desc forward(cpu, prop_kind::forward_training, data, data, epsilon,
                                                              normalization_flags::none);
    layer_normalization_forward(forward).execute(
        s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_MEAN, means}, {DNNL_ARG_VARIANCE, variances}});
    s.wait();
    std::printf("token     mean  variance | mean of dst  variance\n");
    for (int t = 0; t < tokens; ++t) {
        const Statistics before = statistics(&x[t * features]), after = statistics(&y[t * features]);
        std::printf("%5d %8.3f %9.3f | %11.3f %9.3f\n", t, mean[t], variance[t], shown(after.mean), after.variance);
        check(mean[t], before.mean, "mean");
        check(variance[t], before.variance, "variance");
        for (int f = 0; f < features; ++f)
            check(y[t * features + f], (x[t * features + f] - before.mean) / std::sqrt(before.variance + epsilon),
                  "dst");
    }

    // Backward takes the statistics that forward computed.
    const layer_normalization_backward::primitive_desc backward(cpu, prop_kind::backward_data, data, data, data,
                                                                epsilon, normalization_flags::none, forward);
    layer_normalization_backward(backward).execute(s, {{DNNL_ARG_SRC, src},
                                                       {DNNL_ARG_MEAN, means},
                                                       {DNNL_ARG_VARIANCE, variances},
                                                       {DNNL_ARG_DIFF_DST, memory(data, cpu, dy.data())},
                                                       {DNNL_ARG_DIFF_SRC, memory(data, cpu, dx.data())}});
    s.wait();
    std::printf("\ntoken   diff_src of the first three | sum  product with dst\n");
    for (int t = 0; t < tokens; ++t) {
        double sum = 0, product = 0;
        for (int f = 0; f < features; ++f) {
            sum += dx[t * features + f];
            product += dx[t * features + f] * y[t * features + f];
        }
        std::printf("%5d %9.3f %9.3f %9.3f | %.3f %12.3f\n", t, dx[t * features], dx[t * features + 1],
                    dx[t * features + 2], shown(sum), shown(product));
        check(sum, 0, "the sum of diff_src");
        check(product, 0, "the product of diff_src and dst");
    }

    // RMS: no mean; the slot of the variance holds the mean of the squares.
    const layer_normalization_forward::primitive_desc rms(cpu, prop_kind::forward_inference, data, data, epsilon,
                                                          normalization_flags::rms_norm);
    layer_normalization_forward(rms).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    s.wait();
    std::printf("\ntoken     RMS | mean of dst  variance  mean of squares\n");
    for (int t = 0; t < tokens; ++t) {
        const Statistics before = statistics(&x[t * features]), after = statistics(&y[t * features]);
        std::printf("%5d %7.2f | %11.3f %9.3f %16.3f\n", t, std::sqrt(before.squares), after.mean, after.variance,
                    after.squares);
        for (int f = 0; f < features; ++f)
            check(y[t * features + f], x[t * features + f] / std::sqrt(before.squares + epsilon), "RMS");
    }
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "layer_normalization: %s\n", e.what());
    return 1;
}
