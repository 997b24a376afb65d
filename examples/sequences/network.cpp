// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../digits/training.hpp"

namespace sequences {

constexpr float learning_rate = 0.05f;

Recurrent::Recurrent(const Layer& layer, Type type, std::mt19937& random)
    : layer_(layer), primitives_(training_of(layer, type)), weights_layer_(layer.weights_layer(), learning_rate),
      weights_iter_(layer.weights_iter(), learning_rate), bias_(layer.bias(), learning_rate) {
    const float widest = 1 / std::sqrt(float(layer.channels));
    for (const memory& weights : {weights_layer_.value, weights_iter_.value})
        for (float& w : floats(weights)) w = widest * (float(random() % 65536) / 32768 - 1);
    // An LSTM that begins by remembering learns sooner: the bias of the forget gate, the second, is 1.
    if (layer.cell == Cell::lstm)
        std::ranges::fill(floats(bias_.value).subspan(size_t(layer.channels), size_t(layer.channels)), 1.0f);

    const auto& [forward, backward] = primitives_;
    forward_layer_ = Converted(weights_layer_.value, forward.desc.weights_layer_desc());
    forward_iter_ = Converted(weights_iter_.value, forward.desc.weights_iter_desc());
    backward_layer_ = Converted(weights_layer_.value, backward.desc.weights_layer_desc());
    backward_iter_ = Converted(weights_iter_.value, backward.desc.weights_iter_desc());
    diff_layer_ = tensor(backward.desc.diff_weights_layer_desc());
    diff_iter_ = tensor(backward.desc.diff_weights_iter_desc());
    plain_diff_layer_ = Converted(diff_layer_, weights_layer_.value.get_desc());
    plain_diff_iter_ = Converted(diff_iter_, weights_iter_.value.get_desc());
    weights_layer_.gradient = plain_diff_layer_.get();
    weights_iter_.gradient = plain_diff_iter_.get();
    dst_ = tensor(forward.desc.dst_layer_desc());
    diff_src_ = tensor(backward.desc.diff_src_layer_desc());
    workspace_ = tensor(forward.desc.workspace_desc());
}

const memory& Recurrent::forward(const memory& src) {
    forward_layer_.update();
    forward_iter_.update();
    primitives_.forward.primitive.execute(stream(), {{DNNL_ARG_SRC_LAYER, src},
                                                     {DNNL_ARG_WEIGHTS_LAYER, forward_layer_.get()},
                                                     {DNNL_ARG_WEIGHTS_ITER, forward_iter_.get()},
                                                     {DNNL_ARG_BIAS, bias_.value},
                                                     {DNNL_ARG_DST_LAYER, dst_},
                                                     {DNNL_ARG_WORKSPACE, workspace_}});
    return dst_;
}

void Recurrent::backward(const memory& src, const memory& diff_dst) {
    // The primitive adds to what the gradients of weights hold.
    for (const memory& m : {diff_layer_, diff_iter_, bias_.gradient})
        std::memset(m.get_data_handle(), 0, m.get_desc().get_size());
    backward_layer_.update();
    backward_iter_.update();
    primitives_.backward.primitive.execute(stream(), {{DNNL_ARG_SRC_LAYER, src},
                                                      {DNNL_ARG_WEIGHTS_LAYER, backward_layer_.get()},
                                                      {DNNL_ARG_WEIGHTS_ITER, backward_iter_.get()},
                                                      {DNNL_ARG_BIAS, bias_.value},
                                                      {DNNL_ARG_DST_LAYER, dst_},
                                                      {DNNL_ARG_WORKSPACE, workspace_},
                                                      {DNNL_ARG_DIFF_DST_LAYER, diff_dst},
                                                      {DNNL_ARG_DIFF_SRC_LAYER, diff_src_},
                                                      {DNNL_ARG_DIFF_WEIGHTS_LAYER, diff_layer_},
                                                      {DNNL_ARG_DIFF_WEIGHTS_ITER, diff_iter_},
                                                      {DNNL_ARG_DIFF_BIAS, bias_.gradient}});
    plain_diff_layer_.update();
    plain_diff_iter_.update();
}

void Recurrent::step() {
    weights_layer_.step();
    weights_iter_.step();
    bias_.step();
}

Network::Network(Cell cell, int64_t batch, Type type) : Network(cell, batch, type, std::mt19937(7)) {}

Network::Network(Cell cell, int64_t batch, Type type, std::mt19937 random)
    : recurrent_({cell, most_rows, batch, row_pixels, channels}, type, random),
      dense_(batch, channels, classes, type, Type::f32, learning_rate, random),
      src_(tensor(recurrent_.layer().src(), Type::f32)), last_(tensor({batch, channels}, type)),
      diff_logits_(tensor({batch, classes}, Type::f32)), diff_dst_(tensor(recurrent_.layer().dst(), Type::f32)),
      typed_src_(src_, rows_of(recurrent_.layer().src(), type)),
      typed_diff_logits_(diff_logits_, rows_of({batch, classes}, type)),
      diff_last_(dense_.diff_src(), rows_of({batch, channels}, Type::f32)) {}

double Network::learn(std::span<const Sequence> of_batch) {
    fill_padded(of_batch, floats(src_));
    typed_src_.update();
    const memory states = recurrent_.forward(typed_src_.get());
    stream().wait();
    take_last(states, of_batch, last_);
    const memory logits = dense_.forward(last_);
    stream().wait();

    std::vector<int> labels;
    for (const Sequence& s : of_batch) labels.push_back(s.label);
    const double loss = cross_entropy(floats(logits), labels, floats(diff_logits_));
    typed_diff_logits_.update();
    dense_.backward_weights(last_, typed_diff_logits_.get());
    dense_.backward_data(typed_diff_logits_.get());
    diff_last_.update();
    stream().wait();
    put_last(diff_last_.get(), of_batch, diff_dst_);
    recurrent_.backward(typed_src_.get(), diff_dst_);
    recurrent_.step();
    dense_.step();
    stream().wait();
    return loss;
}

std::vector<double> train(Network& network, const std::vector<Sequence>& sequences, int epochs) {
    std::vector<Sequence> of_batch(size_t(network.batch()));
    return descend(int64_t(sequences.size()), network.batch(), epochs, [&](std::span<const size_t> chosen) {
        std::ranges::transform(chosen, of_batch.begin(), [&](size_t i) { return sequences[i]; });
        return network.learn(of_batch);
    });
}

} // namespace sequences
