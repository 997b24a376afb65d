// SPDX-License-Identifier: Apache-2.0
// The primitives of one recurrent layer, LSTM or GRU: from left to right, from a state of zeros.
//
// Both cells have the same tensors (the LSTM's second state begins at zero and is not kept), so that whoever executes
// them need not know which it is. Weights have the layouts that each primitive likes: forward and backward differ.
#pragma once

#include "../digits/tensors.hpp"

namespace sequences {

using namespace digits;

enum class Cell { lstm, gru };

struct Layer {
    Cell cell;
    int64_t steps, batch, inputs, channels; // T, N, SLC, SIC = DHC

    // Input, forget, candidate, output; or update, reset, output.
    int64_t gates() const { return cell == Cell::lstm ? 4 : 3; }
    memory::dims src() const { return {steps, batch, inputs}; }
    memory::dims dst() const { return {steps, batch, channels}; }
    memory::dims state() const { return {1, 1, batch, channels}; } // dims 1, 1: one layer, one direction
    memory::dims weights_layer() const { return {1, 1, inputs, gates(), channels}; }
    memory::dims weights_iter() const { return {1, 1, channels, gates(), channels}; }
    memory::dims bias() const { return {1, 1, gates(), channels}; }
};

struct Recurrence {
    dnnl::primitive primitive;
    dnnl::rnn_primitive_desc_base desc; // which layouts it chose
};

// Activations and weights of a type, bias and all gradients f32. Forward writes a workspace that backward reads.
struct Training {
    Recurrence forward, backward;
};
Training training_of(const Layer& layer, Type type);

struct InferenceTypes {
    Type src, weights, dst;
};
// With keeps_state, it also writes the state after the last step, dst_iter; an LSTM dst_iter_c as well.
Recurrence inference_of(const Layer& layer, const InferenceTypes& types, const dnnl::primitive_attr& attributes,
                        bool keeps_state);

} // namespace sequences
