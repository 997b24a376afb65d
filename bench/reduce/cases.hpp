// SPDX-License-Identifier: Apache-2.0
// The cases of the benchmark of primitives that combine elements along rows, channels or windows.
//
//   for (const Set& set : sets)
//       for (const Case& c : set.cases()) measure(c.make());
//
// A case is named "what type layout shape": "batch_norm_train f32 nhwc 16x64x56x56". make() throws dnnl::error where
// the library refuses. Bytes are those of all tensors, each read or written once; what a library reads again is its
// loss.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../work.hpp"

namespace tessera::bench::reduce {

using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;
using Dims = memory::dims;
using Type = memory::data_type;
using Tag = memory::format_tag;
using Desc = memory::desc;
template <typename T> using Named = std::pair<const char*, T>; // as case names have it

struct Case {
    std::string set, name;
    std::function<Work()> make;
};

struct Set {
    const char *name, *meaning;
    std::vector<Case> (*cases)();
};

std::vector<Case> reduction_cases();
std::vector<Case> softmax_cases();
std::vector<Case> norm_cases();
std::vector<Case> pool_cases();
std::vector<Case> lrn_cases();

inline constexpr Set sets[] = {
    {"reduction", "every set of dims of images in f32, bf16 and s8", reduction_cases},
    {"softmax", "rows of 32 to 8192, every axis of images, attention, vocabularies", softmax_cases},
    {"norm", "batch norm of ResNet-50, layer norm of BERT, RMS norm of Llama, group norm of U-Net 3D", norm_cases},
    {"pool", "ResNet-50, VGG-16, Inception, global, 3-D", pool_cases},
    {"lrn", "AlexNet", lrn_cases},
};

inline constexpr Named<Type> f32{"f32", Type::f32}, bf16{"bf16", Type::bf16}, s8{"s8", Type::s8};
inline constexpr Named<Tag> ab{"ab", Tag::ab}, nchw{"nchw", Tag::nchw}, nhwc{"nhwc", Tag::nhwc},
    nChw16c{"nChw16c", Tag::nChw16c}, ncdhw{"ncdhw", Tag::ncdhw}, ndhwc{"ndhwc", Tag::ndhwc};
inline constexpr Named<Tag> image_tags[] = {nchw, nhwc, nChw16c};

// A tensor in words and as a descriptor.
struct Data {
    Dims dims;
    Named<Type> type;
    Named<Tag> tag;
    Desc desc() const { return Desc(dims, type.second, tag.second); }
    std::string name() const { return fmt::format("{} {} {}", type.first, tag.first, fmt::join(dims, "x")); }
};

} // namespace tessera::bench::reduce
