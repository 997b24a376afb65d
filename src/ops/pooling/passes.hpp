// SPDX-License-Identifier: Apache-2.0
// Which windows lower_passes.cpp combines along one dim after the other, in which order, and whether that pays.
#pragma once

#include "ops/pooling/pooling.hpp"

namespace tessera::ops {

// A window along dim `dim` of tensors: output o reads elements before - window.left + o * stride + ... of what it
// combines, which has a border.
struct PassWindow {
    size_t dim;
    Window window;
    int64_t before = 0; // of its border
    int64_t extent = 0; // with the border
    int64_t tap = 0;    // what a tap counts in the workspace
    int weights = -1;   // operand, of divisors of their own, along what is summed
    int counts = -1;    // operand: how many taps are inside, by output; -1: all are
    int firsts = -1;    // operand: the first tap inside, by output, of a copy for maxima with numbers
};

struct Passes {
    std::vector<PassWindow> windows; // in the order of the passes
    std::vector<OutputRange> ranges; // of the first window, where it reads src
    bool copies = false;             // src into memory with a border, for the first window
};

// Of `from`, src or diff_dst, whose dims that windows cross have no blocks. None where all taps at once are faster.
std::optional<Passes> passes_of(const Pooling& p, const MemoryDesc& from);

// Of a dim with one stride; 0 if its extent is 1.
int64_t step_of(const Layout& layout, size_t d);

} // namespace tessera::ops
