// SPDX-License-Identifier: Apache-2.0
// k of a product as loops, in which both factors go on from where the kernel reads them.
//
//   A  2:6720 1920:1             2 lines of windows, 2 taps x 960 channels of nhwc
//   B  2:46080 [960:32 2:1]      panels of pairs: [kh][kw, c / 2][16 columns][2]; 16 elements from k to k in them
//      2 x 1920                  between the two A goes on by 6720 elements, B by 46080
#pragma once

#include <optional>

#include "core/few.hpp"
#include "core/layout/layout.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"

namespace tessera::cpu {

struct DotLoops {
    Modes a, b; // of equal extents, outermost first
};
// No result where the modes cut each other.
std::optional<DotLoops> common_loops(const Modes& a, const Modes& b);

// Modes along k of panels of 16 columns, whose innermost steps are `vnni` elements of k side by side, as one stride for
// each whole step: [960:32 2:1] is 1920:16. No result where k is not so.
std::optional<Modes> without_steps(const Modes& k, int64_t vnni);

// The loops of a job, outermost first: iterations, the innermost of which are steps of the kernel, and the bytes by
// which each factor goes on from one iteration to the next. The outermost may take any number of iterations.
struct DotWalk {
    Few<DotLoop, 3> loops;

    DotLoop at(int64_t step) const; // bytes from the first step to that one, of A and of B; the count is not used
    // The loops of `args` for so many steps: some iterations of one loop, with all of those inside.
    void set(DotArgs& args, int64_t steps) const;
};

} // namespace tessera::cpu
