// SPDX-License-Identifier: Apache-2.0
// Recurrent cells through the interface: layouts left open, queries, the workspace, weights of bytes.
// covers: RNN-04 RNN-05 RNN-07 RNN-11 RNN-47 RNN-55 RNN-56 RNN-59 RNN-62
#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr memory::dim layers = 2, directions = 2, steps = 3, rows = 4, channels = 24, hidden = 24, gates = 4;
using Arguments = std::unordered_map<int, memory>;

struct Rnn : testing::Test {
    engine eng{engine::kind::cpu, 0};
    stream strm{eng};

    // Values of a sine, of a frequency of their own, as f32 or converted.
    memory filled(const memory::desc& md, float frequency, tag plain) {
        memory values({md.get_dims(), dt::f32, plain}, eng), m(md, eng);
        auto* const at = static_cast<float*>(values.get_data_handle());
        for (size_t i = 0; i < values.get_desc().get_size() / 4; ++i) at[i] = std::sin(frequency * float(i + 1)) / 3;
        reorder(values, m).execute(strm, values, m);
        strm.wait();
        return m;
    }
};

memory::desc any(const memory::dims& dims, dt type) { return {dims, type, tag::any}; }

const memory::desc src({steps, rows, channels}, dt::f32, tag::tnc), dst({steps, rows, 2 * hidden}, dt::f32, tag::tnc),
    state({layers, directions, rows, hidden}, dt::f32, tag::ldnc), none,
    bias({layers, directions, gates, hidden}, dt::f32, tag::ldgo);
const memory::dims of_weights{layers, directions, channels, gates, hidden};
constexpr auto both = rnn_direction::bidirectional_concat;

lstm_forward::primitive_desc forward_of(const engine& eng, prop_kind prop) {
    const memory::desc w = any(of_weights, dt::f32);
    return {eng, prop, both, src, state, state, w, w, bias, dst, state, state};
}

} // namespace

// The table of propagation: weights ldigo forward, ldgoi backward; what is written and all else plain.
TEST_F(Rnn, layouts_left_open) {
    const auto forward = forward_of(eng, prop_kind::forward_training);
    const memory::desc ldigo(of_weights, dt::f32, tag::ldigo), ldgoi(of_weights, dt::f32, tag::ldgoi);
    EXPECT_EQ(forward.weights_layer_desc(), ldigo);
    EXPECT_EQ(forward.weights_iter_desc(), ldigo);
    const memory::desc w = any(of_weights, dt::f32);
    const lstm_backward::primitive_desc backward(eng, prop_kind::backward, both, src, state, state, w, w, bias, dst,
                                                 state, state, src, state, state, w, w, bias, dst, state, state,
                                                 forward);
    EXPECT_EQ(backward.weights_layer_desc(), ldgoi);
    EXPECT_EQ(backward.weights_iter_desc(), ldgoi);
    EXPECT_EQ(backward.diff_weights_layer_desc(), ldigo);
    EXPECT_EQ(backward.diff_weights_iter_desc(), ldigo);
    EXPECT_EQ(backward.workspace_desc(), forward.workspace_desc());
    EXPECT_GT(forward.workspace_desc().get_size(), 0u);
    EXPECT_EQ(forward_of(eng, prop_kind::forward_inference).workspace_desc().get_size(), 0u);
    EXPECT_EQ(forward.get_cell_kind(), algorithm::vanilla_lstm);
    EXPECT_EQ(forward.get_direction(), both);
    EXPECT_EQ(forward.get_prop_kind(), prop_kind::forward_training);
}

// Inference and training give the same bits; gradients of weights are added to what is there, or replace it.
TEST_F(Rnn, gradients_are_added_unless_a_flag_says_otherwise) {
    const auto training = forward_of(eng, prop_kind::forward_training),
               inference = forward_of(eng, prop_kind::forward_inference);
    const memory workspace(training.workspace_desc(), eng);
    Arguments args{{DNNL_ARG_SRC_LAYER, filled(src, 0.7f, tag::abc)},
                   {DNNL_ARG_SRC_ITER, filled(state, 0.3f, tag::abcd)},
                   {DNNL_ARG_SRC_ITER_C, filled(state, 0.2f, tag::abcd)},
                   {DNNL_ARG_WEIGHTS_LAYER, filled(training.weights_layer_desc(), 0.9f, tag::abcde)},
                   {DNNL_ARG_WEIGHTS_ITER, filled(training.weights_iter_desc(), 1.1f, tag::abcde)},
                   {DNNL_ARG_BIAS, filled(bias, 0.5f, tag::abcd)},
                   {DNNL_ARG_DST_LAYER, memory(dst, eng)},
                   {DNNL_ARG_DST_ITER, memory(state, eng)},
                   {DNNL_ARG_DST_ITER_C, memory(state, eng)}};
    const auto values = [&] {
        const auto* const at = static_cast<const float*>(args[DNNL_ARG_DST_LAYER].get_data_handle());
        return std::vector<float>(at, at + dst.get_size() / 4);
    };
    lstm_forward(inference).execute(strm, args);
    strm.wait();
    const auto inferred = values();
    args[DNNL_ARG_WORKSPACE] = workspace;
    lstm_forward(training).execute(strm, args);
    strm.wait();
    EXPECT_EQ(inferred, values());

    const memory::desc w = any(of_weights, dt::f32);
    std::vector<float> sums[2];
    for (const bool overwrites : {false, true}) {
        const auto md = [](const memory::desc& d) { return d.get(); };
        dnnl_primitive_desc_t made = nullptr; // the flag is one of the C interface
        ASSERT_EQ(dnnl_lstm_backward_primitive_desc_create(
                      &made, eng.get(), dnnl_backward, dnnl_bidirectional_concat, md(src), md(state), md(state), md(w),
                      md(w), nullptr, nullptr, md(bias), md(dst), md(state), md(state), md(src), md(state), md(state),
                      md(w), md(w), nullptr, nullptr, md(bias), md(dst), md(state), md(state),
                      overwrites ? dnnl_rnn_flags_diff_weights_overwrite : dnnl_rnn_flags_undef, training.get(),
                      nullptr),
                  dnnl_success);
        const lstm_backward::primitive_desc pd(made);
        Arguments back = args;
        for (const int id : {DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_WEIGHTS_ITER}) {
            back[id] = memory(pd.weights_layer_desc(), eng);
            reorder(args[id], back[id]).execute(strm, args[id], back[id]);
        }
        back[DNNL_ARG_DIFF_DST_LAYER] = filled(dst, 0.4f, tag::abc);
        back[DNNL_ARG_DIFF_DST_ITER] = back[DNNL_ARG_DIFF_DST_ITER_C] = filled(state, 0.6f, tag::abcd);
        for (const int id : {DNNL_ARG_DIFF_SRC_ITER, DNNL_ARG_DIFF_SRC_ITER_C}) back[id] = memory(state, eng);
        back[DNNL_ARG_DIFF_SRC_LAYER] = memory(src, eng);
        for (const int id : {DNNL_ARG_DIFF_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_ITER, DNNL_ARG_DIFF_BIAS}) {
            back[id] = memory(id == DNNL_ARG_DIFF_BIAS ? bias : pd.diff_weights_layer_desc(), eng);
            auto* const at = static_cast<float*>(back[id].get_data_handle());
            std::fill(at, at + back[id].get_desc().get_size() / 4, 1000.f);
        }
        lstm_backward(pd).execute(strm, back);
        strm.wait();
        const auto* const at = static_cast<const float*>(back[DNNL_ARG_DIFF_BIAS].get_data_handle());
        sums[overwrites].assign(at, at + bias.get_size() / 4);
    }
    for (size_t i = 0; i < sums[0].size(); ++i) EXPECT_NEAR(sums[0][i], sums[1][i] + 1000, 1e-3) << i;
}

// u8 data and s8 weights, which a reorder with the attributes of the cell quantizes, beside f32.
TEST_F(Rnn, bytes_are_near_floats) {
    primitive_attr attr;
    attr.set_rnn_data_qparams(100, 128);
    attr.set_rnn_weights_qparams(0, {200});
    const memory::desc bytes(src.get_dims(), dt::u8, tag::tnc),
        plain({layers, directions, channels, gates, hidden}, dt::f32, tag::ldigo);
    const lstm_forward::primitive_desc pd(eng, prop_kind::forward_inference, both, bytes, none, none,
                                          any(of_weights, dt::s8), any(of_weights, dt::s8), bias, dst, none, none,
                                          attr);
    const memory::desc w = any(of_weights, dt::f32);
    const lstm_forward::primitive_desc exact(eng, prop_kind::forward_inference, both, src, none, none, w, w, bias, dst,
                                             none, none);
    const memory x = filled(src, 0.7f, tag::abc), wx = filled(plain, 0.9f, tag::abcde),
                 wh = filled(plain, 1.1f, tag::abcde), b = filled(bias, 0.5f, tag::abcd);
    const auto quantized = [&](const memory& from, const memory::desc& md) {
        memory to(md, eng);
        reorder(reorder::primitive_desc(eng, from.get_desc(), eng, md, attr))
            .execute(strm, const_cast<memory&>(from), to);
        return to;
    };
    const memory of_bytes(dst, eng), of_floats(dst, eng);
    lstm_forward(pd).execute(strm, {{DNNL_ARG_SRC_LAYER, quantized(x, bytes)},
                                    {DNNL_ARG_WEIGHTS_LAYER, quantized(wx, pd.weights_layer_desc())},
                                    {DNNL_ARG_WEIGHTS_ITER, quantized(wh, pd.weights_iter_desc())},
                                    {DNNL_ARG_BIAS, b},
                                    {DNNL_ARG_DST_LAYER, of_bytes}});
    lstm_forward(exact).execute(strm, {{DNNL_ARG_SRC_LAYER, x},
                                       {DNNL_ARG_WEIGHTS_LAYER, wx},
                                       {DNNL_ARG_WEIGHTS_ITER, wh},
                                       {DNNL_ARG_BIAS, b},
                                       {DNNL_ARG_DST_LAYER, of_floats}});
    strm.wait();
    const auto *const q = static_cast<const float*>(of_bytes.get_data_handle()), *const f = static_cast<const float*>(
                                                                                     of_floats.get_data_handle());
    float worst = 0, largest = 0;
    for (size_t i = 0; i < dst.get_size() / 4; ++i) {
        worst = std::max(worst, std::abs(q[i] - f[i])), largest = std::max(largest, std::abs(f[i]));
    }
    EXPECT_GT(largest, 0.2f);
    EXPECT_LT(worst, 0.03f); // three units of the data, 1 / 100 each
}
