// SPDX-License-Identifier: Apache-2.0
// GRU and its relatives: the four cells side by side, on one sequence with the same weights.
//
// Each turns an impulse into a memory that fades. LBR ("linear before reset") applies the reset gate behind the product
// with U instead of before it, and has a fourth bias, which shows at step 0. AUGRU weakens the update gate by an
// attention, which comes with each step: 0 makes it a GRU, 1 replaces h. The table shows channel 0 of h of all four.
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int T = 8, N = 1, L = 1, D = 1, C = 2, G = 3; // steps, batch, layers, directions, channels of x and h, gates
using Floats = std::vector<float>;

// Dims: from channel, gate (u, r, o), to channel.
const Floats W = {-1, -0.5f, 1, 0.5f, 2, 1, 0.5f, -1, 0, 1, 0.5f, 2},
             U = {0.5f, 0, 1, 1, 0.8f, -0.3f, 0, 0.5f, -1, 1, 0.4f, 0.9f};
const Floats bias = {1, 1, 0, 0, 0, 0, 0.3f, -0.3f}; // u, r, o; of LBR another, within the reset

double sigmoid(double a) { return 1 / (1 + std::exp(-a)); }

Floats plainly(const Floats& x, const Floats& attention, bool lbr, bool augru) {
    Floats hs;
    double h[C] = {0, 0};
    for (int t = 0; t < T; ++t) {
        double wx[G][C], uh[G][C], u[C], r[C], next[C];
        for (int g = 0; g < G; ++g)
            for (int c = 0; c < C; ++c) {
                wx[g][c] = bias[g * C + c];
                uh[g][c] = 0;
                for (int i = 0; i < C; ++i) {
                    wx[g][c] += x[t * C + i] * W[(i * G + g) * C + c];
                    uh[g][c] += h[i] * U[(i * G + g) * C + c];
                }
            }
        for (int c = 0; c < C; ++c) {
            u[c] = sigmoid(wx[0][c] + uh[0][c]) * (augru ? 1 - attention[t] : 1);
            r[c] = sigmoid(wx[1][c] + uh[1][c]);
        }
        for (int c = 0; c < C; ++c) {
            double of_h = lbr ? r[c] * (uh[2][c] + bias[3 * C + c]) : 0;
            for (int i = 0; i < C && !lbr; ++i) of_h += r[i] * h[i] * U[(i * G + 2) * C + c];
            next[c] = u[c] * h[c] + (1 - u[c]) * std::tanh(wx[2][c] + of_h);
        }
        for (int c = 0; c < C; ++c) hs.push_back(float(h[c] = next[c]));
    }
    return hs;
}

// Any of the four classes: their primitive descriptors differ in the attention.
template <typename Cell, typename... Attention>
Floats run(const engine& cpu, stream& s, Floats x, Floats attention, bool lbr, const Attention&... attention_desc) {
    const memory::desc layer({T, N, C}, dt::f32, tag::tnc), none;
    const memory::desc weights({L, D, C, G, C}, dt::f32, tag::any), plain({L, D, C, G, C}, dt::f32, tag::ldigo);
    const memory::desc biases({L, D, lbr ? G + 1 : G, C}, dt::f32, tag::ldgo);
    const typename Cell::primitive_desc pd(cpu, prop_kind::forward_inference, rnn_direction::unidirectional_left2right,
                                           layer, none, attention_desc..., weights, weights, biases, layer, none);
    Floats w = W, u = U, b = bias, y(T * C);
    memory w_plain(plain, cpu, w.data()), w_chosen(pd.weights_layer_desc(), cpu);
    memory u_plain(plain, cpu, u.data()), u_chosen(pd.weights_iter_desc(), cpu);
    reorder(w_plain, w_chosen).execute(s, w_plain, w_chosen);
    reorder(u_plain, u_chosen).execute(s, u_plain, u_chosen);
    Cell(pd).execute(s, {{DNNL_ARG_SRC_LAYER, memory(layer, cpu, x.data())},
                         {DNNL_ARG_AUGRU_ATTENTION, memory({{T, N, 1}, dt::f32, tag::tnc}, cpu, attention.data())},
                         {DNNL_ARG_WEIGHTS_LAYER, w_chosen},
                         {DNNL_ARG_WEIGHTS_ITER, u_chosen},
                         {DNNL_ARG_BIAS, memory(biases, cpu, b.data())},
                         {DNNL_ARG_DST_LAYER, memory(layer, cpu, y.data())}});
    s.wait();
    return y;
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    Floats x(T * C), attention = {0, 0, 0, 0.5f, 0, 1, 0, 0};
    x[1 * C] = 2; // the impulse, at step 1
    const memory::desc attention_desc({T, N, 1}, dt::f32, tag::tnc);
    const Floats results[] = {run<gru_forward>(cpu, s, x, attention, false),
                              run<lbr_gru_forward>(cpu, s, x, attention, true),
                              run<augru_forward>(cpu, s, x, attention, false, attention_desc),
                              run<lbr_augru_forward>(cpu, s, x, attention, true, attention_desc)};
    bool right = true;
    std::printf("step   x  attention     GRU     LBR   AUGRU  LBR AUGRU\n");
    for (int t = 0; t < T; ++t) {
        std::printf("%4d %3.0f %10.1f", t, x[t * C], attention[t]);
        for (int cell = 0; cell < 4; ++cell) {
            std::printf(cell == 3 ? " %10.3f\n" : " %7.3f", results[cell][t * C] + 0.f);
            const Floats wanted = plainly(x, attention, cell % 2 == 1, cell >= 2);
            for (int c = 0; c < C; ++c)
                right = right && std::fabs(results[cell][t * C + c] - wanted[t * C + c]) < 1e-5f;
        }
    }
    if (!right) std::printf("WRONG: the formulas say otherwise\n");
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "gru: %s\n", e.what());
    return 1;
}
