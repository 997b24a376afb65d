// SPDX-License-Identifier: Apache-2.0
// LRN, local response normalization: strong elements dampen their neighbours, across channels or within one.
//
// Nine channels at one point, all 1 but the fifth, which is 8: the channels within the window of the strong one become
// smaller than those outside. Prints dst as bars, and the gradient with the slope as a difference of two values.
#include <algorithm>
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

constexpr int channels = 9, window = 5, strong = 4;
constexpr float alpha = 1.f, beta = 0.75f, k = 1.f;

double lrn(const std::vector<float>& x, int c, double change_of_strong = 0) {
    double squares = 0;
    for (int j = std::max(0, c - window / 2); j <= std::min(channels - 1, c + window / 2); ++j)
        squares += std::pow(x[j] + (j == strong) * change_of_strong, 2);
    return (x[c] + (c == strong) * change_of_strong) / std::pow(k + alpha / window * squares, beta);
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::desc md({1, channels, 1, 1}, dt::f32, tag::nchw);
    const lrn_forward::primitive_desc forward(cpu, prop_kind::forward_training, algorithm::lrn_across_channels, md, md,
                                              window, alpha, beta, k);
    const lrn_backward::primitive_desc backward(cpu, algorithm::lrn_across_channels, md, md, md, window, alpha, beta, k,
                                                forward);
    std::vector<float> x(channels, 1.f), y(channels), dy(channels, 1.f), dx(channels);
    x[strong] = 8;

    // Whether there is a workspace is the library's choice: a program asks, and passes it to both if there is one.
    const memory src(md, cpu, x.data()), workspace(forward.workspace_desc(), cpu);
    lrn_forward(forward).execute(
        s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, memory(md, cpu, y.data())}, {DNNL_ARG_WORKSPACE, workspace}});
    lrn_backward(backward).execute(s, {{DNNL_ARG_SRC, src},
                                       {DNNL_ARG_DIFF_DST, memory(md, cpu, dy.data())},
                                       {DNNL_ARG_DIFF_SRC, memory(md, cpu, dx.data())},
                                       {DNNL_ARG_WORKSPACE, workspace}});
    s.wait();

    bool right = true;
    std::printf("window of %d channels, alpha %g, beta %g, k %g; workspace: %zu bytes\nchannel  src    dst\n", window,
                alpha, beta, k, forward.workspace_desc().get_size());
    for (int c = 0; c < channels; ++c) {
        std::printf("%7d %4.0f %6.3f  %s\n", c, x[c], y[c], std::string(size_t(40 * y[c] + 0.5f), '#').c_str());
        right = right && std::fabs(y[c] - lrn(x, c)) < 1e-5;
    }

    // diff_dst is 1 everywhere: diff_src of a channel says how the sum of dst changes with it.
    double slope = 0;
    for (int c = 0; c < channels; ++c) slope += (lrn(x, c, 1e-4) - lrn(x, c, -1e-4)) / 2e-4;
    std::printf("the sum of dst by channel %d: diff_src %.4f, as a difference %.4f\n", strong, dx[strong], slope);
    right = right && std::fabs(dx[strong] - slope) < 1e-4;
    if (!right) std::printf("WRONG: the formula says otherwise\n");
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "lrn: %s\n", e.what());
    return 1;
}
