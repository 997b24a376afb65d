// SPDX-License-Identifier: Apache-2.0
// Which windows lower_passes.cpp combines along one dim after the other, in which order, and whether that pays.
#pragma once

#include "ops/pooling/pooling.hpp"
#include "ops/windows/separable.hpp"

namespace tessera::ops {

struct Passes {
    std::vector<Pass> windows;       // in the order of the passes
    std::vector<OutputRange> ranges; // of the first window, where it reads src
    bool copies = false;             // src into memory with a border, for the first window
};

// Of `from`, src or diff_dst, whose dims that windows cross have no blocks. None where all taps at once are faster.
std::optional<Passes> passes_of(const Pooling& p, const MemoryDesc& from);

} // namespace tessera::ops
