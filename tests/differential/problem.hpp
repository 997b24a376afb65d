// One problem as a line of text, the grammar both programs of this folder and their logs share:
//   reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b [--sstrides=850x50x10x2] [--ssub=0x1x0x0@2x20x5x5]
//           [--attr-scales=src:0+dst:2:bf16:1x4] [--attr-zero-points=dst:0] [--attr-post-ops=sum:2]
//           [--attr-scratchpad=user] [--rt=1] [--special] [--seed=7] 2x17x5x5
//   shuffle --dir=FWD_D|FWD_I|BWD_D --sdt=f32 --stag=nchw [--dtag=any] --axis=1 --group=4 [--seed=7] 2x16x5x5
//   eltwise --dir=FWD_D|FWD_I|BWD_D --alg=elu [--alpha=.5] [--beta=0] --sdt=f32 --stag=abcd [--dtag=any]
//           [--attr-post-ops=add:2:0:f32] [--special] [--seed=7] 2x16x5x5
//   binary --alg=add --sdt=f32 --odt=s8 --ddt=f32 --stag=abcd --otag=abcd --dtag=any [--odims=1x16x1x1] 2x16x5x5
// The second number of a binary post-op is the mask of the dims its operand has; --odims leaves dst other dims.
// --dstrides and --dsub do the same for dst. `2x3:2x4` gives dst other dims than src (an error to be reported).
// --special puts inf, NaN, -0 and denormals into the data; an odd --seed makes factors that are no power of two.
// Law: parse(print(p)) prints as p again.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace differential {

using Dims = std::vector<int64_t>;

struct Side {
    std::string type = "f32", tag;
    Dims dims, strides;
    Dims offsets, parent; // both set: the tensor is a view into `parent`
};

struct Quantization {     // scales or zero points of one argument
    std::string argument; // src or dst
    int mask = 0;
    std::string type; // empty: the default, f32 or s32
    Dims groups;
};

struct PostOp {
    std::string kind; // sum, relu, or the name of a binary algorithm
    double scale = 1; // of a binary post-op: the mask of dims
    int zero_point = 0;
    std::string type;
};

struct Problem {
    std::string primitive = "reorder", direction = "FWD_D";
    std::string algorithm; // of eltwise and binary, as in pointwise.hpp
    double alpha = 0, beta = 0;
    Side src, dst, other; // `other` is the second operand of binary
    std::vector<Quantization> scales, zero_points;
    std::vector<PostOp> post_ops;
    bool user_scratchpad = false, special = false;
    std::optional<std::string> extension; // an option only our library knows: not for comparisons
    int runtime_mask = 0;
    int axis = 0;
    int64_t group = 1;
    uint64_t seed = 0;
};

std::optional<Problem> parse(const std::string& line, std::string& complaint);
std::string print(const Problem& problem);
int64_t volume(const Dims& dims);
bool has_rough_scales(const Problem& problem); // factors that are no power of two

} // namespace differential
