// SPDX-License-Identifier: Apache-2.0
// Group normalization: mean 0 and variance 1 for each picture and each group of its channels.
//
// Two pictures of four channels in two groups; the second picture is the first, ten times as bright. The statistics are
// those of each picture alone, so that both results are equal: what a batch of other pictures holds does not matter.
// Prints the statistics and a row of both results; then the same with one group, and with as many groups as channels.
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int N = 2, C = 4, points = 5;
constexpr float epsilon = 1e-6f;
bool right = true;

void check(double got, double wanted, const char* what) {
    if (std::fabs(got - wanted) <= 1e-4 * (1 + std::fabs(wanted))) return;
    std::printf("WRONG: %s is %g, a plain loop says %g\n", what, got, wanted);
    right = false;
}

void normalize(const engine& cpu, stream& s, std::vector<float>& x, int groups) {
    const memory::desc data({N, C, points}, dt::f32, tag::ncw), per_channel({C}, dt::f32, tag::a);
    const group_normalization_forward::primitive_desc pd(cpu, prop_kind::forward_training, data, data, groups, epsilon,
                                                         normalization_flags::use_scale |
                                                             normalization_flags::use_shift);
    const memory means(pd.mean_desc(), cpu), variances(pd.variance_desc(), cpu); // N x groups
    std::vector<float> y(x.size()), scale = {1, 1, 1, 3}, shift = {0, 0, 0, 10};
    group_normalization_forward(pd).execute(s, {{DNNL_ARG_SRC, memory(data, cpu, x.data())},
                                                {DNNL_ARG_SCALE, memory(per_channel, cpu, scale.data())},
                                                {DNNL_ARG_SHIFT, memory(per_channel, cpu, shift.data())},
                                                {DNNL_ARG_MEAN, means},
                                                {DNNL_ARG_VARIANCE, variances},
                                                {DNNL_ARG_DST, memory(data, cpu, y.data())}});
    s.wait();
    const auto* mean = static_cast<const float*>(means.get_data_handle());
    const auto* variance = static_cast<const float*>(variances.get_data_handle());
    std::printf("%d group%s\n", groups, groups == 1 ? "" : "s");
    for (int n = 0; n < N; ++n) {
        std::printf("  picture %d: means", n);
        for (int g = 0; g < groups; ++g) std::printf(" %.2f", mean[n * groups + g]);
        std::printf(", variances");
        for (int g = 0; g < groups; ++g) std::printf(" %.2f", variance[n * groups + g]);
        std::printf("\n             channel 3:");
        for (int p = 0; p < points; ++p) std::printf(" %6.3f", y[(n * C + C - 1) * points + p]);
        std::printf("\n");
        const int of_group = C / groups * points; // all points of a group lie side by side in ncw
        for (int g = 0; g < groups; ++g) {
            const size_t begin = size_t(n * C * points + g * of_group);
            double sum = 0, squares = 0;
            for (int i = 0; i < of_group; ++i) sum += x[begin + i];
            for (int i = 0; i < of_group; ++i) squares += std::pow(x[begin + i] - sum / of_group, 2);
            check(mean[n * groups + g], sum / of_group, "a mean");
            check(variance[n * groups + g], squares / of_group, "a variance");
            for (int i = 0; i < of_group; ++i) {
                const int c = g * C / groups + i / points;
                const double plain = (x[begin + i] - sum / of_group) / std::sqrt(squares / of_group + epsilon);
                check(y[begin + i], scale[c] * plain + shift[c], "dst");
            }
        }
    }
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    std::vector<float> x;
    for (int n = 0; n < N; ++n)
        for (int c = 0; c < C; ++c)
            for (int p = 0; p < points; ++p) x.push_back(float(n == 0 ? 1 : 10) * float(c + 1) * (1 + float(p)) / 2);
    for (int groups : {2, 1, C}) normalize(cpu, s, x, groups); // 1: a layer's; C: an instance's
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "group_normalization: %s\n", e.what());
    return 1;
}
