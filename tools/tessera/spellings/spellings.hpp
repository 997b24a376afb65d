// SPDX-License-Identifier: Apache-2.0
// Problems in other notations: command lines of benchdnn, and lines of ONEDNN_VERBOSE, ours and oneDNN's since 2.0.
//
//   --matmul --dt=u8:s8:f32 --stag=ab --wtag=any --dtag=ab --attr-scales=wei:per_oc 16x32:32x64
//   onednn_verbose,v1,primitive,exec,cpu,matmul,brg:avx512_core,undef,src:u8::blocked:ab::f0 ...,,,16x32:32x64,0.01
//
// Both become a problem line, by in_our_words(); what a line does not contain (values of scales, the probability of a
// dropout) is made up. Options that say what benchdnn does with a problem (--mode, --repeats-per-prb) are ignored, and
// so is the engine of a verbose line, which may come from another machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"
#include "line/problem_line.hpp"
#include "line/text.hpp"

namespace tessera::spellings {

using Text = std::string_view;

bool is_benchdnn(Text line); // begins with a driver: --matmul
bool is_verbose(Text line);  // it contains onednn_verbose; a prefix that a logger added is ignored
bool begins_driver(Text token);

// Converts to a problem line; a problem line is returned as it is.
Result<std::string> in_our_words(Text line);

// Options of benchdnn's lines, with the drivers: for messages and for the command line.
const std::vector<Text>& known_words();

// ---- for the parts of this folder

struct Tensor {
    std::string type = "f32", tag, strides; // strides: "10x1", in place of the tag
};

// The content of a line in either notation.
struct Foreign {
    PrimitiveKind kind = PrimitiveKind::undef;
    std::string dir, alg;
    std::vector<Tensor> sources; // with the weights, without the bias
    Tensor dst;
    std::optional<Tensor> bias;
    int bias_mask = 0;                      // of matrices
    std::vector<std::string> factors;       // of sums
    std::vector<std::vector<int64_t>> dims; // of the sources; of resampling, reduction and pooling src and dst
    std::vector<std::string> options;       // ours, as they are

    void add(Text option, Text value); // in place of what was added for it before
    size_t rank(Text argument) const;  // of src, wei, dst
};
Result<std::string> print(const Foreign& foreign);

Result<std::string> from_benchdnn(Text line);
Result<std::string> from_verbose(Text line);

// "2x3:3x4", or mb2ic16_ih7oh14 for inner product and resampling; with or without a name after it.
Result<void> read_shape(Foreign& foreign, Text text);
// An attribute that both have, like attr-scales; false if `name` is none. Dims have to be known before.
Result<bool> read_attribute(Foreign& foreign, Text name, Text value);
const std::vector<Text>& attribute_names();

// Of recurrent cells: benchdnn's --cfg, the words of both notations, and the tensors of a verbose line, after
// begin_cell(); false for a name that is none of theirs.
Result<void> read_configuration(Foreign& foreign, Text value);
Result<void> read_activation(Foreign& foreign, Text value);
Result<void> read_direction(Foreign& foreign, Text value);
void begin_cell(Foreign& foreign);
bool read_cell_tensor(Foreign& foreign, Text name, const Tensor& tensor);

// What depends on several options: those of the primitive's row.
Result<void> complete(Foreign& foreign);

// Combines the run-time dim masks of src and weights into the mask of problem lines: dims of dst, then k.
Result<void> read_open_dims(Foreign& foreign, Text value);

inline bool is_number(Text text) { return number_of<double>(text).has_value(); }

} // namespace tessera::spellings
