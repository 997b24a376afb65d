// SPDX-License-Identifier: Apache-2.0
// Loops over k in which both factors of a product lie, where one of them has several strides along it.
//
//   A  2:6720 1920:1             2 lines of windows, 2 taps x 960 channels of nhwc
//   B  2:46080 [960:32 2:1]      panels of pairs: [kh][kw, c / 2][16 columns][2]; 16 elements from k to k in them
//      2 x 1920                  between the two A goes on by 6720 elements, B by 46080
#pragma once

#include <optional>

#include "core/layout/layout.hpp"

namespace tessera::cpu {

struct DotLoops {
    Modes a, b; // of equal extents, outermost first
};
// No result where the modes cut each other.
std::optional<DotLoops> common_loops(const Modes& a, const Modes& b);

// Dense modes of the same extents: of A that is packed, whose loops are those of B.
Modes dense_loops(const Modes& like);

// Modes along k of panels of 16 columns, whose innermost steps are `vnni` elements of k side by side, as one stride for
// each whole step: [960:32 2:1] is 1920:16. No result where k is not so.
std::optional<Modes> without_steps(const Modes& k, int64_t vnni);

} // namespace tessera::cpu
