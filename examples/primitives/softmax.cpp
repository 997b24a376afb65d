// SPDX-License-Identifier: Apache-2.0
// Softmax: scores become probabilities; and what a classifier trains with.
//
// The scores of five words at three temperatures, as probabilities with bars: each row sums to 1. Then log-softmax,
// whose backward gives the gradient of the cross-entropy loss: the probabilities, less 1 at the word that was right.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

const char* words[] = {"tensor", "matrix", "banana", "vector", "scalar"};
const std::vector<float> scores = {2.f, 1.5f, -3.f, 0.5f, 0.f};
constexpr float temperatures[] = {0.5f, 1.f, 4.f};
constexpr int rows = 3, columns = 5, answer = 3;
bool right = true;

void check(float got, double wanted, const char* what) {
    if (std::fabs(got - wanted) < 1e-5) return;
    std::printf("WRONG: %s is %g, a plain loop says %g\n", what, got, wanted);
    right = false;
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::desc md({rows, columns}, dt::f32, tag::ab);
    std::vector<float> x, p(rows * columns), logs(p.size()), dx(p.size());
    for (float temperature : temperatures)
        for (float score : scores) x.push_back(score / temperature);

    // The axis is the dim that sums to 1.
    const memory src(md, cpu, x.data());
    const softmax_forward::primitive_desc accurate(cpu, prop_kind::forward_inference, algorithm::softmax_accurate, md,
                                                   md, 1);
    softmax_forward(accurate).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, memory(md, cpu, p.data())}});
    s.wait();
    for (int r = 0; r < rows; ++r) {
        float total = 0;
        double wanted_total = 0;
        for (int c = 0; c < columns; ++c) wanted_total += std::exp(x[r * columns + c]);
        std::printf("temperature %g\n", temperatures[r]);
        for (int c = 0; c < columns; ++c) {
            const float probability = p[r * columns + c];
            total += probability;
            check(probability, std::exp(x[r * columns + c]) / wanted_total, "a probability");
            const std::string bar(size_t(40 * probability + 0.5f), '#');
            std::printf("  %s %6.3f%s%s\n", words[c], probability, bar.empty() ? "" : "  ", bar.c_str());
        }
        check(total, 1, "the sum of a row");
    }

    // Training: log-softmax is exact where the probability itself is too small for f32. Backward takes dst, not src.
    const softmax_forward::primitive_desc forward(cpu, prop_kind::forward_training, algorithm::softmax_log, md, md, 1);
    const softmax_backward::primitive_desc backward(cpu, algorithm::softmax_log, md, md, md, 1, forward);
    std::vector<float> dy(p.size());
    for (int r = 0; r < rows; ++r) dy[r * columns + answer] = -1; // loss: minus the logarithm at the answer
    const memory dst(md, cpu, logs.data());
    softmax_forward(forward).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    softmax_backward(backward).execute(s, {{DNNL_ARG_DST, dst},
                                           {DNNL_ARG_DIFF_DST, memory(md, cpu, dy.data())},
                                           {DNNL_ARG_DIFF_SRC, memory(md, cpu, dx.data())}});
    s.wait();
    std::printf("\nThe answer was '%s'.\ntemperature   loss   gradient of the scores\n", words[answer]);
    for (int r = 0; r < rows; ++r) {
        std::printf("%11g %6.3f ", temperatures[r], -logs[r * columns + answer]);
        for (int c = 0; c < columns; ++c) {
            std::printf(" %6.3f", dx[r * columns + c]);
            check(dx[r * columns + c], p[r * columns + c] - (c == answer), "the gradient");
        }
        std::printf("\n");
        check(logs[r * columns + answer], std::log(p[r * columns + answer]), "the logarithm");
    }
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "softmax: %s\n", e.what());
    return 1;
}
