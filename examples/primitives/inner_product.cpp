// SPDX-License-Identifier: Apache-2.0
// Inner product, the fully connected layer: dst = src times weights plus bias; forward, and both gradients.
//
// Learns y = 2 a - 3 b + 1 from eight points by gradient descent: forward, the error as diff_dst, and the backward to
// weights and bias, which are stepped against their gradients. Prints how the loss falls and what was learned. Then the
// backward to data, which says how y changes with a and b: the weights again.
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int N = 8, IC = 2, OC = 1;

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    std::vector<float> x, truth, y(N), dy(N), w = {0, 0}, b = {0}, dw(IC), db(OC);
    for (int n = 0; n < N; ++n) {
        x.insert(x.end(), {float(n % 4) - 1.5f, float(n / 4) - 0.5f});
        truth.push_back(2 * x[2 * n] - 3 * x[2 * n + 1] + 1);
    }

    // Where weights are large, they are described with `any` and reordered, as in the examples of matmul and
    // convolution. Those that change in every step of a training may as well keep the layout that the program has.
    const memory::desc src({N, IC}, dt::f32, tag::nc), weights({OC, IC}, dt::f32, tag::oi), bias({OC}, dt::f32, tag::a);
    const memory::desc dst({N, OC}, dt::f32, tag::nc);
    const inner_product_forward::primitive_desc forward(cpu, prop_kind::forward_training, src, weights, bias, dst);
    const inner_product_backward_weights::primitive_desc to_weights(cpu, src, weights, bias, dst, forward);
    const inner_product_forward predict(forward);
    const inner_product_backward_weights gradient(to_weights);
    const memory src_memory(src, cpu, x.data()), weights_memory(weights, cpu, w.data()),
        bias_memory(bias, cpu, b.data());
    const memory dst_memory(dst, cpu, y.data()), diff_dst(dst, cpu, dy.data());
    const memory diff_weights(weights, cpu, dw.data()), diff_bias(bias, cpu, db.data());

    bool right = true;
    std::printf("step     loss  weights         bias\n");
    for (int step = 0; step <= 100; ++step) {
        predict.execute(s, {{DNNL_ARG_SRC, src_memory},
                            {DNNL_ARG_WEIGHTS, weights_memory},
                            {DNNL_ARG_BIAS, bias_memory},
                            {DNNL_ARG_DST, dst_memory}});
        s.wait();
        float loss = 0, wanted = 0;
        for (int n = 0; n < N; ++n) {
            right = right && std::fabs(y[n] - (x[2 * n] * w[0] + x[2 * n + 1] * w[1] + b[0])) < 1e-5f;
            dy[n] = (y[n] - truth[n]) / N;
            loss += 0.5f * float(N) * dy[n] * dy[n];
            wanted += dy[n] * x[2 * n];
        }
        if (step <= 3 || step % 25 == 0) std::printf("%4d %8.4f  %6.3f %6.3f %8.3f\n", step, loss, w[0], w[1], b[0]);
        gradient.execute(s, {{DNNL_ARG_SRC, src_memory},
                             {DNNL_ARG_DIFF_DST, diff_dst},
                             {DNNL_ARG_DIFF_WEIGHTS, diff_weights},
                             {DNNL_ARG_DIFF_BIAS, diff_bias}});
        s.wait();
        right = right && std::fabs(dw[0] - wanted) < 1e-5f;
        for (int i = 0; i < IC; ++i) w[i] -= 0.5f * dw[i];
        b[0] -= 0.5f * db[0];
    }
    right = right && std::fabs(w[0] - 2) < 1e-3f && std::fabs(w[1] + 3) < 1e-3f && std::fabs(b[0] - 1) < 1e-3f;

    const inner_product_backward_data::primitive_desc to_data(cpu, src, weights, dst, forward);
    std::vector<float> dx(x.size());
    for (float& each : dy) each = 1;
    inner_product_backward_data(to_data).execute(s, {{DNNL_ARG_DIFF_DST, diff_dst},
                                                     {DNNL_ARG_WEIGHTS, weights_memory},
                                                     {DNNL_ARG_DIFF_SRC, memory(src, cpu, dx.data())}});
    s.wait();
    std::printf("dy/da = %.3f, dy/db = %.3f\n", dx[0], dx[1]);
    for (size_t i = 0; i < dx.size(); ++i) right = right && std::fabs(dx[i] - w[i % IC]) < 1e-5f;
    if (!right) std::printf("WRONG: plain loops say otherwise\n");
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "inner_product: %s\n", e.what());
    return 1;
}
