// SPDX-License-Identifier: Apache-2.0
// Pooling: one number for each window of a picture: its maximum or its mean.
//
// A picture of 4x6 numbers and the maxima of its windows of 2x2. In training the primitive also fills a workspace, with
// which the backward sends each gradient to the place that the maximum came from, as the printed gradient shows. Last
// the two means, which differ at the borders: padding counts as zeros, or not at all.
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

void check(float got, float wanted, const char* what) {
    if (std::fabs(got - wanted) < 1e-5f) return;
    std::printf("WRONG: %s is %g, a plain loop says %g\n", what, got, wanted);
    right = false;
}

void print(const char* name, const std::vector<float>& values, int columns, const char* format) {
    std::printf("%s\n", name);
    for (size_t i = 0; i < values.size(); ++i) {
        std::printf(format, values[i]);
        if ((i + 1) % columns == 0) std::printf("\n");
    }
}

void maxima(const engine& cpu, stream& s) {
    constexpr int H = 4, W = 6, OH = H / 2, OW = W / 2;
    const memory::desc picture({1, 1, H, W}, dt::f32, tag::nchw);
    const memory::desc pooled({1, 1, OH, OW}, dt::f32, tag::any); // follows src
    const memory::dims strides = {2, 2}, kernel = {2, 2}, dilation = {0, 0}, none = {0, 0};
    const pooling_forward::primitive_desc forward(cpu, prop_kind::forward_training, algorithm::pooling_max, picture,
                                                  pooled, strides, kernel, dilation, none, none);
    const memory::desc small = forward.dst_desc();
    const pooling_backward::primitive_desc backward(cpu, algorithm::pooling_max, picture, small, strides, kernel,
                                                    dilation, none, none, forward);

    std::vector<float> x = {1, 5, 2, 0, 7, 3, //
                            4, 2, 8, 1, 6, 9, //
                            0, 3, 1, 1, 2, 2, //
                            6, 5, 1, 1, 4, 0};
    std::vector<float> y(OH * OW), dy = {10, 20, 30, 40, 50, 60}, dx(x.size());
    const memory workspace(forward.workspace_desc(), cpu); // its content is the library's own business
    pooling_forward(forward).execute(s, {{DNNL_ARG_SRC, memory(picture, cpu, x.data())},
                                         {DNNL_ARG_DST, memory(small, cpu, y.data())},
                                         {DNNL_ARG_WORKSPACE, workspace}});
    pooling_backward(backward).execute(s, {{DNNL_ARG_DIFF_DST, memory(small, cpu, dy.data())},
                                           {DNNL_ARG_WORKSPACE, workspace},
                                           {DNNL_ARG_DIFF_SRC, memory(picture, cpu, dx.data())}});
    s.wait();
    print("src", x, W, "%4.0f");
    print("maxima of 2x2 windows", y, OW, "%8.0f");
    std::printf("workspace: %zu bytes, one for each maximum\n", forward.workspace_desc().get_size());
    print("diff_dst", dy, OW, "%8.0f");
    print("diff_src: each gradient where the maximum was, the first of equal ones", dx, W, "%4.0f");

    std::vector<float> wanted(x.size());
    for (int oh = 0; oh < OH; ++oh)
        for (int ow = 0; ow < OW; ++ow) {
            int best = 2 * oh * W + 2 * ow;
            for (int k = 0; k < 4; ++k) {
                const int at = (2 * oh + k / 2) * W + 2 * ow + k % 2;
                if (x[at] > x[best]) best = at;
            }
            check(y[oh * OW + ow], x[best], "a maximum");
            wanted[best] += dy[oh * OW + ow];
        }
    for (size_t i = 0; i < x.size(); ++i) check(dx[i], wanted[i], "diff_src");
}

// Windows of 3 over a row, with one point of padding at both ends. Inference needs no workspace.
void means(const engine& cpu, stream& s) {
    std::vector<float> x = {3, 3, 3, 6, 6, 6}, y(x.size());
    const int W = int(x.size());
    const memory::desc row({1, 1, W}, dt::f32, tag::ncw);
    std::printf("\nmeans of 3 neighbours of 3 3 3 6 6 6\n");
    for (const bool padding_counts : {true, false}) {
        const algorithm kind =
            padding_counts ? algorithm::pooling_avg_include_padding : algorithm::pooling_avg_exclude_padding;
        const pooling_forward::primitive_desc pd(cpu, prop_kind::forward_inference, kind, row, row, {1}, {3}, {0}, {1},
                                                 {1});
        pooling_forward(pd).execute(
            s, {{DNNL_ARG_SRC, memory(row, cpu, x.data())}, {DNNL_ARG_DST, memory(row, cpu, y.data())}});
        s.wait();
        std::printf("%s:", padding_counts ? "include_padding" : "exclude_padding");
        for (int w = 0; w < W; ++w) {
            float sum = 0, count = 0;
            for (int at = std::max(0, w - 1); at <= std::min(W - 1, w + 1); ++at, ++count) sum += x[at];
            check(y[w], sum / (padding_counts ? 3 : count), "a mean");
            std::printf(" %g", y[w]);
        }
        std::printf("\n");
    }
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    maxima(cpu, s);
    means(cpu, s);
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "pooling: %s\n", e.what());
    return 1;
}
