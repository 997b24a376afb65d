// SPDX-License-Identifier: Apache-2.0
// A perceptron of dense layers with relu between them, trained by gradient descent on batches.
//
//   Network network({64, 128, 64, 10}, 32, Type::bf16);
//   std::vector<double> losses = train(network, digits.train, 20);   // the mean of each epoch
#pragma once

#include "data.hpp"
#include "layers.hpp"

namespace digits {

class Network {
public:
    Network(const std::vector<int64_t>& widths, int64_t batch, Type type);

    int64_t batch() const { return batch_; }
    // One step on `batch` inputs and their labels; the mean cross-entropy before it.
    double learn(std::span<const float> inputs, std::span<const int> labels);
    const std::vector<Dense>& layers() const { return layers_; }

private:
    int64_t batch_;
    std::vector<Dense> layers_;
    std::vector<Relu> relus_;
    memory input_, diff_logits_; // f32
    Converted typed_input_, typed_diff_;
};

std::vector<double> train(Network& network, const Samples& samples, int epochs);

} // namespace digits
