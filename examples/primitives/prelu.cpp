// SPDX-License-Identifier: Apache-2.0
// PReLU: a ReLU whose slope for negative elements is learned, one slope a channel here.
//
// Three channels with the slopes 0, 0.25 and 1, which are ReLU, a leaky ReLU and the identity. Prints forward results,
// and the gradient of the slopes: the sum over a channel of src times diff_dst where src is negative. One step against
// that gradient then moves the slopes, to where dst is closer to |src|.
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int channels = 3, points = 5;
bool right = true;

void check(float got, float wanted, const char* what) {
    if (std::fabs(got - wanted) < 1e-5f) return;
    std::printf("WRONG: %s is %g, a plain loop says %g\n", what, got, wanted);
    right = false;
}

float prelu(float x, float slope) { return x > 0 ? x : slope * x; }

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::desc data({1, channels, points}, dt::f32, tag::ncw);
    // A dim of 1 shares a slope along it. Any layout: the primitive chooses it, and only one number a channel is
    // stored.
    const memory::desc shared({1, channels, 1}, dt::f32, tag::any);
    const prelu_forward::primitive_desc forward(cpu, prop_kind::forward_training, data, shared, data);
    const prelu_backward::primitive_desc backward(cpu, data, forward.weights_desc(), data, forward.weights_desc(), data,
                                                  forward);

    std::vector<float> x, slopes = {0, 0.25f, 1}, y(channels * points), dy(y.size()), dx(y.size()), dslopes(channels);
    for (int c = 0; c < channels; ++c)
        for (float value : {-2.f, -1.f, 0.f, 1.f, 2.f}) x.push_back(value);
    const memory src(data, cpu, x.data()), weights(forward.weights_desc(), cpu, slopes.data());
    prelu_forward(forward).execute(
        s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, memory(data, cpu, y.data())}});
    s.wait();
    for (int c = 0; c < channels; ++c) {
        std::printf("slope %4.2f:", slopes[c]);
        for (int p = 0; p < points; ++p) {
            std::printf(" %6.2f", y[c * points + p] + 0.f); // -0 prints as 0
            check(y[c * points + p], prelu(x[c * points + p], slopes[c]), "dst");
        }
        std::printf("\n");
    }

    // The loss is half of the squared distance of dst from |src|; its gradient is the distance.
    double loss = 0, later = 0;
    for (size_t i = 0; i < y.size(); ++i) {
        dy[i] = y[i] - std::fabs(x[i]);
        loss += 0.5 * dy[i] * dy[i];
    }
    prelu_backward(backward).execute(s, {{DNNL_ARG_SRC, src},
                                         {DNNL_ARG_WEIGHTS, weights},
                                         {DNNL_ARG_DIFF_DST, memory(data, cpu, dy.data())},
                                         {DNNL_ARG_DIFF_SRC, memory(data, cpu, dx.data())},
                                         {DNNL_ARG_DIFF_WEIGHTS, memory(forward.weights_desc(), cpu, dslopes.data())}});
    s.wait();
    std::printf("\ngradient of the slopes:");
    for (int c = 0; c < channels; ++c) {
        float wanted = 0;
        for (int p = 0; p < points; ++p) {
            const size_t i = c * points + p;
            wanted += x[i] > 0 ? 0 : x[i] * dy[i];
            check(dx[i], x[i] > 0 ? dy[i] : slopes[c] * dy[i], "diff_src");
            const float slope = slopes[c] - 0.1f * dslopes[c];
            later += 0.5 * std::pow(prelu(x[i], slope) - std::fabs(x[i]), 2);
        }
        check(dslopes[c], wanted, "diff_weights");
        std::printf(" %6.2f", dslopes[c]);
    }
    std::printf("\nloss %.3f, after a step of 0.1 against it %.3f\n", loss, later);
    return right && later < loss ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "prelu: %s\n", e.what());
    return 1;
}
