// SPDX-License-Identifier: Apache-2.0
// LSTM: a cell that remembers. Weights by hand make it a switch, so that every number can be understood.
//
// x has two channels: `set` opens the input gate i, `reset` closes the forget gate f. The state c becomes nearly 1 at a
// set, stays while nothing comes, and is forgotten at a reset. Prints gates, c and h at each step, computed by a plain
// loop, and the primitive's h. Then the same sequence from right to left, and both directions beside each other.
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int T = 8, N = 1, L = 1, SLC = 2, DHC = 1, G = 4; // steps, batch, layers, channels of x and of h, gates
bool right = true;

void check(double got, double wanted, const char* what) {
    if (std::fabs(got - wanted) < 1e-5) return;
    std::printf("WRONG: %s is %g, a plain loop says %g\n", what, got, wanted);
    right = false;
}

// Gates are in the order i, f, c~, o. Rows: what `set`, `reset`, and the bias add before the activations.
const std::vector<float> by_x = {8, 0,   6, 0,  // set: opens i, and c~ is 1
                                 0, -16, 0, 0}; // reset: closes f
const std::vector<float> by_h = {0, 0, 0, 0};
const std::vector<float> bias = {-4, 6, 0, 2};
const std::vector<float> x = {0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}; // (set, reset) at each step

double sigmoid(double a) { return 1 / (1 + std::exp(-a)); }

// h of each step, and a table if it is printed.
std::vector<double> plainly(bool backwards, bool print) {
    std::vector<double> hs(T);
    double c = 0, h = 0;
    if (print) std::printf("step set reset |    i     f    c~     o |     c     h\n");
    for (int step = 0; step < T; ++step) {
        const int t = backwards ? T - 1 - step : step;
        double a[G];
        for (int g = 0; g < G; ++g) a[g] = bias[g] + x[2 * t] * by_x[g] + x[2 * t + 1] * by_x[G + g] + h * by_h[g];
        const double i = sigmoid(a[0]), f = sigmoid(a[1]), candidate = std::tanh(a[2]), o = sigmoid(a[3]);
        c = f * c + i * candidate;
        hs[t] = h = o * std::tanh(c);
        if (print)
            std::printf("%4d %3.0f %5.0f | %.3f %.3f %.3f %.3f | %.3f %.3f\n", t, x[2 * t], x[2 * t + 1], i, f,
                        candidate, o, c, h);
    }
    return hs;
}

// dst_layer in one or both directions. Both have weights of their own, which are equal here.
std::vector<float> run(const engine& cpu, stream& s, rnn_direction direction) {
    const bool both = direction == rnn_direction::bidirectional_concat;
    const int D = both ? 2 : 1;
    const memory::dims layer_dims = {L, D, SLC, G, DHC}, iter_dims = {L, D, DHC, G, DHC};
    const memory::desc src_layer({T, N, SLC}, dt::f32, tag::tnc), dst_layer({T, N, D * DHC}, dt::f32, tag::tnc);
    const memory::desc none; // no initial state: zeros; no final state wanted
    const lstm_forward::primitive_desc pd(cpu, prop_kind::forward_inference, direction, src_layer, none, none,
                                          memory::desc(layer_dims, dt::f32, tag::any),
                                          memory::desc(iter_dims, dt::f32, tag::any),
                                          memory::desc({L, D, G, DHC}, dt::f32, tag::ldgo), dst_layer, none, none);
    std::vector<float> wx, wh, b, src = x, dst(T * D);
    for (int d = 0; d < D; ++d) {
        wx.insert(wx.end(), by_x.begin(), by_x.end());
        wh.insert(wh.end(), by_h.begin(), by_h.end());
        b.insert(b.end(), bias.begin(), bias.end());
    }
    memory wx_plain({layer_dims, dt::f32, tag::ldigo}, cpu, wx.data()), wx_chosen(pd.weights_layer_desc(), cpu);
    memory wh_plain({iter_dims, dt::f32, tag::ldigo}, cpu, wh.data()), wh_chosen(pd.weights_iter_desc(), cpu);
    reorder(wx_plain, wx_chosen).execute(s, wx_plain, wx_chosen);
    reorder(wh_plain, wh_chosen).execute(s, wh_plain, wh_chosen);
    lstm_forward(pd).execute(s, {{DNNL_ARG_SRC_LAYER, memory(src_layer, cpu, src.data())},
                                 {DNNL_ARG_WEIGHTS_LAYER, wx_chosen},
                                 {DNNL_ARG_WEIGHTS_ITER, wh_chosen},
                                 {DNNL_ARG_BIAS, memory(pd.bias_desc(), cpu, b.data())},
                                 {DNNL_ARG_DST_LAYER, memory(dst_layer, cpu, dst.data())}});
    s.wait();
    return dst;
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const std::vector<double> forwards = plainly(false, true), backwards = plainly(true, false);
    const std::vector<float> right_to_left = run(cpu, s, rnn_direction::unidirectional_right2left);
    const std::vector<float> left_to_right = run(cpu, s, rnn_direction::unidirectional_left2right);
    const std::vector<float> both = run(cpu, s, rnn_direction::bidirectional_concat);
    std::printf("\nh of the primitive\nstep   left to right  right to left  both\n");
    for (int t = 0; t < T; ++t) {
        std::printf("%4d %15.3f %14.3f  %.3f %.3f\n", t, left_to_right[t], right_to_left[t], both[2 * t],
                    both[2 * t + 1]);
        check(left_to_right[t], forwards[t], "h");
        check(right_to_left[t], backwards[t], "h from right to left");
        check(both[2 * t], forwards[t], "the first half of both");
        check(both[2 * t + 1], backwards[t], "the second half of both");
    }
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "lstm: %s\n", e.what());
    return 1;
}
