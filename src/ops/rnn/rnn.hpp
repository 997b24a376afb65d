// SPDX-License-Identifier: Apache-2.0
// rnn: recurrent cells over time, L layers of them, in one direction or both (RNN-01..67). x is a row of the layer's
// input, h and c are the states that the step before left, W, U and B weights of input, state and bias; G gates a cell.
//
//   vanilla       h' = act(W x + U h + B)                                        act: relu, tanh, logistic
//   lstm          i, f, o = logistic(W x + U h + B [+ P c, o: P c'])  z = tanh(..)   gates i, f, z, o
//                 c' = f c + i z      h' = o tanh(c') [times R, the projection]
//   gru           u, r = logistic(W x + U h + B)      o = tanh(W_o x + U_o (r h) + B_o)     h' = u h + (1 - u) o
//   lbr_gru       o = tanh(W_o x + B_o + r (U_o h + B_u'))  the rest as gru; the bias has a fourth gate
//   augru         u times 1 - attention of this step and row; lbr_augru the same
//
// Layers of one direction read what the layer below, of the same direction, wrote; the results of the last layers are
// put side by side (bidirectional_concat) or added (bidirectional_sum).
//
// Backward gives the true gradients, of augru, too (RNN-45). Gradients of weights, peephole, projection and bias are
// added to what is there unless the flag diff_weights_overwrite is set.
//
// Rules in desc.cpp, layouts in formats.cpp, sizes in rnn.cpp, oracle in ref.cpp, plans in lower.cpp.
#pragma once

#include <map>

#include "core/program/lib/eltwise.hpp"
#include "ops/ops.hpp"

namespace tessera::ops {

// Numbers of dnnl_rnn_direction_t and dnnl_rnn_flags_t.
enum class Direction : int { undef = 0, left2right = 1, right2left = 2, concat = 3, sum = 4 };
inline constexpr unsigned diff_weights_overwrite = 1;

struct RnnOptions {
    int cell = 0;       // alg::vanilla_rnn ... alg::lbr_augru
    int activation = 0; // of vanilla_rnn: alg::eltwise_relu, _tanh, _logistic
    Direction direction = Direction::undef;
    unsigned flags = 0;
    float alpha = 0, beta = 0;
};

// The extents of a problem: steps T, batch N, layers L, directions D, gates G and channels.
struct RnnSizes {
    int64_t steps, batch, layers, directions, gates;
    int64_t slc, sic, dhc, dic, dlc; // of src_layer, src_iter, the cell, its state handed on, dst_layer
};

// A tensor of forward, in the order of verbose lines. Its gradient has diff_ in front of its name, and its dims.
struct RnnTensor {
    int arg;
    const char* name;                 // in refusals
    std::string_view word, diff_word; // in verbose lines, of its gradient
    const char* dims;                 // "T x N x SLC"
    int rank;
    bool output = false, weights = false; // weights: factors of products, dim 2 the reduced one of forward
};
std::span<const RnnTensor> rnn_tensors();
std::vector<int64_t> rnn_dims(int arg, int cell, const RnnSizes& sizes);
Result<void> choose_rnn_layout(const RnnTensor& tensor, bool of_backward, MemoryDesc& md);

// ---- desc.cpp: checks everything and answers a complete problem. `tensors`: by argument, empty descriptors are absent
// tensors. `hint`: the forward problem, of backward.
Result<Problem> make_rnn(PropKind prop, const RnnOptions& options, const std::map<int, MemoryDesc>& tensors,
                         const Problem* hint, const Attr& attr);

// ---- rnn.cpp: a problem as its two ends and the tools need it.
struct Rnn {
    explicit Rnn(const Problem& problem);

    int cell, activation;
    float alpha;
    Direction direction;
    bool backward, training; // training: forward_training, which writes the workspace
    bool overwrite;          // diff_weights_overwrite
    bool has_projection;
    DataType type;        // of src_layer and states
    int64_t steps, batch; // T, N
    int64_t layers, directions, gates;
    int64_t slc, sic, dhc, dic, dlc; // channels of src_layer, src_iter, the cell, its state handed on, dst_layer

    bool is_lstm() const { return cell == alg::vanilla_lstm; }
    bool is_lbr() const { return cell == alg::lbr_gru || cell == alg::lbr_augru; }
    bool has_attention() const { return cell == alg::vanilla_augru || cell == alg::lbr_augru; }
    bool is_gru() const { return cell != alg::vanilla_rnn && !is_lstm(); } // all four of them
    int64_t bias_gates() const { return gates + (is_lbr() ? 1 : 0); }
    // Whether direction number d (0 .. directions - 1) goes from the last step to the first.
    bool reversed(int64_t d) const { return direction == Direction::right2left || d == 1; }
};
int64_t gates_of(int cell); // 1, 4, 3

// ---- lower.cpp
// Of the workspace that training writes and backward reads: an opaque vector of bytes.
int64_t workspace_bytes(const Rnn& rnn);
Result<Plan> lower_rnn(const Problem& problem);

void ref_rnn(const Problem& problem, const Buffers& buffers);

} // namespace tessera::ops
