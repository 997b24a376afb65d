// SPDX-License-Identifier: Apache-2.0
// A trained network for inference on a fixed number of images: relu is a post-op of its layer, weights lie as the
// library likes them.
//
//   Classifier f32 = float_classifier(network, count, Type::f32);
//   Classifier int8 = int8_classifier(network, count, calibration);
//   std::vector<int> labels = int8.classify(images);
#pragma once

#include <span>
#include <vector>

#include "network.hpp"

namespace digits {

class Classifier {
public:
    std::vector<int> classify(std::span<const uint8_t> images);     // of as many as it was made for
    void run();                                                     // once more on the same images
    const std::vector<memory>& outputs() const { return outputs_; } // of each layer, the logits last

private:
    friend Classifier float_classifier(const Network& network, int64_t count, Type type);
    friend Classifier int8_classifier(const Network& network, int64_t count, const Samples& calibration);
    struct Step {
        dnnl::primitive primitive;
        Arguments arguments;
    };
    std::vector<Step> steps_;
    memory input_; // u8: pixels; else what input_of() makes of them
    std::vector<memory> outputs_;
};

Classifier float_classifier(const Network& network, int64_t count, Type type);

// Activations are u8, weights s8 with a scale for each output; the scales of activations come from their maxima over
// the calibration samples. Pixels go in as they are, with a zero point of 8: matmul has zero points, so it is the first
// layer; the others are inner products. Sums are exact in s32, the logits f32.
Classifier int8_classifier(const Network& network, int64_t count, const Samples& calibration);

double accuracy(const std::vector<int>& found, const std::vector<int>& labels);

} // namespace digits
