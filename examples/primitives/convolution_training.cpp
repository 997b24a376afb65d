// SPDX-License-Identifier: Apache-2.0
// The two backwards of a convolution: the gradient of the weights and the gradient of the data.
//
// Learns a filter from a picture and from what an unknown filter made of it: each step runs forward, takes the error as
// diff_dst, and moves the weights against their gradient. Prints the loss and the learned filter, which is the unknown
// one. Each of the three primitives chooses its own layouts. Last the gradient of the data, checked by a sum of
// products.
#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int H = 10, W = 12, K = 3;

// A copy of `from` in another layout, or the same memory where that is the layout already.
memory in_layout(stream& s, memory from, const memory::desc& wanted) {
    if (from.get_desc() == wanted) return from;
    memory to(wanted, from.get_engine());
    reorder(from, to).execute(s, from, to);
    return to;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.);
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const std::vector<float> unknown = {0, -1, 0.5f, -1, 4, -1, 0.25f, -1, 0};
    std::vector<float> x, w(K * K), y(H * W), dy(y.size()), truth(y.size()), dw(w.size()), dx;
    for (int i = 0; i < H * W; ++i) x.push_back(float((i * 29 + i * i * 3) % 17 - 8) / 8);
    dx = x;
    for (int i = 0; i < H * W; ++i)
        for (int k = 0; k < K * K; ++k) {
            const int h = i / W + k / K - 1, column = i % W + k % K - 1;
            if (h >= 0 && h < H && column >= 0 && column < W) truth[i] += x[h * W + column] * unknown[k];
        }

    const memory::desc data({1, 1, H, W}, dt::f32, tag::any), weights({1, 1, K, K}, dt::f32, tag::any);
    const memory::dims strides = {1, 1}, padding = {1, 1};
    const algorithm direct = algorithm::convolution_direct;
    const convolution_forward::primitive_desc forward(cpu, prop_kind::forward_training, direct, data, weights, data,
                                                      strides, padding, padding);
    const convolution_backward_weights::primitive_desc to_weights(cpu, direct, data, weights, data, strides, padding,
                                                                  padding, forward);
    const convolution_backward_data::primitive_desc to_data(cpu, direct, data, weights, data, strides, padding, padding,
                                                            forward);
    const convolution_forward predict(forward);
    const convolution_backward_weights gradient(to_weights);

    // The program's own tensors, plain; `in_layout` takes them where a primitive wants them, and back.
    const auto picture = [&](std::vector<float>& v) {
        return memory({{1, 1, H, W}, dt::f32, tag::nchw}, cpu, v.data());
    };
    const auto filter = [&](std::vector<float>& v) {
        return memory({{1, 1, K, K}, dt::f32, tag::oihw}, cpu, v.data());
    };
    memory src = in_layout(s, picture(x), forward.src_desc()), dst(forward.dst_desc(), cpu), mine = picture(y);
    memory diff_weights(to_weights.diff_weights_desc(), cpu), mine_diff = filter(dw);
    const auto run_forward = [&] {
        predict.execute(s, {{DNNL_ARG_SRC, src},
                            {DNNL_ARG_WEIGHTS, in_layout(s, filter(w), forward.weights_desc())},
                            {DNNL_ARG_DST, dst}});
        reorder(dst, mine).execute(s, dst, mine);
        s.wait();
    };

    bool right = true;
    for (int step = 0; step <= 80; ++step) {
        run_forward();
        for (size_t i = 0; i < y.size(); ++i) dy[i] = y[i] - truth[i];
        if (step % 20 == 0) std::printf("step %2d: loss %.4f\n", step, 0.5 * dot(dy, dy) / double(y.size()));
        gradient.execute(s, {{DNNL_ARG_SRC, in_layout(s, src, to_weights.src_desc())},
                             {DNNL_ARG_DIFF_DST, in_layout(s, picture(dy), to_weights.diff_dst_desc())},
                             {DNNL_ARG_DIFF_WEIGHTS, diff_weights}});
        reorder(diff_weights, mine_diff).execute(s, diff_weights, mine_diff);
        s.wait();
        right = right && std::fabs(dw[4] - dot(dy, x)) < 1e-2; // the weight in the middle
        for (int k = 0; k < K * K; ++k) w[k] -= 0.01f * dw[k];
    }
    std::printf("learned:\n");
    for (int k = 0; k < K * K; ++k) {
        std::printf(" %6.3f%s", std::round(w[k] * 1000) / 1000 + 0., k % K == K - 1 ? "\n" : "");
        right = right && std::fabs(w[k] - unknown[k]) < 1e-3;
    }

    // A convolution is linear in src: with dst as diff_dst, src by diff_src is dst by dst.
    run_forward();
    memory diff_src(to_data.diff_src_desc(), cpu), mine_diff_src = picture(dx);
    convolution_backward_data(to_data).execute(s, {{DNNL_ARG_DIFF_DST, in_layout(s, dst, to_data.diff_dst_desc())},
                                                   {DNNL_ARG_WEIGHTS, in_layout(s, filter(w), to_data.weights_desc())},
                                                   {DNNL_ARG_DIFF_SRC, diff_src}});
    reorder(diff_src, mine_diff_src).execute(s, diff_src, mine_diff_src);
    s.wait();
    std::printf("dst by dst %.1f, src by diff_src %.1f\n", dot(y, y), dot(x, dx));
    right = right && std::fabs(dot(y, y) - dot(x, dx)) < 1e-3 * dot(y, y);
    if (!right) std::printf("WRONG: plain loops say otherwise\n");
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "convolution_training: %s\n", e.what());
    return 1;
}
