// SPDX-License-Identifier: Apache-2.0
// The inverse of a layout: from an element offset to coordinates.
//
//   MemoryMap map(aBcd16b of 2x17x2x2);
//   map.at(17)   element, coordinates (0,1,0,1)
//   map.at(65)   padding: (0,17,0,0) is outside of the 17 channels
#pragma once

#include "core/desc/memory_desc.hpp"
#include "core/layout/layout.hpp"

namespace tessera {

struct Place {
    enum Kind { element, padding, gap } kind = gap; // gap: memory between the rows of a strided tensor
    Dims at{};                                      // of an element or padding
};

// One step of the address function: `extent` values of dimension `dim`, `stride` apart.
struct Digit {
    int dim;
    int64_t extent, stride, weight; // weight: increase of the coordinate per step
};

class MemoryMap {
public:
    explicit MemoryMap(const MemoryDesc& md); // blocked, concrete, without zero dims
    Place at(int64_t offset) const;           // offset counts from the descriptor's first element
    int64_t places() const { return places_; }
    const std::vector<Digit>& digits() const { return digits_; } // innermost (smallest stride) first

private:
    MemoryDesc md_;
    Layout layout_;
    std::vector<Digit> digits_;
    int64_t places_ = 0;
};

} // namespace tessera
