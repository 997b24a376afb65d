// SPDX-License-Identifier: Apache-2.0
// The reference of recurrent cells: RNN-30..58 step by step in double, and how far an execution in f32 may be from it.
//
//   const RnnReference reference(problem, buffers);    // `buffers`: what is read
//   reference.of(arg::dst_layer)[i]                    // element i in logical order: value and error
//
// States are rounded to the type of src_layer after each step (integers are quantized), cell states are not. Backward
// computes the steps of forward again and reads no workspace.
//
// An error covers sums in any order, the stated errors of tanh and logistic, and, in backward with 16 bits, gradients
// of gates that are rounded for the products. It is carried through all steps: of f(x) it is the error of x times the
// largest slope within it.
#pragma once

#include "ops/rnn/approximate.hpp"
#include "ops/rnn/rnn.hpp"

namespace tessera::ops {

using approximate::Approximate;

class RnnReference {
public:
    RnnReference(const Problem& problem, const Buffers& buffers);
    const std::vector<Approximate>& of(int output) const { return values_.at(output); }

private:
    using Row = std::vector<Approximate>;
    struct Step {                        // what one row of a batch has computed in one step of one layer and direction
        Row input, before, cell_before;  // x, h and c that it read
        Row gates, cell, hidden, handed; // after their functions; c', h before the projection, h'
        Row reset;                       // of gru r h, of lbr_gru U_o h + B_u'
        Approximate update;              // of the attention: 1 - a
    };

    const Row& in(int id) const { return values_.at(id); }
    bool has(int id) const { return values_.contains(id); }
    size_t step_of(int64_t layer, int64_t direction, int64_t step, int64_t row) const;
    int64_t weight(int64_t layer, int64_t direction, int64_t k, int64_t inputs, int64_t gate, int64_t channel) const;
    Approximate bias(int64_t layer, int64_t direction, int64_t gate, int64_t channel) const;
    Approximate dequantized(const Approximate& q) const;
    Row dequantized(Row row) const;
    Approximate stored(const Approximate& x) const; // as the state that the next step reads
    double weight_scale(int weights, int64_t gate, int64_t channel) const;
    Approximate product(int weights, int64_t layer, int64_t direction, int64_t gate, int64_t channel,
                        const Row& factors) const;
    double product_rounding() const; // of one product, in relation
    Row projected(int64_t layer, int64_t direction, const Row& hidden) const;

    void forward();
    void step(int64_t layer, int64_t direction, Step& s) const;
    void put_results();
    struct Backward;
    void backward();

    const Problem& problem_;
    const Rnn rnn_;
    const DataType type_; // of src_layer
    const bool int8_;
    const RnnQparams qparams_;
    std::map<int, Row> values_; // of the tensors
    std::vector<Step> steps_;   // [layer][direction][step][row]
};

} // namespace tessera::ops
