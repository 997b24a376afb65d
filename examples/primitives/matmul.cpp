// SPDX-License-Identifier: Apache-2.0
// Matmul: products of matrices, one or a batch, with bias and whatever else is done to the result.
//
// Twelve rotations turn the corners of a square, a batch of matrices against one; the last brings them back. Then the
// product as inference runs it: weights once reordered into the layout that the primitive chose, a bias and a ReLU in
// the same pass, several executions. Last a transposed matrix, which is the same memory with other strides.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

bool right = true;

void check(double got, double wanted, const char* what) {
    if (std::fabs(got - wanted) <= 1e-4 * (1 + std::fabs(wanted))) return;
    std::printf("WRONG: %s is %g, a plain loop says %g\n", what, got, wanted);
    right = false;
}

double shown(double x) { return std::round(x * 1000) / 1000 + 0.; } // never -0.000

// Batch dims of 1 are repeated: {1, 4, 2} by {12, 2, 2} is {12, 4, 2}.
void rotate(const engine& cpu, stream& s) {
    std::vector<float> corners = {1, 0, 0, 1, -1, 0, 0, -1}, rotations, turned(12 * 8);
    for (int step = 0; step < 12; ++step) {
        const float angle = float(M_PI) / 6 * float(step + 1);
        rotations.insert(rotations.end(), {std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle)});
    }
    const memory::desc src({1, 4, 2}, dt::f32, tag::abc), weights({12, 2, 2}, dt::f32, tag::abc);
    const memory::desc dst({12, 4, 2}, dt::f32, tag::abc);
    matmul(matmul::primitive_desc(cpu, src, weights, dst))
        .execute(s, {{DNNL_ARG_SRC, memory(src, cpu, corners.data())},
                     {DNNL_ARG_WEIGHTS, memory(weights, cpu, rotations.data())},
                     {DNNL_ARG_DST, memory(dst, cpu, turned.data())}});
    s.wait();
    for (int step : {0, 2, 5, 11}) {
        std::printf("%3d degrees:", 30 * (step + 1));
        for (int i = 0; i < 4; ++i)
            std::printf("  (%6.3f, %6.3f)", shown(turned[step * 8 + 2 * i]), shown(turned[step * 8 + 2 * i + 1]));
        std::printf("\n");
    }
    for (int i = 0; i < 8; ++i) check(turned[11 * 8 + i], corners[i], "a corner after a full turn");
}

void as_inference_runs_it(const engine& cpu, stream& s) {
    constexpr int M = 3, K = 64, N = 48;
    std::vector<float> weights(K * N), bias(N), x(M * K);
    for (int i = 0; i < K * N; ++i) weights[i] = float(i * 7 % 11 - 5) / 8;
    for (int n = 0; n < N; ++n) bias[n] = float(n % 3);

    post_ops then;
    then.append_eltwise(algorithm::eltwise_relu, 0, 0);
    primitive_attr attr;
    attr.set_post_ops(then);
    const memory::desc src({M, K}, dt::f32, tag::ab), dst({M, N}, dt::f32, tag::ab), biases({1, N}, dt::f32, tag::ab);
    const matmul::primitive_desc pd(cpu, src, memory::desc({K, N}, dt::f32, tag::any), biases, dst, attr);
    const matmul product(pd);

    memory plain({{K, N}, dt::f32, tag::ab}, cpu, weights.data()), packed(pd.weights_desc(), cpu);
    reorder(plain, packed).execute(s, plain, packed); // once
    const memory src_memory(src, cpu, x.data()), dst_memory(dst, cpu);
    std::printf("\n%dx%d by %dx%d, bias, ReLU: how many of dst are above 0, and their sum\n", M, K, K, N);
    for (int request = 0; request < 3; ++request) {
        for (int i = 0; i < M * K; ++i) x[i] = float((i + 5 * request) % 7 - 3);
        product.execute(s, {{DNNL_ARG_SRC, src_memory},
                            {DNNL_ARG_WEIGHTS, packed},
                            {DNNL_ARG_BIAS, memory(biases, cpu, bias.data())},
                            {DNNL_ARG_DST, dst_memory}});
        s.wait();
        const auto* y = static_cast<const float*>(dst_memory.get_data_handle());
        int above = 0;
        double total = 0;
        for (int m = 0; m < M; ++m)
            for (int n = 0; n < N; ++n) {
                float sum = bias[n];
                for (int k = 0; k < K; ++k) sum += x[m * K + k] * weights[k * N + n];
                check(y[m * N + n], std::max(0.f, sum), "dst");
                above += y[m * N + n] > 0;
                total += y[m * N + n];
            }
        std::printf("execution %d: %d of %d, %.3f\n", request, above, M * N, total);
    }
}

// A times its transpose: both arguments are one memory; `ba` reads it by columns.
void gram(const engine& cpu, stream& s) {
    std::vector<float> a = {1, 2, 3, 4, 5, 6}, g(4);
    const memory::desc rows({2, 3}, dt::f32, tag::ab), columns({3, 2}, dt::f32, tag::ba), dst({2, 2}, dt::f32, tag::ab);
    matmul(matmul::primitive_desc(cpu, rows, columns, dst))
        .execute(s, {{DNNL_ARG_SRC, memory(rows, cpu, a.data())},
                     {DNNL_ARG_WEIGHTS, memory(columns, cpu, a.data())},
                     {DNNL_ARG_DST, memory(dst, cpu, g.data())}});
    s.wait();
    std::printf("\nA = 1 2 3 / 4 5 6, A times its transpose = %g %g / %g %g\n", g[0], g[1], g[2], g[3]);
    for (int i = 0; i < 4; ++i) check(g[i], std::vector<float>{14, 32, 32, 77}[i], "A times its transpose");
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    rotate(cpu, s);
    as_inference_runs_it(cpu, s);
    gram(cpu, s);
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "matmul: %s\n", e.what());
    return 1;
}
