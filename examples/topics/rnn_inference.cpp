// SPDX-License-Identifier: Apache-2.0
// An LSTM over a sequence, all at once and in two halves.
//
// The weights are {layers, directions, channels, gates, hidden}, gates in the order input, forget, candidate, output;
// the descriptor chooses their layout, and they are reordered once. States go out with the last step and come in with
// the first one, so a sequence may come in parts. It prints the output of the last step, compares both ways bit by bit,
// and with the formulas of the cell in a loop.

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

constexpr int T = 8, C = 5, H = 4; // steps, channels of the input, hidden channels; one sequence

std::vector<float> noise(size_t count, unsigned seed) {
    std::mt19937 bits(seed);
    std::vector<float> values(count);
    for (float& v : values) v = float(bits()) / 2147483648.f - 1;
    return values;
}

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    std::vector<float> src = noise(T * C, 1), w = noise(C * 4 * H, 2), u = noise(H * 4 * H, 3), bias = noise(4 * H, 4);
    const memory::desc w_md({1, 1, C, 4, H}, dt::f32, tag::ldigo), u_md({1, 1, H, 4, H}, dt::f32, tag::ldigo);
    const memory::desc bias_md({1, 1, 4, H}, dt::f32, tag::ldgo), state({1, 1, 1, H}, dt::f32, tag::ldnc);

    // Runs `steps` steps from src + first * C; h and c are the states before and, afterwards, behind them.
    const auto run = [&](int first, int steps, std::vector<float>& dst, std::vector<float>& h, std::vector<float>& c) {
        // [lstm]
        const memory::desc x_md({steps, 1, C}, dt::f32, tag::tnc), y_md({steps, 1, H}, dt::f32, tag::tnc);
        const memory::desc any_w({1, 1, C, 4, H}, dt::f32, tag::any), any_u({1, 1, H, 4, H}, dt::f32, tag::any);
        const dnnl::lstm_forward::primitive_desc pd(cpu, dnnl::prop_kind::forward_inference,
                                                    dnnl::rnn_direction::unidirectional_left2right, x_md, state, state,
                                                    any_w, any_u, bias_md, y_md, state, state);
        memory w_given(w_md, cpu, w.data()), u_given(u_md, cpu, u.data());
        memory w_taken(pd.weights_layer_desc(), cpu), u_taken(pd.weights_iter_desc(), cpu);
        dnnl::reorder(w_given, w_taken).execute(stream, w_given, w_taken); // once, for all sequences
        dnnl::reorder(u_given, u_taken).execute(stream, u_given, u_taken);
        std::vector<float> h_after(H), c_after(H);
        dnnl::lstm_forward(pd).execute(stream, {{DNNL_ARG_SRC_LAYER, memory(x_md, cpu, src.data() + first * C)},
                                                {DNNL_ARG_SRC_ITER, memory(state, cpu, h.data())},
                                                {DNNL_ARG_SRC_ITER_C, memory(state, cpu, c.data())},
                                                {DNNL_ARG_WEIGHTS_LAYER, w_taken},
                                                {DNNL_ARG_WEIGHTS_ITER, u_taken},
                                                {DNNL_ARG_BIAS, memory(bias_md, cpu, bias.data())},
                                                {DNNL_ARG_DST_LAYER, memory(y_md, cpu, dst.data() + first * H)},
                                                {DNNL_ARG_DST_ITER, memory(state, cpu, h_after.data())},
                                                {DNNL_ARG_DST_ITER_C, memory(state, cpu, c_after.data())}});
        stream.wait();
        // [/lstm]
        h = h_after, c = c_after;
    };

    std::vector<float> whole(T * H), parts(T * H), h(H), c(H);
    run(0, T, whole, h, c);
    // [halves]
    h.assign(H, 0), c.assign(H, 0);
    run(0, T / 2, parts, h, c);
    run(T / 2, T / 2, parts, h, c); // with the states that the first half left
    // [/halves]

    // Other lengths may sum in another order.
    float halves = 0, difference = 0;
    for (size_t i = 0; i < size_t(T * H); ++i) halves = std::fmax(halves, std::fabs(whole[i] - parts[i]));
    std::vector<float> h_loop(H), c_loop(H);
    const auto sigmoid = [](float x) { return 1 / (1 + std::exp(-x)); };
    for (int t = 0; t < T; ++t) {
        std::vector<float> gates = bias, before = h_loop;
        for (int g = 0; g < 4 * H; ++g) {
            for (int i = 0; i < C; ++i) gates[size_t(g)] += src[size_t(t * C + i)] * w[size_t(i * 4 * H + g)];
            for (int i = 0; i < H; ++i) gates[size_t(g)] += before[size_t(i)] * u[size_t(i * 4 * H + g)];
        }
        for (size_t j = 0; j < H; ++j) {
            c_loop[j] = sigmoid(gates[H + j]) * c_loop[j] + sigmoid(gates[j]) * std::tanh(gates[2 * H + j]);
            h_loop[j] = sigmoid(gates[3 * H + j]) * std::tanh(c_loop[j]);
            difference = std::fmax(difference, std::fabs(h_loop[j] - whole[size_t(t) * H + j]));
        }
    }
    std::printf("last step: %.3f %.3f %.3f %.3f\n", h[0], h[1], h[2], h[3]);
    std::printf("in two halves: %s\n", halves < 1e-6f ? "less than 1e-6 apart" : "WRONG");
    std::printf("compared with a loop: %s\n", difference < 1e-5f ? "less than 1e-5 apart" : "WRONG");
    return halves < 1e-6f && difference < 1e-5f ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
