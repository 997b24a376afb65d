// SPDX-License-Identifier: Apache-2.0
// One problem as a line of text, the grammar both programs of this folder and their logs share:
//   reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b [--sstrides=850x50x10x2] [--ssub=0x1x0x0@2x20x5x5]
//           [--attr-scales=src:0+dst:2:bf16:1x4] [--attr-zero-points=dst:0] [--attr-post-ops=sum:2]
//           [--attr-scratchpad=user] [--rt=1] [--special] [--seed=7] 2x17x5x5
//   shuffle --dir=FWD_D|FWD_I|BWD_D --sdt=f32 --stag=nchw [--dtag=any] --axis=1 --group=4 [--seed=7] 2x16x5x5
//   eltwise --dir=FWD_D|FWD_I|BWD_D --alg=elu [--alpha=.5] [--beta=0] --sdt=f32 --stag=abcd [--dtag=any]
//           [--attr-post-ops=add:2:0:f32] [--special] [--seed=7] 2x16x5x5
//   binary --alg=add --sdt=f32 --odt=s8 --ddt=f32 --stag=abcd --otag=abcd --dtag=any [--odims=1x16x1x1] 2x16x5x5
//          [--attr-scales=src:0+src1:0] [--attr-post-ops=sum:.5+tanh:0+mul:2:0:f32:any+select:15:0:s8+prelu:2]
//   prelu --dir=FWD_D|FWD_I|BWD [--want=diff_weights] --sdt=f32 --odt=bf16 --ddt=f32 --stag=abcd --otag=any --dtag=any
//         --odims=1x16x1x1 2x16x5x5
//   sum --sources=f32:abcd:2x16x5x5:.5+s8:acdb:2x16x5x5:2 --ddt=f32 --dtag=any 2x16x5x5
//   concat --axis=1 --sources=f32:abcd:2x3x5x5+f32:acdb:2x4x5x5 --ddt=f32 --dtag=any [--attr-scales=msrc1:0] 2x7x5x5
//   matmul --sdt=u8 --odt=s8 --ddt=s8 --stag=ab --otag=any --dtag=ab [--sources=f32:ab:1x20] --odims=37x20
//          [--attr-scales=src:0+wei:2+dst:0] [--attr-zero-points=src:0] [--attr-fpmath=strict:true] 5x37:5x20
//   resampling --dir=FWD_D|FWD_I|BWD_D --alg=linear --sdt=f32 --ddt=f32 --stag=abc --dtag=any [--factors=2x.5]
//              2x3x5:2x3x10
//   reduction --alg=norm_lp_sum [--alpha=P] [--beta=EPS] --sdt=f32 --ddt=f32 --stag=abc --dtag=any 2x3x5:2x1x5
//   pooling --dir=FWD_D|FWD_I|BWD_D --alg=max --windows=KxSxDxLxR+... --sdt=f32 --ddt=f32 --stag=abc --dtag=any
//           2x3x5:2x3x3      for each spatial dim kernel, stride, dilation, padding before and behind
//   layer_normalization --dir=FWD_D|FWD_I|BWD|BWD_D --alg=FLAGS [--alpha=EPS] [--group=G] [--want=mean|variance|
//                       diff_scale|diff_shift] --sdt=f32 --odt=f32 --odims=5 --ddt=f32 --stag=ab --dtag=any 2x5
//                       (batch_, group_: the same; flags are letters, N if there are none; --odt is of scale and shift)
//   lrn --dir=FWD_D|FWD_I|BWD_D --alg=across_channels --alpha=1 --beta=.75 --group=SIZE --sdt=f32 --stag=abcd
//       --ddt=f32 --dtag=any 2x16x5x5      with k = 1
//   rnn --dir=FWD_D|FWD_I|BWD --alg=lstm.concat.peephole [--want=dst_iter|diff_bias|...] --sdt=f32 --odt=f32 --ddt=f32
//       2x3x4x5x5x6x5:3x4x10      in full in primitives/rnn.hpp
//   inner_product --dir=FWD_D|FWD_I|BWD_D|BWD_W [--want=diff_weights|diff_bias] --sdt=f32 --odt=f32 --ddt=f32
//                 --stag=abcd --otag=any --dtag=ab [--sources=f32:a:32] --odims=32x16x5x5 2x16x5x5:2x32
// A post-op is NAME:FIRST:SECOND:TYPE:TAG. First and second are scale and zero point of a sum, alpha and beta of an
// eltwise; first is the mask of dims that the operand of a binary, select or prelu has. dw:3:2:f32 is a depthwise
// convolution of a kernel of 3 with stride 2 and padding on both sides; dst and its dims are what is before it. --odims
// leaves dst other dims. Of gradients src, dst and the second operand are diff_src, diff_dst and diff_weights as well.
// --inplace: dst is the buffer of the first input. --want names the output that is judged where there are two.
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
    std::string argument; // src, src1, wei, dst or msrc0, msrc1, ...
    int mask = 0;
    std::string type; // empty: the default, f32 or s32
    Dims groups;
};

struct PostOp {
    std::string kind; // sum, prelu, or an algorithm of eltwise or binary
    double first = 1, second = 0;
    std::string type, tag;
};

struct Source { // of sum and concat; the bias of matmul and inner_product
    Side side;
    double scale = 1; // of sum
};

struct Problem {
    std::string primitive = "reorder", direction = "FWD_D";
    std::string algorithm; // of eltwise, binary, resampling and reduction; flags of normalizations; cells
    double alpha = 0, beta = 0;
    Side src, dst, other; // `other` is the second operand of binary, the weights of prelu, matmul and inner_product
    std::vector<Source> sources;
    std::vector<double> factors;
    std::vector<Dims> windows; // of pooling: kernel, stride, dilation, padding before and behind, by spatial dim
    std::string want;          // diff_weights, diff_bias, mean, ..., or empty
    bool in_place = false;
    std::vector<Quantization> scales, zero_points;
    std::vector<PostOp> post_ops;
    bool converts_integers = false; // --attr-fpmath=strict:true
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
bool is_backward(const Problem& problem);
bool multiplies(const Problem& problem);    // sums of products
bool has_formula(const Problem& problem);   // judged by what formula.hpp expects, not by the bytes alone
const Side& output(const Problem& problem); // the tensor whose bytes are judged

} // namespace differential
