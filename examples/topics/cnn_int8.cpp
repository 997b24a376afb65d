// SPDX-License-Identifier: Apache-2.0
// Two convolutions with relu, in f32 and in 8 bits: how scales are found, and what they cost.
//
// The network runs in f32 on some images, and the largest value behind each layer becomes 255 of u8: its scale is that
// value / 255. Weights are s8, and each output channel has a scale, for filters differ in size. Then both networks see
// new images. It prints the scales and how far the results are apart.

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

constexpr int count = 8, side = 16;
const engine cpu(engine::kind::cpu, 0);
stream queue(cpu);
memory host(float value) { return memory(memory::desc::host_scalar(dt::f32), value); }
float* data(const memory& m) { return static_cast<float*>(m.get_data_handle()); }
float largest(const float* x, size_t n) {
    return std::accumulate(x, x + n, 0.f, [](float a, float b) { return std::fmax(a, std::fabs(b)); });
}

// [quantize]
// `from` divided by the scales, rounded and saturated to the type of `to`; in f32 just reordered.
memory converted(const memory& from, const memory::desc& to, const memory& scales, int mask) {
    memory result(to, cpu);
    primitive_attr attr;
    std::unordered_map<int, memory> args = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, result}};
    if (scales) attr.set_scales_mask(DNNL_ARG_TO, mask);
    if (scales) args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO] = scales;
    reorder(from, result, attr).execute(queue, args);
    queue.wait();
    return result;
}
// [/quantize]

struct Layer {
    memory::dims extents; // of the weights: outputs, inputs, height, width
    std::vector<float> weights;
    float src_scale, dst_scale; // of 8 bits
};

// [layer]
memory convolve(Layer& l, const memory& src, bool int8) {
    const memory::dims& w = l.extents;
    post_ops relu;
    relu.append_eltwise(algorithm::eltwise_relu, 0, 0);
    primitive_attr attr;
    attr.set_post_ops(relu);
    std::unordered_map<int, memory> args = {{DNNL_ARG_SRC, src}};
    memory scales;
    if (int8) {
        scales = memory({{w[0]}, dt::f32, tag::a}, cpu);
        const size_t each = l.weights.size() / size_t(w[0]);
        for (size_t o = 0; o < size_t(w[0]); ++o) data(scales)[o] = largest(&l.weights[o * each], each) / 127;
        attr.set_host_scale(DNNL_ARG_SRC);
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 0); // one for each output channel
        attr.set_host_scale(DNNL_ARG_DST);
        args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC] = host(l.src_scale);
        args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] = scales;
        args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = host(l.dst_scale);
    }
    const memory::desc any_dst({count, w[0], side, side}, int8 ? dt::u8 : dt::f32, tag::any);
    const convolution_forward::primitive_desc pd(cpu, prop_kind::forward_inference, algorithm::convolution_direct,
                                                 src.get_desc(), {w, int8 ? dt::s8 : dt::f32, tag::any}, any_dst,
                                                 {1, 1}, {1, 1}, {1, 1}, attr);
    const memory dst(pd.dst_desc(), cpu), given({w, dt::f32, tag::oihw}, cpu, l.weights.data());
    args[DNNL_ARG_WEIGHTS] = converted(given, pd.weights_desc(), scales, 1 << 0); // a program does this once
    args[DNNL_ARG_DST] = dst;
    convolution_forward(pd).execute(queue, args);
    queue.wait();
    return dst;
}
// [/layer]

int main() try {
    std::mt19937 bits(3);
    const auto noise = [&](size_t n, float low) {
        std::vector<float> values(n);
        for (float& v : values) v = low + (1 - low) * float(bits()) / 4294967296.f;
        return values;
    };
    const memory::desc image({count, 1, side, side}, dt::f32, tag::nchw),
        bytes({count, 1, side, side}, dt::u8, tag::nchw);
    const memory::desc plain({count, 16, side, side}, dt::f32, tag::nchw);
    Layer first{{8, 1, 3, 3}, noise(72, -1), 1.f / 255, 0}, second{{16, 8, 3, 3}, noise(1152, -1), 0, 0};
    std::vector<float> seen = noise(count * side * side, 0), fresh = noise(count * side * side, 0);

    // [calibrate]
    const memory hidden = convolve(first, memory(image, cpu, seen.data()), false);
    first.dst_scale = second.src_scale = largest(data(hidden), hidden.get_desc().get_size() / 4) / 255;
    const memory last = convolve(second, hidden, false);
    second.dst_scale = largest(data(last), last.get_desc().get_size() / 4) / 255;
    // [/calibrate]
    std::printf("scales: image %.4f, hidden %.4f, last %.4f\n", first.src_scale, first.dst_scale, second.dst_scale);

    const memory src(image, cpu, fresh.data());
    const memory floats = converted(convolve(second, convolve(first, src, false), false), plain, {}, 0);
    memory stored = convolve(second, convolve(first, converted(src, bytes, host(first.src_scale), 0), true), true);
    stored = converted(stored, plain, {}, 0); // the numbers 0 to 255
    double error = 0, sum = 0;
    for (size_t i = 0; i < count * 16 * side * side; ++i) {
        error += std::fabs(data(stored)[i] * second.dst_scale - data(floats)[i]);
        sum += data(floats)[i];
    }
    std::printf("int8 and f32 are %.1f %% of the mean value apart\n", 100 * error / sum);
    return error < 0.03 * sum ? 0 : 1;
} catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
