// SPDX-License-Identifier: Apache-2.0
// A small convolutional network in f32 that names drawn shapes:
//     3x3 convolution, relu -> max pooling -> 3x3 convolution, relu -> max pooling -> 4x4 convolution: 4 classes
//
// All primitives are created first, with open layouts: each takes what the one before it left. Weights are reordered
// once. The filters are random; the last layer learns on the features of known shapes. It prints the layouts that were
// chosen, and how many of 200 new shapes the network names rightly.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

constexpr int count = 200, side = 16, classes = 4, features = 16 * 4 * 4;
const engine cpu(engine::kind::cpu, 0);
stream queue(cpu);
float* data(const memory& m) { return static_cast<float*>(m.get_data_handle()); }

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

// [network]
struct Network {
    memory src, dst;
    std::vector<std::pair<primitive, std::unordered_map<int, memory>>> steps; // and their arguments

    memory convolution(const memory& x, const memory::dims& w, int padding, bool relu, const memory& weights) {
        const memory::dim out = x.get_desc().get_dims()[2] + 2 * padding - w[2] + 1;
        post_ops after;
        if (relu) after.append_eltwise(algorithm::eltwise_relu, 0, 0);
        primitive_attr attr;
        attr.set_post_ops(after);
        const convolution_forward::primitive_desc pd(
            cpu, prop_kind::forward_inference, algorithm::convolution_direct, x.get_desc(), {w, dt::f32, tag::any},
            {{count, w[0], out, out}, dt::f32, tag::any}, {1, 1}, {padding, padding}, {padding, padding}, attr);
        memory chosen(pd.weights_desc(), cpu), y(pd.dst_desc(), cpu);
        reorder(weights, chosen).execute(queue, {{DNNL_ARG_FROM, weights}, {DNNL_ARG_TO, chosen}}); // once
        const bool last = y.get_desc() == memory::desc({count, w[0], out, out}, dt::f32, tag::nhwc);
        std::printf("%2d channels, %2dx%-2d %s\n", int(w[0]), int(out), int(out), last ? "nhwc" : "another layout");
        steps.push_back({convolution_forward(pd), {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, chosen}, {DNNL_ARG_DST, y}}});
        return y;
    }
    memory pooling(const memory& x) {
        const memory::dims d = x.get_desc().get_dims();
        const pooling_forward::primitive_desc pd(cpu, prop_kind::forward_inference, algorithm::pooling_max,
                                                 x.get_desc(), {{d[0], d[1], d[2] / 2, d[3] / 2}, dt::f32, tag::any},
                                                 {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0});
        const memory y(pd.dst_desc(), cpu);
        steps.push_back({pooling_forward(pd), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}}});
        return y;
    }
    const float* operator()(const std::vector<float>& pixels) {
        std::copy(pixels.begin(), pixels.end(), data(src));
        for (const auto& step : steps) step.first.execute(queue, step.second);
        queue.wait();
        return data(dst);
    }
};
// [/network]

int main() try {
    std::mt19937 bits(3);
    const auto filters = [&](const memory::dims& w) {
        const memory made({w, dt::f32, tag::oihw}, cpu);
        for (int i = 0; i < w[0] * w[1] * w[2] * w[3]; ++i) data(made)[i] = float(bits()) / 2147483648.f - 1;
        return made;
    };
    Network net;
    net.src = memory({{count, 1, side, side}, dt::f32, tag::nchw}, cpu);
    memory now = net.pooling(net.convolution(net.src, {8, 1, 3, 3}, 1, true, filters({8, 1, 3, 3})));
    net.dst = net.pooling(net.convolution(now, {16, 8, 3, 3}, 1, true, filters({16, 8, 3, 3})));

    // The last layer learns: a wrong answer moves its weights away from the features, the right one's towards them.
    const float* known = net(draw(1));
    const memory last({{classes, 16, 4, 4}, dt::f32, tag::nhwc}, cpu); // as the features lie
    std::fill_n(data(last), classes * features, 0.f);
    const auto best = [](const float* row) { return int(std::max_element(row, row + classes) - row); };
    for (int i = 0; i < 50 * count; ++i) {
        float *rows = data(last), scores[classes];
        const float* x = known + i % count * features;
        for (int c = 0; c < classes; ++c) scores[c] = std::inner_product(x, x + features, rows + c * features, 0.f);
        const int answer = best(scores), right = i % count % classes;
        for (int k = 0; k < features && answer != right; ++k)
            rows[right * features + k] += x[k], rows[answer * features + k] -= x[k];
    }
    net.dst = net.convolution(net.dst, {classes, 16, 4, 4}, 0, false, last);

    const float* scores = net(draw(2));
    int right = 0;
    for (int n = 0; n < count; ++n) right += best(scores + n * classes) == n % classes;
    std::printf("%d of %d right\n", right, count);
    return right > 0.8 * count ? 0 : 1;
} catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
