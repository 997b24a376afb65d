// SPDX-License-Identifier: Apache-2.0
// The cases of the mover benchmark: their names, their targets and how to make them.
//
//   for (const Set& set : sets)
//       for (const Case& c : set.cases()) measure(c.make());
//
// make() throws dnnl::error where the library refuses the problem. The target is the least fraction of the move limit
// that the case should reach: 0.65, beyond the caches 0.8; for transposes and padded channels 0.5; where a row is under
// 64 bytes, and for transposes of bytes, 0.4; for a shuffle of rows under 64 bytes 0.5; for pointwise work 0.85, where
// arithmetic bounds it 0: measured and printed, never missed.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../work.hpp"

namespace tessera::bench {

using dnnl::memory;
using Dims = memory::dims;
using Type = memory::data_type;
using Tag = memory::format_tag;
using Desc = memory::desc;
template <typename T> using Named = std::pair<const char*, T>; // as case names have it

struct Case {
    std::string set, name;
    double target;
    std::function<Work()> make;
};

struct Set {
    const char *name, *meaning;
    std::vector<Case> (*cases)();
};

std::vector<Case> reorder_cases();
std::vector<Case> shuffle_cases();
std::vector<Case> transpose_cases();
std::vector<Case> dram_cases();
std::vector<Case> shapes_cases();
std::vector<Case> pointwise_cases();
std::vector<Case> layout_cases(); // of the same set: operands that lie unequally, or are broadcast

std::string shape(const dnnl::memory::dims& dims); // 8x64x56x56

inline constexpr Set sets[] = {
    {"reorder", "6 x 6 types x {abcd, acdb, aBcd16b}^2 at 8x64x56x56", reorder_cases},
    {"shuffle", "6 types x {nchw, nhwc, nChw16c} x ten layers of ShuffleNet", shuffle_cases},
    {"transpose", "squares, odd and thin matrices, reversals, weights, padded channels", transpose_cases},
    {"dram", "6 types x {abcd, acdb, aBcd16b}^2 at 32x256x56x56: beyond every cache", dram_cases},
    {"shapes", "six type pairs x changes of layout at sizes nothing was tuned for", shapes_cases},
    {"pointwise", "eltwise, binary, sum, concat, prelu, resampling at 8x64x56x56 and on views", pointwise_cases},
};

} // namespace tessera::bench
