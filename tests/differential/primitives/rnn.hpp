// SPDX-License-Identifier: Apache-2.0
// Recurrent cells in the grammar of the harness: the cell and its options are the algorithm, the extents are the dims.
//   rnn --dir=BWD --alg=lstm.concat.peephole.projection.overwrite --want=diff_bias ... 2x3x4x5x5x6x5:3x4x10
// dims: layers, steps, batch, channels of src_iter, of src_layer, of the cell and of dst_iter; behind the colon those
// of dst_layer. Other words: left2right, right2left, sum; relu, logistic; no_src_iter, no_dst_iter.
#pragma once
#include <string>
#include <vector>

#include "../problems/problem.hpp"

namespace differential {

struct Cell {
    explicit Cell(const Problem& p);
    bool has(const std::string& word) const;
    bool is(const std::string& name) const { return words[0] == name; }
    bool reversed(int64_t d) const { return has("right2left") || d == 1; }
    bool has_attention() const { return is("augru") || is("lbr_augru"); }
    bool is_lbr() const { return is("lbr_gru") || is("lbr_augru"); }

    std::vector<std::string> words;
    int64_t layers, steps, batch, sic, slc, dhc, dic, directions, gates;
};

// The tensors that the problem has, inputs in the order of `inputs`, as the primitive is given them.
struct CellTensor {
    std::string name;
    int argument;
    Dims dims;
};
std::vector<CellTensor> cell_inputs(const Problem& p);
std::vector<CellTensor> cell_outputs(const Problem& p); // the judged one first

} // namespace differential
