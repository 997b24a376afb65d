// SPDX-License-Identifier: Apache-2.0
// A small convolutional network on drawn shapes, in f32 and then in 8 bits:
//     3x3 convolution, relu -> max pooling -> 3x3 convolution, relu -> max pooling -> 4x4 convolution: 4 classes
//
// The filters are random; the last layer compares features with the mean of each class, which needs no training. In 8
// bits weights are s8 with a scale for each output channel, activations u8: 255 stands for the largest value that the
// f32 network saw. It prints how many of 200 new shapes each network names rightly, and how often they agree.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

constexpr int count = 200, side = 16, classes = 4, features = 16 * 4 * 4;
const engine cpu(engine::kind::cpu, 0);
stream queue(cpu);

// Rings, squares, crosses and diagonals of several sizes at several places, with noise; 0 to 1.
std::vector<float> draw(unsigned seed) {
    std::mt19937 bits(seed);
    std::vector<float> pixels(count * side * side);
    for (int n = 0; n < count; ++n) {
        const int radius = 4 + int(bits() % 3), cx = 7 + int(bits() % 3), cy = 7 + int(bits() % 3);
        for (int i = 0; i < side * side; ++i) {
            const int x = std::abs(i % side - cx), y = std::abs(i / side - cy), far = std::max(x, y);
            const bool shapes[classes] = {std::abs(x * x + y * y - radius * radius) < radius, far == radius,
                                          far <= radius && (x == 0 || y == 0), far <= radius && x == y};
            pixels[size_t(n * side * side + i)] = (shapes[n % classes] ? 0.8f : 0.f) + float(bits() % 100) / 500;
        }
    }
    return pixels;
}

memory converted(memory from, const memory::desc& to, const memory& scales = {}) { // divided by scales, if given
    memory result(to, cpu);
    primitive_attr attr;
    std::unordered_map<int, memory> args = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, result}};
    if (scales) attr.set_scales_mask(DNNL_ARG_DST, scales.get_desc().get_dims()[0] > 1 ? 1 << 0 : 0);
    if (scales) args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = scales;
    reorder(from, result, attr).execute(queue, args);
    queue.wait();
    return result;
}

struct Layer {
    memory::dims extents; // of the weights: outputs, inputs, height, width
    int padding;
    std::vector<float> weights;
    float src_scale = 1, dst_scale = 0; // of 8 bits; dst 0: the result is f32, without relu
};
memory host(float value) { return memory(memory::desc::host_scalar(dt::f32), value); }
float* data(const memory& m) { return static_cast<float*>(m.get_data_handle()); }

// [layer]
memory convolve(Layer& l, const memory& src, bool int8) {
    const memory::dims& w = l.extents;
    const memory::dim out = src.get_desc().get_dims()[2] + 2 * l.padding - w[2] + 1;
    const bool last = l.dst_scale == 0;
    primitive_attr attr;
    post_ops relu;
    relu.append_eltwise(algorithm::eltwise_relu, 0, 0);
    if (!last) attr.set_post_ops(relu);
    std::unordered_map<int, memory> args = {{DNNL_ARG_SRC, src}};
    memory scales;
    if (int8) {
        scales = memory({{w[0]}, dt::f32, tag::a}, cpu);
        for (size_t o = 0, each = l.weights.size() / size_t(w[0]); o < size_t(w[0]); ++o) {
            const auto [low, high] = std::minmax_element(&l.weights[o * each], &l.weights[o * each] + each);
            data(scales)[o] = std::max(-*low, *high) / 127;
        }
        attr.set_host_scale(DNNL_ARG_SRC);
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 0);
        args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC] = host(l.src_scale);
        args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] = scales;
        if (!last) attr.set_host_scale(DNNL_ARG_DST);
        if (!last) args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = host(l.dst_scale);
    }
    const memory::desc any_dst({count, w[0], out, out}, int8 && !last ? dt::u8 : dt::f32, tag::any);
    const convolution_forward::primitive_desc pd(cpu, prop_kind::forward_inference, algorithm::convolution_direct,
                                                 src.get_desc(), {w, int8 ? dt::s8 : dt::f32, tag::any}, any_dst,
                                                 {1, 1}, {l.padding, l.padding}, {l.padding, l.padding}, attr);
    const memory dst(pd.dst_desc(), cpu), given({w, dt::f32, tag::oihw}, cpu, l.weights.data());
    args[DNNL_ARG_WEIGHTS] = converted(given, pd.weights_desc(), scales);
    args[DNNL_ARG_DST] = dst;
    convolution_forward(pd).execute(queue, args);
    return dst;
}
// [/layer]

memory pool(const memory& src) {
    const memory::dims x = src.get_desc().get_dims();
    const pooling_forward::primitive_desc pd(
        cpu, prop_kind::forward_inference, algorithm::pooling_max, src.get_desc(),
        {{x[0], x[1], x[2] / 2, x[3] / 2}, src.get_desc().get_data_type(), tag::any}, {2, 2}, {2, 2}, {0, 0}, {0, 0},
        {0, 0});
    const memory dst(pd.dst_desc(), cpu);
    pooling_forward(pd).execute(queue, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    return dst;
}

int main() try {
    std::mt19937 bits(3);
    const auto random = [&](size_t n) {
        std::vector<float> values(n);
        for (float& v : values) v = float(bits()) / 2147483648.f - 1;
        return values;
    };
    Layer first{{8, 1, 3, 3}, 1, random(72), 1.f / 255, 1}, second{{16, 8, 3, 3}, 1, random(1152), 1, 1};
    Layer third{{classes, 16, 4, 4}, 0, std::vector<float>(classes * features)};
    const auto features_of = [&](std::vector<float>& pixels, bool int8, bool calibrate) {
        memory now({{count, 1, side, side}, dt::f32, tag::nchw}, cpu, pixels.data());
        if (int8) now = converted(now, {{count, 1, side, side}, dt::u8, tag::nchw}, host(first.src_scale));
        for (Layer* l : {&first, &second}) {
            Layer& next = l == &first ? second : third;
            now = pool(convolve(*l, now, int8));
            queue.wait();
            if (!calibrate) continue;
            const memory::desc md = now.get_desc(); // f32; padding is 0
            l->dst_scale = next.src_scale = *std::max_element(data(now), data(now) + md.get_size() / 4) / 255;
        }
        return now;
    };

    // The last layer learns: a wrong answer moves its weights away from the features, the right one's towards them.
    std::vector<float> known = draw(1), unknown = draw(2);
    const memory of_known = converted(features_of(known, false, true), {{count, 16, 4, 4}, dt::f32, tag::nchw});
    for (int i = 0; i < 50 * count; ++i) {
        const float* x = data(of_known) + i % count * features;
        float* rows[classes];
        float scores[classes];
        for (int c = 0; c < classes; ++c) {
            rows[c] = third.weights.data() + c * features;
            scores[c] = std::inner_product(x, x + features, rows[c], 0.f);
        }
        const int answer = int(std::max_element(scores, scores + classes) - scores), right = i % count % classes;
        for (int k = 0; k < features && answer != right; ++k) rows[right][k] += x[k], rows[answer][k] -= x[k];
    }

    int right[2] = {}, agree = 0;
    std::vector<int> names[2];
    for (bool int8 : {false, true}) {
        const memory scores = converted(convolve(third, features_of(unknown, int8, false), int8),
                                        {{count, classes, 1, 1}, dt::f32, tag::nchw});
        for (int n = 0; n < count; ++n) {
            const float* row = data(scores) + n * classes;
            names[int8].push_back(int(std::max_element(row, row + classes) - row));
            right[int8] += names[int8].back() == n % classes;
        }
    }
    for (size_t n = 0; n < count; ++n) agree += names[0][n] == names[1][n];
    std::printf("f32:  %d of %d right\nint8: %d\nthe same answer: %d\n", right[0], count, right[1], agree);
    return right[0] > 0.8 * count && agree > 0.95 * count ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
