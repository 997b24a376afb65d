// SPDX-License-Identifier: Apache-2.0
// A trained network for inference on sequences of unequal length, in one of two ways:
//
//   padded      one batch, as long as its longest sequence; the state of each is read at its own last step
//   by_length   a batch for each length, without padding: the state after the last step is what the primitive returns
//
//   const std::vector<Sequence> sorted = by_length(sequences);
//   Classifier c(network, Type::u8, sorted, Batches::by_length);
//   c.run();
//   std::vector<int> labels = c.labels();
#pragma once

#include "network.hpp"

namespace sequences {

enum class Batches { padded, by_length };

class Classifier {
public:
    // Type of the activations: f32; bf16; u8 with weights in s8, whose states come back as f32. The sequences are the
    // caller's, sorted by length if batches are.
    Classifier(const Network& network, Type type, std::span<const Sequence> sequences, Batches batches);
    void run();
    std::vector<int> labels() const;
    const memory& last() const { return last_; } // the last states {sequences, channels}; f32, or bf16 of bf16

private:
    struct Step {
        dnnl::primitive primitive;
        Arguments arguments;
    };
    void add_recurrent(const Recurrent& trained, Type type, size_t first, size_t count, bool keeps_state);
    void add_dense(const Dense& trained);

    std::span<const Sequence> sequences_;
    bool padded_;
    std::vector<Step> recurrent_; // of each batch
    Step dense_;
    memory last_, logits_;
};

double accuracy(const std::vector<int>& found, std::span<const Sequence> sequences);

} // namespace sequences
