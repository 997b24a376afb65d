// SPDX-License-Identifier: Apache-2.0
// An LSTM in 8 bits: data of u8 with a scale and a shift, weights of s8 with a scale for each gate and channel.
//
// The scales of recurrent cells are values of the attributes, known when the descriptor is made: q = scale * x + shift
// for data, q = scale * w for weights. The same attributes go to the reorders that quantize the weights, which also
// store what the shift adds to each sum. It prints how far the outputs are from those of the same cell in f32.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

constexpr int T = 6, N = 2, C = 32, G = 4 * C; // steps, sequences, channels in and out, gates by channels

std::vector<float> noise(size_t count, float limit, unsigned seed) {
    std::mt19937 bits(seed);
    std::vector<float> values(count);
    for (float& v : values) v = limit * (float(bits()) / 2147483648.f - 1);
    return values;
}

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    std::vector<float> x = noise(T * N * C, 1, 1), w = noise(C * G, 0.2f, 2), u = noise(C * G, 0.1f, 3);
    std::vector<float> bias = noise(G, 0.5f, 4);
    const memory::desc weights({1, 1, C, 4, C}, dt::f32, tag::ldigo), bias_md({1, 1, 4, C}, dt::f32, tag::ldgo);
    const auto converted = [&](const memory& from, const memory::desc& to, const dnnl::primitive_attr& attr) {
        memory result(to, cpu);
        dnnl::reorder(from, result, attr).execute(stream, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, result}});
        stream.wait();
        return result;
    };

    // [attribute]
    dnnl::primitive_attr attr;
    attr.set_rnn_data_qparams(127, 128); // -1..1 becomes 1..255
    std::vector<float> scales(G);        // of both matrices: 127 / the largest value of a column
    for (size_t column = 0; column < G; ++column) {
        float most = 0;
        for (size_t row = 0; row < C; ++row)
            most = std::max({most, std::fabs(w[row * G + column]), std::fabs(u[row * G + column])});
        scales[column] = 127 / most;
    }
    attr.set_rnn_weights_qparams((1 << 3) + (1 << 4), scales); // dimensions 3 and 4 of ldigo: gate and channel
    // [/attribute]

    std::vector<std::vector<float>> outputs;
    for (bool int8 : {false, true}) {
        // [cell]
        const memory::desc data({T, N, C}, int8 ? dt::u8 : dt::f32, tag::tnc);
        const memory::desc any({1, 1, C, 4, C}, int8 ? dt::s8 : dt::f32, tag::any);
        const dnnl::primitive_attr of_cell = int8 ? attr : dnnl::primitive_attr();
        const dnnl::lstm_forward::primitive_desc pd(
            cpu, dnnl::prop_kind::forward_inference, dnnl::rnn_direction::unidirectional_left2right, data,
            memory::desc(), memory::desc(), any, any, bias_md, data, memory::desc(), memory::desc(), of_cell);
        const memory w_taken = converted(memory(weights, cpu, w.data()), pd.weights_layer_desc(), of_cell);
        const memory u_taken = converted(memory(weights, cpu, u.data()), pd.weights_iter_desc(), of_cell);
        // [/cell]

        // [run]
        const memory::desc floats({T, N, C}, dt::f32, tag::tnc);
        const memory src = converted(memory(floats, cpu, x.data()), data, of_cell), dst(data, cpu);
        dnnl::lstm_forward(pd).execute(stream, {{DNNL_ARG_SRC_LAYER, src},
                                                {DNNL_ARG_WEIGHTS_LAYER, w_taken},
                                                {DNNL_ARG_WEIGHTS_ITER, u_taken},
                                                {DNNL_ARG_BIAS, memory(bias_md, cpu, bias.data())},
                                                {DNNL_ARG_DST_LAYER, dst}});
        stream.wait();
        // [/run]
        std::vector<float> y(T * N * C);
        for (size_t i = 0; i < y.size(); ++i)
            y[i] = int8 ? (float(static_cast<uint8_t*>(dst.get_data_handle())[i]) - 128) / 127
                        : static_cast<float*>(dst.get_data_handle())[i];
        outputs.push_back(y);
    }
    float most = 0, apart = 0;
    for (size_t i = 0; i < outputs[0].size(); ++i) {
        most = std::max(most, std::fabs(outputs[0][i]));
        apart = std::max(apart, std::fabs(outputs[0][i] - outputs[1][i]));
    }
    std::printf("outputs up to %.2f; int8 is at most %.3f from f32, a step of u8 is %.3f\n", most, apart, 1 / 127.);
    return apart < 0.03f && most > 0.2f ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
