// SPDX-License-Identifier: Apache-2.0
// Problem: one primitive with its tensors, parameters and attributes, in the same form for every primitive.
//
// src/ops/<primitive>/desc.cpp makes it and checks everything; lowering, references, queries, the argument check of
// execution, verbose lines and the cache read it. Its text is the cache key.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/attr/attr.hpp"
#include "core/desc/memory_desc.hpp"

namespace tessera {

// Numbers of dnnl_primitive_kind_t and dnnl_prop_kind_t.
enum class PrimitiveKind : int {
    undef = 0,
#define PRIMITIVE(name, number) name = number,
#include "core/problem/primitives.def"
#undef PRIMITIVE
};
enum class PropKind : int {
    undef = 0,
    forward_training = 64,
    forward_inference = 96,
    backward = 128,
    backward_data = 160,
    backward_weights = 192
};

std::string_view name(PrimitiveKind kind); // "reorder"
std::string_view name(PropKind kind);      // "forward_training"; "undef"
std::string named(PropKind kind);          // in messages: also "77" for a number that no kind has

// Argument ids (DNNL_ARG_...) that core and ops speak of.
namespace arg {
inline constexpr int src = 1, src_1 = 2, src_2 = 3, dst = 17, weights = 33, bias = 41, workspace = 64, scratchpad = 80;
inline constexpr int mean = 49, variance = 50, scale = 51, shift = 52;
inline constexpr int diff_src = 129, diff_dst = 145, diff_weights = 161, diff_bias = 169, output_scales = 513;
// Recurrent cells; gradients are these + 128.
inline constexpr int src_layer = 1, src_iter = 2, src_iter_c = 3, attention = 4, dst_layer = 17, dst_iter = 18,
                     dst_iter_c = 19, weights_layer = 33, weights_iter = 34, weights_peephole = 35,
                     weights_projection = 36;
inline constexpr int diff_of(int arg) { return arg + 128; }
inline constexpr int diff_scale = 255, diff_shift = 256;
inline constexpr int dropout_offset = 507, rounding_seed = 508, dropout_mask = 509, dropout_probability = 510,
                     dropout_seed = 511;
inline constexpr int precomputed_reductions = 512;             // or-ed with src
inline constexpr int multiple_src = 1024, multiple_dst = 2048; // + i
inline constexpr int scales = 4096, zero_points = 8192;        // or-ed with an argument
inline constexpr int post_op_dw = 16384; // or-ed with src, weights, bias, dst: of the depthwise post-op
constexpr int post_op(int i) { return int(32768u * unsigned(i + 1)); } // or-ed with src_1, src_2, weights
} // namespace arg
std::string arg_name(int id); // "src", "diff_dst", "scales of src"

// Numbers of dnnl_query_t that are keys of Problem::params and float_params.
namespace query {
inline constexpr int strides = 14, dilations = 15, padding_l = 16, padding_r = 17, epsilon = 18, flags = 19,
                     alg_kind = 20, alpha = 21, beta = 22, axis = 23, local_size = 24, k = 25, p = 26, cell_kind = 28,
                     direction = 29, activation_kind = 30, kernel = 31, group_size = 32;
} // namespace query

struct Tensor {
    int arg;
    MemoryDesc md;
    bool output = false;
    bool was_any = false; // the caller left the layout to the primitive
    bool attribute =
        false; // of a post-op, or dropout's mask: an argument of the execution, no descriptor of the primitive
};

struct Problem {
    PrimitiveKind kind = PrimitiveKind::undef;
    PropKind prop = PropKind::undef;
    std::vector<Tensor> tensors;       // inputs and outputs, in the order of verbose lines
    std::vector<Tensor> described;     // no arguments of the execution; queries answer with their descriptors
    std::map<int, int64_t> params;     // query:: number -> value
    std::map<int, float> float_params; // the same of numbers with a fraction; compared bit by bit
    std::map<int, Dims> list_params;   // the same of lists, an entry for each spatial dimension
    Attr attr;

    const Tensor* find(int arg) const;           // nullptr if the primitive has no such tensor
    const Tensor* find_described(int arg) const; // among those that queries answer with, too
    const MemoryDesc& md(int arg) const;         // of a tensor that exists
    bool has_runtime() const;
    std::string auxiliary() const; // "axis:1 group:2", "alg:eltwise_relu alpha:0.5"; "runtime-dim-mask:5" for {*, 3, *}
    std::string shape() const;     // of the first tensor, "2x17x5x5"
    std::string shapes() const;    // of all sources and weights, "2x3:2x4"
    std::string text() const;      // everything that decides the result; equal texts, equal problems
};

// An execution argument that is no tensor of the primitive (scales, zero points, ...): its type, count and dims.
struct QuantArg {
    int id; // arg::scales | arg::src ...
    Quant quant;
    int64_t count;             // elements
    std::vector<int64_t> dims; // extents of the value tensor, one per dimension of the argument (1 where unmasked)
};
// The memories of scales, zero points, dropout and rounding that execution needs, in ascending id. Run-time dims give
// count runtime_dim.
std::vector<QuantArg> quant_args(const Problem& problem);
// Extents of the value tensor of `q` over `md`: groups divide, unmasked dims are 1 (SCL-03, SCL-04).
std::vector<int64_t> quant_dims(const Quant& q, const MemoryDesc& md);

} // namespace tessera
