// SPDX-License-Identifier: Apache-2.0
// Layers that learn, for batches of one size: a dense one (inner product) and relu (eltwise).
//
// Activations and their gradients have the type of the layer, f32 or bf16; weights, biases, their gradients and momenta
// stay f32, and a copy of the weights in the layer's type is made for every batch.
#pragma once

#include <random>

#include "parameter.hpp"

namespace digits {

class Dense {
public:
    // Outputs have a type of their own: those of the last layer are f32.
    Dense(int64_t batch, int64_t inputs, int64_t outputs, Type type, Type output_type, float rate,
          std::mt19937& random);

    const memory& forward(const memory& src);
    void backward_weights(const memory& src, const memory& diff_dst);
    const memory& backward_data(const memory& diff_dst);
    void step();

    const memory& diff_src() const { return diff_src_; }     // what backward_data() writes
    const memory& weights() const { return weights_.value; } // {outputs, inputs}
    const memory& bias() const { return bias_.value; }

private:
    Parameter weights_, bias_;
    Converted forward_weights_, backward_weights_;
    memory diff_weights_, dst_, diff_src_; // diff_weights_ in the layout of the library's choice
    Converted plain_gradient_;
    dnnl::inner_product_forward forward_;
    dnnl::inner_product_backward_data backward_data_;
    dnnl::inner_product_backward_weights backward_weights_primitive_;
};

class Relu {
public:
    Relu(const memory::dims& dims, Type type);
    const memory& forward(const memory& src);
    const memory& backward(const memory& diff_dst);

private:
    memory dst_, diff_src_;
    dnnl::eltwise_forward forward_;
    dnnl::eltwise_backward backward_;
};

} // namespace digits
