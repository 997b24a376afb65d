// SPDX-License-Identifier: Apache-2.0
// What batch, group and layer normalization have in common: rules, reference, steps.
//
//   x^  = (src - mean) / sqrt(variance + epsilon)       mean and (biased) variance over a set of elements
//   dst = scale x^ + shift
//
// They differ in the sets, each of which has one mean and one variance, and in what one scale belongs to:
//
//   batch    N x C x pixels   a set is a channel                      scale {C}   statistics {C}
//   group    N x C x pixels   an image's group of C / G channels      scale {C}   statistics {N, G}
//   layer    ... x C          what has the same leading coordinates   scale {C}   statistics: dims without the last
//
// Gradients, with y' = diff_dst (0 where a fused relu had 0), n elements in a set, sums over the set:
//
//   diff_src   = (scale y' - sum(scale y') / n - x^ sum(scale y' x^) / n) / sqrt(variance + epsilon)
//   diff_shift = sum of y' over all elements of a scale,  diff_scale = sum of y' x^
//
// With use_global_stats mean and variance are given, so that nothing but the first term of diff_src remains. With
// rms_norm, of layer normalization, the mean is 0 and the variance the mean of squares; diff_src lacks the second term.
//
// Rules in desc.cpp, reference in ref.cpp, steps in cells.cpp and rows.cpp.
#pragma once

#include <optional>

#include "core/layout/layout.hpp"
#include "ops/ops.hpp"

namespace tessera::ops {

namespace norm { // dnnl_normalization_flags_t
enum Flag : unsigned {
    use_global_stats = 1,
    use_scale = 2,
    use_shift = 4,
    fuse_relu = 8,
    fuse_add_relu = 16,
    rms = 32
};
} // namespace norm

// The sets of elements that have one mean: each channel of all images, an image's groups of channels, or rows.
enum class Sets { channels, groups, rows };

// What one of the three primitives allows.
struct NormalizationRules {
    PrimitiveKind kind;
    Sets sets;
    unsigned flags;
    int most_rank;    // of the data, from 2 on
    bool one_type;    // throughout, and one layout of src and dst and of both gradients; s8 by given statistics
    bool only_a_relu; // for post-ops; otherwise eltwise and binary, and scales of integers
    std::string primitive() const { return std::string(name(kind)); }
};

// What a call asks for.
struct NormalizationCall {
    PropKind prop;
    bool forward;
    MemoryDesc src{};
    MemoryDesc dst{};                  // forward
    MemoryDesc diff_src{}, diff_dst{}; // backward
    float epsilon;
    unsigned flags;
    int64_t groups = 1;      // of group normalization
    MemoryDesc statistics{}; // of layer normalization; zero: the primitive chooses the layout
    DataType scale_type = DataType::f32, diff_scale_type = DataType::f32;
    MemoryDesc workspace{}; // of the forward that is the hint, if it has one: masks of a fused relu
};

// Checks everything, answers a complete problem.
Result<Problem> make_normalization(const NormalizationRules& rules, NormalizationCall call, const Attr& attr);

// A problem of one of the three.
class Normalization {
public:
    Normalization(const Problem& problem, Sets sets);

    bool has(norm::Flag flag) const { return (flags & flag) != 0; }
    bool forward() const { return prop == PropKind::forward_training || prop == PropKind::forward_inference; }
    // Mean and variance are arguments that are read; otherwise they are computed, and in training stored.
    bool given() const { return has(norm::use_global_stats) || !forward(); }
    const MemoryDesc& data() const { return problem.md(arg::src); }
    std::span<const int64_t> dims() const { return data().dims_span(); }

    // The dims over which one mean is taken, those of a group's channels left out: C is dim 1, or the last one.
    int reduced() const { return reduced_; }
    size_t channel() const { return channel_; } // the dim that scale and shift vary along
    int64_t groups() const { return groups_; }  // of channels
    double count() const { return count_; }     // of elements with one mean

    // Coordinates in mean and variance of the set that the element at these coordinates belongs to.
    std::vector<int64_t> set_of(std::span<const int64_t> at) const;
    std::vector<int64_t> dims_of_sets() const;
    // The layout of mean and variance over the dims of the data.
    Layout over_data(const MemoryDesc& statistics) const;

    const Problem& problem;
    const Sets sets;
    PropKind prop;
    unsigned flags;
    float epsilon;

private:
    int reduced_ = 0;
    size_t channel_ = 1;
    int64_t groups_ = 1;
    double count_ = 1;
};

void ref_normalization(const Problem& problem, Sets sets, const Buffers& buffers);

// Statistics over cells (cells.cpp): sets of channels and of groups.
Result<Plan> lower_by_cells(const Problem& problem, Sets sets);

// For the rows of the three.
bool normalizes_in_place(const Problem& problem, const Tensor& input);
std::string shape_of_images(const Problem& problem); // "mb2ic16ih5iw5", with "g4" in front of a group normalization's
std::vector<VerboseToken> tokens_of_batches(const Problem& problem);

} // namespace tessera::ops
