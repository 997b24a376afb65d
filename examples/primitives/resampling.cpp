// SPDX-License-Identifier: Apache-2.0
// Resampling: a picture at another size, by the nearest point or by interpolation.
//
// A small drawn picture is enlarged to twice its height and three times its width in both ways, and printed in
// characters of growing ink. Nearest keeps its edges, linear blurs them. The backward gives each point of the
// small picture the sum of the weights with which it was read; all of them sum to the points of the large one.
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

const std::vector<std::string> drawing = {
    "..........", //
    "..@@..@@..", //
    "..@@..@@..", //
    "..........", //
    ".@......@.", //
    "..@@@@@@..", //
    "..........",
};
const int H = int(drawing.size()), W = int(drawing[0].size()), OH = 2 * H, OW = 3 * W;

void print(const std::vector<float>& picture, int width) {
    const char* ink = " .:-=+*#@";
    for (size_t i = 0; i < picture.size(); ++i) {
        std::putchar(ink[std::clamp(int(picture[i] * 8 + 0.5f), 0, 8)]);
        if ((i + 1) % width == 0) std::printf("|\n");
    }
}

// The coordinate of a large picture's point in the small one: the centres of both are the same.
float coordinate(int o, int small, int large) { return (float(o) + 0.5f) * float(small) / float(large) - 0.5f; }

float nearest(const std::vector<float>& x, int oh, int ow) {
    const int h = std::clamp(int(std::lround(coordinate(oh, H, OH))), 0, H - 1);
    const int w = std::clamp(int(std::lround(coordinate(ow, W, OW))), 0, W - 1);
    return x[h * W + w];
}

float linear(const std::vector<float>& x, int oh, int ow) {
    const float h = coordinate(oh, H, OH), w = coordinate(ow, W, OW);
    float sum = 0;
    for (int dh = 0; dh < 2; ++dh)
        for (int dw = 0; dw < 2; ++dw) {
            const float at_h = std::floor(h) + float(dh), at_w = std::floor(w) + float(dw);
            sum += (1 - std::fabs(h - at_h)) * (1 - std::fabs(w - at_w)) *
                   x[std::clamp(int(at_h), 0, H - 1) * W + std::clamp(int(at_w), 0, W - 1)];
        }
    return sum;
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::desc small({1, 1, H, W}, dt::f32, tag::nchw), large({1, 1, OH, OW}, dt::f32, tag::nchw);
    std::vector<float> x, y(OH * OW), dy(OH * OW, 1.f), dx(H * W);
    for (const std::string& row : drawing)
        for (char c : row) x.push_back(c == '@' ? 1.f : 0.f);
    print(x, W);

    bool right = true;
    for (const algorithm alg : {algorithm::resampling_nearest, algorithm::resampling_linear}) {
        const bool lines = alg == algorithm::resampling_linear;
        const resampling_forward::primitive_desc forward(cpu, prop_kind::forward_training, alg, small, large);
        const resampling_backward::primitive_desc backward(cpu, alg, small, large, forward);
        resampling_forward(forward).execute(
            s, {{DNNL_ARG_SRC, memory(small, cpu, x.data())}, {DNNL_ARG_DST, memory(large, cpu, y.data())}});
        resampling_backward(backward).execute(s, {{DNNL_ARG_DIFF_DST, memory(large, cpu, dy.data())},
                                                  {DNNL_ARG_DIFF_SRC, memory(small, cpu, dx.data())}});
        s.wait();
        std::printf("\n%s\n", lines ? "linear" : "nearest");
        print(y, OW);
        float total = 0;
        for (float weight : dx) total += weight;
        std::printf("read from a corner %.2f times, in all %.0f times for %d points\n", dx[0], total, OH * OW);
        right = right && std::fabs(total - float(OH * OW)) < 0.01f;
        for (int oh = 0; oh < OH; ++oh)
            for (int ow = 0; ow < OW; ++ow) {
                const float wanted = lines ? linear(x, oh, ow) : nearest(x, oh, ow);
                right = right && std::fabs(y[oh * OW + ow] - wanted) < 1e-5f;
            }
    }
    if (!right) std::printf("WRONG: a plain loop says otherwise\n");
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "resampling: %s\n", e.what());
    return 1;
}
