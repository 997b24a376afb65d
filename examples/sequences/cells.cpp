// SPDX-License-Identifier: Apache-2.0
#include "cells.hpp"

namespace sequences {
namespace {

using dnnl::gru_backward;
using dnnl::gru_forward;
using dnnl::lstm_backward;
using dnnl::lstm_forward;
using dnnl::prop_kind;

constexpr auto direction = dnnl::rnn_direction::unidirectional_left2right;
const memory::desc none; // an empty descriptor: a state of zeros, or one that nobody reads

} // namespace

Training training_of(const Layer& l, Type type) {
    const auto src = rows_of(l.src(), type), dst = rows_of(l.dst(), type), bias = rows_of(l.bias(), Type::f32);
    const auto w_layer = any(l.weights_layer(), type), w_iter = any(l.weights_iter(), type);
    const auto diff_src = rows_of(l.src(), Type::f32), diff_dst = rows_of(l.dst(), Type::f32);
    const auto diff_w_layer = any(l.weights_layer(), Type::f32), diff_w_iter = any(l.weights_iter(), Type::f32);
    if (l.cell == Cell::lstm) {
        const lstm_forward::primitive_desc forward(cpu(), prop_kind::forward_training, direction, src, none, none,
                                                   w_layer, w_iter, bias, dst, none, none);
        const lstm_backward::primitive_desc backward(cpu(), prop_kind::backward, direction, src, none, none, w_layer,
                                                     w_iter, bias, dst, none, none, diff_src, none, none, diff_w_layer,
                                                     diff_w_iter, bias, diff_dst, none, none, forward);
        return {{lstm_forward(forward), forward}, {lstm_backward(backward), backward}};
    }
    const gru_forward::primitive_desc forward(cpu(), prop_kind::forward_training, direction, src, none, w_layer, w_iter,
                                              bias, dst, none);
    const gru_backward::primitive_desc backward(cpu(), prop_kind::backward, direction, src, none, w_layer, w_iter, bias,
                                                dst, none, diff_src, none, diff_w_layer, diff_w_iter, bias, diff_dst,
                                                none, forward);
    return {{gru_forward(forward), forward}, {gru_backward(backward), backward}};
}

Recurrence inference_of(const Layer& l, const InferenceTypes& types, const dnnl::primitive_attr& attributes,
                        bool keeps_state) {
    const auto src = rows_of(l.src(), types.src), dst = rows_of(l.dst(), types.dst),
               bias = rows_of(l.bias(), Type::f32);
    const auto w_layer = any(l.weights_layer(), types.weights), w_iter = any(l.weights_iter(), types.weights);
    const auto state = keeps_state ? rows_of(l.state(), types.dst) : none;
    if (l.cell == Cell::lstm) {
        const auto state_c = keeps_state ? rows_of(l.state(), Type::f32) : none;
        const lstm_forward::primitive_desc desc(cpu(), prop_kind::forward_inference, direction, src, none, none,
                                                w_layer, w_iter, bias, dst, state, state_c, attributes);
        return {lstm_forward(desc), desc};
    }
    const gru_forward::primitive_desc desc(cpu(), prop_kind::forward_inference, direction, src, none, w_layer, w_iter,
                                           bias, dst, state, attributes);
    return {gru_forward(desc), desc};
}

} // namespace sequences
