// SPDX-License-Identifier: Apache-2.0
// Eltwise: one function of each element, forward and backward.
//
// Activations of nine numbers as a table, a column each; then training with GELU: dst, and diff_src, the gradient that
// goes back, beside the slope as a difference of two values. Last a linear function in place, on s8 data, which
// saturates.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

bool right = true;

void check(float got, float wanted, const char* what) {
    if (std::fabs(got - wanted) <= 1e-5f * (1 + std::fabs(wanted))) return;
    std::printf("WRONG: %s is %g, a plain loop says %g\n", what, got, wanted);
    right = false;
}

double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.))); }

struct Activation {
    const char* name;
    algorithm alg;
    float alpha, beta;
    float (*formula)(float);
};
const Activation activations[] = {
    {"relu", algorithm::eltwise_relu, 0, 0, [](float x) { return x > 0 ? x : 0; }},
    {"leaky", algorithm::eltwise_relu, 0.1f, 0, [](float x) { return x > 0 ? x : 0.1f * x; }},
    {"tanh", algorithm::eltwise_tanh, 0, 0, [](float x) { return std::tanh(x); }},
    {"logistic", algorithm::eltwise_logistic, 0, 0, [](float x) { return 1 / (1 + std::exp(-x)); }},
    {"swish", algorithm::eltwise_swish, 1, 0, [](float x) { return x / (1 + std::exp(-x)); }},
    {"clip", algorithm::eltwise_clip, -1, 1, [](float x) { return std::fmin(1.f, std::fmax(-1.f, x)); }},
};

void table(const engine& cpu, stream& s, std::vector<float>& x) {
    const memory::desc md({int64_t(x.size())}, dt::f32, tag::a);
    const memory src(md, cpu, x.data());
    std::vector<std::vector<float>> columns;
    std::printf("       x");
    for (const Activation& a : activations) {
        const eltwise_forward::primitive_desc pd(cpu, prop_kind::forward_inference, a.alg, md, md, a.alpha, a.beta);
        auto& y = columns.emplace_back(x.size());
        eltwise_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, memory(md, cpu, y.data())}});
        s.wait();
        for (size_t i = 0; i < x.size(); ++i) check(y[i], a.formula(x[i]), a.name);
        std::printf(" %8s", a.name);
    }
    for (size_t i = 0; i < x.size(); ++i) {
        std::printf("\n%8.2f", x[i]);
        for (const auto& y : columns) std::printf(" %8.3f", y[i]);
    }
}

// Backward takes src, and the primitive descriptor of the forward as a hint.
void training(const engine& cpu, stream& s, std::vector<float>& x) {
    const memory::desc md({int64_t(x.size())}, dt::f32, tag::a);
    const eltwise_forward::primitive_desc forward(cpu, prop_kind::forward_training, algorithm::eltwise_gelu_erf, md,
                                                  md);
    const eltwise_backward::primitive_desc backward(cpu, algorithm::eltwise_gelu_erf, md, md, md, forward);
    std::vector<float> y(x.size()), dy(x.size(), 2.f), dx(x.size());
    const memory src(md, cpu, x.data());
    eltwise_forward(forward).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, memory(md, cpu, y.data())}});
    eltwise_backward(backward).execute(s, {{DNNL_ARG_SRC, src},
                                           {DNNL_ARG_DIFF_DST, memory(md, cpu, dy.data())},
                                           {DNNL_ARG_DIFF_SRC, memory(md, cpu, dx.data())}});
    s.wait();
    std::printf("\n\nGELU, diff_dst 2 everywhere\n       x      dst diff_src  2 * slope\n");
    for (size_t i = 0; i < x.size(); ++i) {
        const double slope = (gelu(x[i] + 1e-4) - gelu(x[i] - 1e-4)) / 2e-4;
        check(y[i], float(gelu(x[i])), "gelu");
        check(dx[i], float(2 * slope), "diff_src");
        std::printf("%8.2f %8.3f %8.3f %10.3f\n", x[i], y[i], dx[i], 2 * slope);
    }
}

// src and dst may be the same memory. Integers have relu, linear and clip; results are rounded and saturate.
void in_place(const engine& cpu, stream& s) {
    std::vector<int8_t> x = {-3, -2, -1, 0, 1, 2, 3};
    const memory::desc md({int64_t(x.size())}, dt::s8, tag::a);
    const memory data(md, cpu, x.data());
    const eltwise_forward::primitive_desc pd(cpu, prop_kind::forward_inference, algorithm::eltwise_linear, md, md, 50.f,
                                             0.5f);
    eltwise_forward(pd).execute(s, {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, data}});
    s.wait();
    std::printf("\n50 x + 0.5 in place, s8:");
    for (int i = 0; i < 7; ++i) {
        std::printf(" %d", x[i]);
        check(x[i], std::nearbyint(std::fmin(127.f, std::fmax(-128.f, 50.f * float(i - 3) + 0.5f))), "linear");
    }
    std::printf("\n");
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    std::vector<float> x = {-3, -2, -1, -0.5f, 0, 0.5f, 1, 2, 3};
    table(cpu, s, x);
    training(cpu, s, x);
    in_place(cpu, s);
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "eltwise: %s\n", e.what());
    return 1;
}
