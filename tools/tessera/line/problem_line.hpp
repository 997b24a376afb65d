// SPDX-License-Identifier: Apache-2.0
// The text form of a problem: one line, the same for `tessera run`, `bench`, `explain` and tests/inputs/*.txt.
//
//   reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b --attr-scales=src:2+dst:0 2x17x5x5
//   shuffle --dir=BWD_D --sdt=bf16 --stag=nhwc --axis=1 --group=4 2x16x5x5
//   binary --alg=mul --sdt=s8:f32 --ddt=u8 --stag=abcd:abcd --dtag=any 2x17x5x5:1x17x1x1
//   matmul --sdt=u8:s8:f32 --ddt=s8 --stag=ab:any:ab --attr-scales=wei:2 40x64:64x48:1x48
//   inner_product --dir=BWD_W --stag=acdb:any:any 2x16x5x5:32x16x5x5:32
//   convolution --stride=2x2 --padding=1x1 --stag=acdb:any 2x16x7x7:4x8x4x3x3:32
//   pooling --alg=max --kernel=3x3 --stride=2x2 --padding=1x1 --stag=acdb 2x64x112x112:2x64x56x56
//   reduction --alg=norm_lp_sum --p=2 --eps=1e-5 --stag=acdb 2x17x5x5:2x1x5x5
//   layer_normalization --dir=FWD_D --flags=CH --eps=1e-5 --sdt=bf16 --stag=abc 8x128x768
//   rnn --dir=FWD_I --alg=lstm --direction=concat --sdt=u8:u8:f32:s8:f32 --attr-rnn=64:128:24 l1t8mb4sic16
//
// If a primitive has several sources, their types, tags and dims are lists joined by `:`; a single entry applies to
// all. The sources of matmul and inner_product are src, weights and, if its dims are given, bias.
//
// | option | meaning, default |
// |---|---|
// | --sdt --ddt | data types; f32, and --ddt like the first of --sdt. --dt is both |
// | --stag --dtag | tags, `any`, or with an x for the dims not named (abx, axb, aBx16b); abx, and --dtag any where |
// | | the primitive chooses; `omit` (sum, concat): no descriptor. --tag is both |
// | --sstrides --dstrides | strides in elements (100x1x20x4) in place of a tag |
// | --ssub --dsub | OFFSETS@PARENT: the tensor is a view of a parent of that shape: 0x1x0@2x20x5 |
// | --alg --alpha --beta | the function, without its prefix (relu, relu_dst, add, select, linear); parameters |
// | --p --eps | order of a norm, 1, and its lower bound or what is added to it, 0; epsilon of normalizations, 0 |
// | --size --k | of lrn: extent of the window, 5, and the constant, 1 |
// | --kernel --stride --dilation | windows: 3x3, one number for all dimensions, or nothing: 1, 1 and 0 |
// | --padding --padding-r | before the elements, 0, and behind them: as much as the other shape needs, or as before |
// | --scales | sum's factors, 1:2:0.5, one a source |
// | --inplace | dst (backward: diff_src) in the buffer of the first source (backward: of diff_dst) |
// | --attr-scales | src:MASK[:TYPE[:GxG[:mx|fp]]]+wei:MASK+msrc0:MASK+dst:MASK+attr_post_op_dw_wei:MASK...; host for |
// | | MASK: a host scalar |
// | --attr-zero-points | the same; TYPE defaults to s32 |
// | --attr-precomputed-reductions | the same, of src |
// | --attr-post-ops | joined by +: sum[:SCALE[:ZERO_POINT[:TYPE]]], a function[:ALPHA[:BETA]], prelu[:MASK], an |
// | | operation of two values:TYPE[:MASK[:TAG]] (mask 0, tag any; bit d: the tensor varies along d), |
// | | dw:k3s1p1[:DST[:BIAS[:WEIGHTS]]]: a depthwise convolution, f32, bias and weights as the line's; undef: no bias |
// | --attr-scratchpad | library or user |
// | --attr-fpmath | strict, bf16, f16, tf32, any; with :true integer weights are converted |
// | --attr-acc-mode | strict, relaxed, any, s32, f32, f16 |
// | --attr-deterministic | true or false |
// | --attr-dropout | P:SEED[:OFFSET][+s64][+host][+nomask]: probability, seed (s32 or s64) and offset as memories |
// | | or host scalars |
// | --attr-rounding | diff_src+diff_weights:SEED: stochastic |
// | --oscale | MASK or MASK:rt (values given at execution): output scales of the older interface |
// | --rt | mask of the dims that are known only at execution; of matmul those of dst, then k |
// | --flags | s8s8:MASK+asymm:MASK+adjust:FACTOR or rnn:MASK: compensation behind the destination; of normalizations
// letters: | | | G given statistics, C scale, H shift, R fused relu, A fused addition and relu, M root of mean squares
// | | --ss-dt | types of scale and shift and of their gradients, f32:f32; one is both | | --stat-tag | of mean and
// variance of layer normalization; any | | --dir | FWD_D, FWD_I, BWD_D, BWD_W (weights and bias) or BWD_DW (prelu's
// backward) | | --axis --group | of shuffle and concat, of shuffle and group normalization; 1 | | --engine | cpu, gpu
// or gpu:INDEX: where the line runs; where its reader says, by default on the CPU | | --expect | status of the refusal
// that must come: invalid_arguments or unimplemented | | --direction --activation | of rnn: left2right, right2left,
// concat or sum; relu, tanh or logistic | | --with-peephole --with-projection --with-src-iter --with-dst-iter | of rnn,
// true or false | | --trivial-strides | of rnn: false lays rows of activations and states apart | | --diff-wtag | of
// rnn: of the gradients of weights; any | | --attr-rnn | of rnn and of reorder: SCALE:SHIFT[:MASK[:MASK]]: quantization
// of data, masks of the scales of weights and projection | | --seed | of the data; by default a hash of the line |
//
// Types and tags of rnn are those of layer, states, cell states, weights and bias; --ddt and --dtag are of dst_layer.
// Its extents have names, which follow each other where they are left out: l1t2mb3sic4slc5dhc6dic6. --flags=O:
// gradients overwrite.
//
// Backward: the source is diff_src and the destination diff_dst; data of eltwise has the source's type and tag, its
// gradients have --dtag. Gradients of prelu have the types and tags of their tensors. For inner_product a gradient
// takes the place of its tensor. Of normalizations the source is src, and both gradients are like the destination.
//
// Lines of benchdnn and of ONEDNN_VERBOSE are read as well: spellings/spellings.hpp.
//
// to_string() prints the shortest line that parses to the same problem.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attr/attr.hpp"
#include "core/engine.hpp"
#include "core/problem/problem.hpp"

namespace tessera {

// One tensor of the line. A tag or strides, never both.
struct LineTensor {
    DataType type = DataType::f32;
    std::string tag;
    std::vector<int64_t> strides;
    std::vector<int64_t> view_offsets, parent_dims; // empty: not a view
    bool operator==(const LineTensor&) const = default;
};

// A source after the first.
struct LineSource {
    LineTensor tensor;
    std::vector<int64_t> dims;
    bool operator==(const LineSource&) const = default;
};

struct LineQuant {
    int arg = arg::src;
    Quant quant;
    bool operator==(const LineQuant&) const = default;
};

struct LinePostOp {
    PostOpKind kind = PostOpKind::sum;
    int alg = 0; // of eltwise and binary
    float scale = 1.f;
    int32_t zero_point = 0;
    float alpha = 0.f, beta = 0.f;
    DataType type = DataType::undef; // of sum, of a binary's tensor, of a depthwise convolution's dst
    int mask = 0;                    // of a tensor
    std::string tag;
    int64_t kernel = 1, stride = 1, padding = 0;       // of a depthwise convolution
    std::optional<DataType> bias_type, weights_type{}; // none: those of the line
    bool operator==(const LinePostOp&) const = default;
};

struct LineDropout {
    float probability = 0;
    int64_t seed = 0;
    std::optional<int64_t> offset;
    bool wide_seed = false, on_host = false, mask = true;
    bool operator==(const LineDropout&) const = default;
};

struct LineRounding { // stochastic
    std::vector<int> arguments;
    int32_t seed = 0;
    bool operator==(const LineRounding&) const = default;
};

struct LineOutputScales {
    int mask = 0;
    bool at_execution = false;
    bool operator==(const LineOutputScales&) const = default;
};

struct LineEngine {
    EngineKind kind = EngineKind::cpu;
    size_t index = 0;
    bool operator==(const LineEngine&) const = default;
};
Result<LineEngine> parse_engine(std::string_view text); // "cpu", "gpu:1"
std::string to_string(const LineEngine& engine);

struct LineWindows { // a number for each spatial dimension, or one for all; empty: the default
    std::vector<int64_t> kernel, stride, dilation, padding, padding_r;
    bool operator==(const LineWindows&) const = default;
};

struct LineCellScales {
    float scale = 1, shift = 0;
    int mask = 0, projection_mask = 0;
    bool operator==(const LineCellScales&) const = default;
};

struct LineCell { // of rnn
    int direction = 1, activation = 0;
    bool peephole = false, projection = false, src_iter = true, dst_iter = true, gaps = false;
    std::string diff_weights_tag = "any";
    std::optional<LineCellScales> scales;
    bool operator==(const LineCell&) const = default;
};

struct ProblemLine {
    PrimitiveKind kind = PrimitiveKind::undef;
    PropKind prop = PropKind::undef;
    std::vector<int64_t> dims; // of src
    LineTensor src, dst;       // shuffle backward: src is diff_src, dst is diff_dst
    std::vector<LineSource> sources;
    std::vector<int64_t> dst_dims; // of resampling, reduction and pooling
    LineWindows windows;
    int64_t size = 5; // of lrn
    float k = 1.f;    // of lrn
    int alg = 0;
    float alpha = 0.f, beta = 0.f, p = 1.f, eps = 0.f;
    std::vector<float> factors; // of sum
    bool in_place = false;
    std::vector<LineQuant> scales, zero_points, reductions;
    std::vector<LinePostOp> post_ops;
    std::optional<LineDropout> dropout;
    std::optional<LineRounding> rounding;
    bool user_scratchpad = false;
    FpmathMode fpmath = FpmathMode::strict;
    bool fpmath_of_integers = false;
    AccumulationMode accumulation = AccumulationMode::strict;
    bool deterministic = false;
    std::optional<LineOutputScales> output_scales;
    int runtime_mask = 0;
    Extra extra;
    int axis = 1;
    int64_t group = 1;
    unsigned flags = 0; // of normalizations and rnn
    LineCell cell;
    DataType scale_type = DataType::f32, diff_scale_type = DataType::f32;
    std::string statistics_tag = "any";
    std::optional<LineEngine> engine;
    std::optional<Status> expect;
    std::optional<uint64_t> seed;
    bool operator==(const ProblemLine&) const = default;

    bool backward() const {
        return prop == PropKind::backward_data || prop == PropKind::backward_weights || prop == PropKind::backward;
    }
};

// An entry for each spatial dimension; padding behind that is not given is what dst needs.
LineWindows windows_in_full(const ProblemLine& line);
void shorten_windows(ProblemLine& line); // to the least that means the same

Result<ProblemLine> parse_problem_line(std::string_view text);
std::string to_string(const ProblemLine& line);

// The given seed, or FNV-1a of the line's text without its engine, so that every engine has the same data.
uint64_t seed_of(const ProblemLine& line);

// "aBx16b" of rank 4 -> "aBcd16b": an x inside of a tag means the letters not named. A tag without x is returned as is.
std::string expand_tag(std::string_view tag, size_t rank);

// "2x17x5x5"; empty text is no list.
Result<std::vector<int64_t>> parse_dims(std::string_view text);
std::string join_dims(const std::vector<int64_t>& dims);

// The lines of a file without comments (# to the end of a line) and blank lines; "-" reads the standard input.
struct NumberedLine {
    int number;
    std::string text;
};
Result<std::vector<NumberedLine>> read_problem_file(const std::string& path);

std::string_view status_name(Status status); // "invalid_arguments"

} // namespace tessera
