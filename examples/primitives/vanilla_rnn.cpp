// SPDX-License-Identifier: Apache-2.0
// Vanilla RNN: h' = act(W x + U h + B), over the steps of a sequence.
//
// With ReLU, which leaves positive numbers alone, and U = 1 1 / 1 0, the two channels of h run through the Fibonacci
// numbers: first from an impulse that comes as x at step 2, then from an initial h. The backward says how the last h
// depends on that initial h: by the product of as many U as there are steps, which is of Fibonacci numbers, too.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int T = 8, N = 1, L = 1, D = 1, C = 2, gates = 1; // steps, batch, layers, directions, channels
bool right = true;

void check(float got, float wanted, const char* what) {
    if (got == wanted) return; // whole numbers: exact
    std::printf("WRONG: %s is %g, should be %g\n", what, got, wanted);
    right = false;
}

// A program's tensor in the layout that a primitive chose.
memory in_layout(stream& s, memory from, const memory::desc& wanted) {
    if (from.get_desc() == wanted) return from;
    memory to(wanted, from.get_engine());
    reorder(from, to).execute(s, from, to);
    s.wait();
    return to;
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::desc layer({T, N, C}, dt::f32, tag::tnc), iter({L, D, N, C}, dt::f32, tag::ldnc);
    const memory::desc bias({L, D, gates, C}, dt::f32, tag::ldgo);
    const memory::dims weights_dims = {L, D, C, gates, C}; // from channel, gate, to channel
    const memory::desc plain(weights_dims, dt::f32, tag::ldigo), chosen(weights_dims, dt::f32, tag::any);
    const vanilla_rnn_forward::primitive_desc forward(cpu, prop_kind::forward_training, algorithm::eltwise_relu,
                                                      rnn_direction::unidirectional_left2right, layer, iter, chosen,
                                                      chosen, bias, layer, iter);
    const vanilla_rnn_backward::primitive_desc backward(
        cpu, prop_kind::backward, algorithm::eltwise_relu, rnn_direction::unidirectional_left2right, layer, iter,
        chosen, chosen, bias, layer, iter, layer, iter, plain, plain, bias, layer, iter, forward);

    std::vector<float> w = {1, 0, 0, 1}, u = {1, 1, 1, 0}, b = {0, 0}, x(T * C), h0 = {0, 0}, y(T * C), last(C);
    const memory w_plain(plain, cpu, w.data()), u_plain(plain, cpu, u.data()), b_memory(bias, cpu, b.data());
    const memory w_forward = in_layout(s, w_plain, forward.weights_layer_desc());
    const memory u_forward = in_layout(s, u_plain, forward.weights_iter_desc());
    const memory src_layer(layer, cpu, x.data()), src_iter(iter, cpu, h0.data()), dst_layer(layer, cpu, y.data());
    const memory dst_iter(iter, cpu, last.data()), workspace(forward.workspace_desc(), cpu);
    const auto run = [&](const char* name) {
        vanilla_rnn_forward(forward).execute(s, {{DNNL_ARG_SRC_LAYER, src_layer},
                                                 {DNNL_ARG_SRC_ITER, src_iter},
                                                 {DNNL_ARG_WEIGHTS_LAYER, w_forward},
                                                 {DNNL_ARG_WEIGHTS_ITER, u_forward},
                                                 {DNNL_ARG_BIAS, b_memory},
                                                 {DNNL_ARG_DST_LAYER, dst_layer},
                                                 {DNNL_ARG_DST_ITER, dst_iter},
                                                 {DNNL_ARG_WORKSPACE, workspace}});
        s.wait();
        std::printf("%-12s", name);
        float h[2] = {h0[0], h0[1]};
        for (int t = 0; t < T; ++t) {
            const float before[2] = {h[0], h[1]};
            for (int c = 0; c < C; ++c) {
                h[c] = std::fmax(0.f, x[t * C + c] + before[0] * u[c] + before[1] * u[C + c]);
                check(y[t * C + c], h[c], "h");
            }
            std::printf(" (%2.0f, %2.0f)", y[t * C], y[t * C + 1]);
        }
        std::printf("\n");
        check(last[0], h[0], "dst_iter");
    };
    x[2 * C + 1] = 1; // step 2, channel 1
    run("an impulse");
    x[2 * C + 1] = 0;
    h0[0] = 1;
    run("h0 = (1, 0)");

    // The gradient of the first channel of the last h, back to the first h. Backward writes all of these diff_*.
    std::vector<float> dlast = {1, 0}, dh0(C);
    const memory nothing(layer, cpu), dx(layer, cpu), dw(plain, cpu), du(plain, cpu), db(bias, cpu);
    for (const memory& zero : {nothing, dw, du, db}) // backward adds to the gradients of weights and bias
        std::fill_n(static_cast<char*>(zero.get_data_handle()), zero.get_desc().get_size(), 0);
    vanilla_rnn_backward(backward).execute(
        s, {{DNNL_ARG_SRC_LAYER, src_layer},
            {DNNL_ARG_SRC_ITER, src_iter},
            {DNNL_ARG_WEIGHTS_LAYER, in_layout(s, w_plain, backward.weights_layer_desc())},
            {DNNL_ARG_WEIGHTS_ITER, in_layout(s, u_plain, backward.weights_iter_desc())},
            {DNNL_ARG_BIAS, b_memory},
            {DNNL_ARG_DST_LAYER, dst_layer},
            {DNNL_ARG_DST_ITER, dst_iter},
            {DNNL_ARG_WORKSPACE, workspace},
            {DNNL_ARG_DIFF_DST_LAYER, nothing},
            {DNNL_ARG_DIFF_DST_ITER, memory(iter, cpu, dlast.data())},
            {DNNL_ARG_DIFF_SRC_LAYER, dx},
            {DNNL_ARG_DIFF_SRC_ITER, memory(iter, cpu, dh0.data())},
            {DNNL_ARG_DIFF_WEIGHTS_LAYER, dw},
            {DNNL_ARG_DIFF_WEIGHTS_ITER, du},
            {DNNL_ARG_DIFF_BIAS, db}});
    s.wait();
    std::printf("d last[0] / d h0 = (%g, %g)\n", dh0[0], dh0[1]);
    check(dh0[0], 34, "the gradient"); // the eighth power of U is 34 21 / 21 13
    check(dh0[1], 21, "the gradient");
    return right ? 0 : 1;
} catch (const error& e) {
    std::fprintf(stderr, "vanilla_rnn: %s\n", e.what());
    return 1;
}
