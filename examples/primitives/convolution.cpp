// SPDX-License-Identifier: Apache-2.0
// Convolution: small weights slide over a picture. Layouts by `any`, with a bias and a ReLU in the same pass.
//
// A drawn picture, and the edges that two 3x3 filters find in it, as characters: where it is brighter to the right, and
// where it is brighter below. The primitive chooses all layouts, which are printed; the program reorders its own
// tensors into them, and the result out of them. convolution_training has the gradients.
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

const std::vector<std::string> drawing = {"................", "....########....", "..############..",
                                          "..###..####..#..", "..###..####..#..", "..############..",
                                          "....########....", "....##.##.##....", "................"};
const int H = int(drawing.size()), W = int(drawing[0].size()), OC = 2;

// A copy of `from` in another layout, or the same memory where that is the layout already.
memory in_layout(stream& s, memory from, const memory::desc& wanted) {
    if (from.get_desc() == wanted) return from;
    memory to(wanted, from.get_engine());
    reorder(from, to).execute(s, from, to);
    return to;
}

// Such as "1x2x9x16, strides 288 1 32 2" or "16x8x3x3, strides 1152 144 48 16, blocks of 16 in dim 0".
std::string text(const memory::desc& md) {
    std::string is;
    for (memory::dim d : md.get_dims()) is += (is.empty() ? "" : "x") + std::to_string(d);
    is += ", strides";
    for (memory::dim d : md.get_strides()) is += " " + std::to_string(d);
    for (int i = 0; i < md.get_inner_nblks(); ++i)
        is += ", blocks of " + std::to_string(md.get_inner_blks()[i]) + " in dim " +
              std::to_string(md.get_inner_idxs()[i]);
    return is;
}

float pixel(int h, int w) { return h >= 0 && h < H && w >= 0 && w < W && drawing[h][w] == '#' ? 1.f : 0.f; }

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    std::vector<float> x,
        filters = {-1, 0, 1, -2, 0, 2, -1, 0, 1, /* the second, across */ -1, -2, -1, 0, 0, 0, 1, 2, 1};
    std::vector<float> b = {0, 0}, y(OC * H * W);
    for (int h = 0; h < H; ++h)
        for (int w = 0; w < W; ++w) x.push_back(pixel(h, w));
    const memory mine({{1, 1, H, W}, dt::f32, tag::nchw}, cpu, x.data());
    const memory weights_of_mine({{OC, 1, 3, 3}, dt::f32, tag::oihw}, cpu, filters.data());
    const memory bias({{OC}, dt::f32, tag::a}, cpu, b.data());
    const memory results({{1, OC, H, W}, dt::f32, tag::nchw}, cpu, y.data());

    // `any`: the primitive chooses. A padding of 1 keeps the size; a ReLU takes away what is negative.
    const memory::desc src({1, 1, H, W}, dt::f32, tag::any), weights({OC, 1, 3, 3}, dt::f32, tag::any);
    const memory::desc dst({1, OC, H, W}, dt::f32, tag::any);
    const memory::dims strides = {1, 1}, padding = {1, 1};
    post_ops then;
    then.append_eltwise(algorithm::eltwise_relu, 0, 0);
    primitive_attr attr;
    attr.set_post_ops(then);
    const convolution_forward::primitive_desc forward(cpu, prop_kind::forward_inference, algorithm::convolution_direct,
                                                      src, weights, bias.get_desc(), dst, strides, padding, padding,
                                                      attr);
    std::printf("src      %s\nweights  %s\ndst      %s\n\n", text(forward.src_desc()).c_str(),
                text(forward.weights_desc()).c_str(), text(forward.dst_desc()).c_str());
    memory edges(forward.dst_desc(), cpu), back = results;
    convolution_forward(forward).execute(s, {{DNNL_ARG_SRC, in_layout(s, mine, forward.src_desc())},
                                             {DNNL_ARG_WEIGHTS, in_layout(s, weights_of_mine, forward.weights_desc())},
                                             {DNNL_ARG_BIAS, bias},
                                             {DNNL_ARG_DST, edges}});
    reorder(edges, back).execute(s, edges, back);
    s.wait();

    bool right = true;
    for (int h = 0; h < H; ++h) {
        std::printf("%s   ", drawing[h].c_str());
        for (int o = 0; o < OC; ++o) {
            for (int w = 0; w < W; ++w) {
                float sum = 0;
                for (int k = 0; k < 9; ++k) sum += pixel(h + k / 3 - 1, w + k % 3 - 1) * filters[9 * o + k];
                const float value = y[(o * H + h) * W + w];
                right = right && std::fabs(value - std::max(0.f, sum)) < 1e-5f;
                std::putchar(" .:+#"[std::clamp(int(value + 0.5f), 0, 4)]);
            }
            std::printf(o + 1 < OC ? "|   " : "|\n");
        }
    }
    if (!right) std::printf("WRONG: a plain loop says otherwise\n");
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "convolution: %s\n", e.what());
    return 1;
}
