// SPDX-License-Identifier: Apache-2.0
// A recurrent layer that reads a digit row by row, and a dense one that tells from its last state which digit it was.
//
//   Network network(Cell::gru, 32, Type::bf16);
//   std::vector<double> losses = train(network, sequences, 20);   // the mean of each epoch
//
// Activations have the type of the network, f32 or bf16; weights, gradients and momenta are f32, and a copy of the
// weights in the type and layout of each primitive is made for every batch.
#pragma once

#include <random>

#include "../digits/layers.hpp"
#include "cells.hpp"
#include "sequences.hpp"

namespace sequences {

inline constexpr int64_t channels = 64;

// Learns for batches of layer.batch sequences, padded to layer.steps.
class Recurrent {
public:
    Recurrent(const Layer& layer, Type type, std::mt19937& random);
    const memory& forward(const memory& src);
    void backward(const memory& src, const memory& diff_dst); // diff_dst is f32
    void step();

    const Layer& layer() const { return layer_; }
    const memory& weights_layer() const { return weights_layer_.value; } // f32, row-major, as Layer has their dims
    const memory& weights_iter() const { return weights_iter_.value; }
    const memory& bias() const { return bias_.value; }

private:
    Layer layer_;
    Training primitives_;
    Parameter weights_layer_, weights_iter_, bias_;
    Converted forward_layer_, forward_iter_, backward_layer_, backward_iter_;
    memory diff_layer_, diff_iter_; // gradients of weights, in the layout of the library's choice
    Converted plain_diff_layer_, plain_diff_iter_;
    memory dst_, diff_src_, workspace_;
};

class Network {
public:
    Network(Cell cell, int64_t batch, Type type);
    int64_t batch() const { return recurrent_.layer().batch; }
    double learn(std::span<const Sequence> of_batch); // one step; the mean cross-entropy before it
    const Recurrent& recurrent() const { return recurrent_; }
    const Dense& dense() const { return dense_; }

private:
    Network(Cell cell, int64_t batch, Type type, std::mt19937 random);
    Recurrent recurrent_;
    Dense dense_;
    memory src_, last_, diff_logits_, diff_dst_; // src_ and diff_.. are f32
    Converted typed_src_, typed_diff_logits_, diff_last_;
};

std::vector<double> train(Network& network, const std::vector<Sequence>& sequences, int epochs);

} // namespace sequences
