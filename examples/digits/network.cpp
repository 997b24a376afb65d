// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <algorithm>

#include "training.hpp"

namespace digits {

constexpr float learning_rate = 0.02f;

Network::Network(const std::vector<int64_t>& widths, int64_t batch, Type type)
    : batch_(batch), input_(tensor({batch, widths.front()}, Type::f32)),
      diff_logits_(tensor({batch, widths.back()}, Type::f32)),
      typed_input_(input_, rows_of({batch, widths.front()}, type)),
      typed_diff_(diff_logits_, rows_of({batch, widths.back()}, type)) {
    std::mt19937 random(7);
    for (size_t l = 0; l + 1 < widths.size(); ++l) {
        const bool last = l + 2 == widths.size();
        layers_.emplace_back(batch, widths[l], widths[l + 1], type, last ? Type::f32 : type, learning_rate, random);
        if (!last) relus_.emplace_back(memory::dims{batch, widths[l + 1]}, type);
    }
}

double Network::learn(std::span<const float> inputs, std::span<const int> labels) {
    std::ranges::copy(inputs, floats(input_).begin());
    typed_input_.update();
    std::vector<memory> sources = {typed_input_.get()}; // of each layer
    for (size_t l = 0; l < relus_.size(); ++l) sources.push_back(relus_[l].forward(layers_[l].forward(sources[l])));
    const memory logits = layers_.back().forward(sources.back());
    stream().wait();

    const double loss = cross_entropy(floats(logits), labels, floats(diff_logits_));
    typed_diff_.update();
    memory diff = typed_diff_.get();
    for (size_t l = layers_.size(); l-- > 0;) {
        layers_[l].backward_weights(sources[l], diff);
        if (l > 0) diff = relus_[l - 1].backward(layers_[l].backward_data(diff));
    }
    for (Dense& layer : layers_) layer.step();
    stream().wait();
    return loss;
}

std::vector<double> train(Network& network, const Samples& samples, int epochs) {
    const auto inputs = inputs_of(samples.images);
    const auto batch = size_t(network.batch());
    std::vector<float> batch_inputs(batch * size_t(pixels));
    std::vector<int> batch_labels(batch);
    return descend(samples.count(), network.batch(), epochs, [&](std::span<const size_t> chosen) {
        for (size_t i = 0; i < batch; ++i) {
            std::copy_n(inputs.begin() + long(chosen[i]) * pixels, pixels, batch_inputs.begin() + long(i) * pixels);
            batch_labels[i] = samples.labels[chosen[i]];
        }
        return network.learn(batch_inputs, batch_labels);
    });
}

} // namespace digits
