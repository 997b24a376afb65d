// SPDX-License-Identifier: Apache-2.0
// Layout: the function from logical coordinates to element offsets.
//
// A dimension is a list of modes (extent, stride), outermost first; its coordinate is split by the extents in mixed
// radix, the innermost mode varying fastest. Strides and offsets count elements. Printed as extent:stride, a
// dimension of several modes in brackets:
//
//   aBcd16b of 2x17x5x5, padded to 2x32x5x5:   (2:800 [2:400 16:1] 5:80 5:16)
//
// at() takes coordinates of the padded domain; a coordinate beyond the product of the inner extents falls to the
// outermost mode, whose own extent does not bound it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/desc/memory_desc.hpp"
#include "core/few.hpp"

namespace tessera {

struct Mode {
    int64_t extent, stride;
    bool operator==(const Mode&) const = default;
};

using Modes = Few<Mode, 2>;

struct Layout {
    int64_t offset = 0;
    std::vector<Modes> dims;

    int64_t at(std::span<const int64_t> coordinates) const;
    bool operator==(const Layout&) const = default;
};

// Of a blocked descriptor without run-time values; extents are those of the padded domain.
Layout layout_of(const MemoryDesc& md);

int64_t offset_in(const Modes& modes, int64_t coordinate);
int64_t extent_of(const Modes& modes);

// One dimension as two, of which the inner one has `extent` coordinates; none if a boundary of modes falls inside.
//   [2:400 16:1] by 4:   [2:400 4:4] and 4:1
struct Halves {
    Modes outer, inner;
};
std::optional<Halves> halves_of(const Modes& modes, int64_t extent);

// Ranges of a dimension. run_from: how many of the `most` coordinates from `first` on are one, that is, go on as
// modes_of_run() says whatever `first` is; the last turn of its outermost mode may be a part of one.
//   [3:100 8:1]   run_from 5: 3   from 8: 16   modes_of_run 3: 3:1   12: [2:100 8:1]
int64_t run_from(const Modes& modes, int64_t first, int64_t most);
Modes modes_of_run(const Modes& modes, int64_t count);

std::string to_string(const Modes& modes);
std::string to_string(const Layout& layout);

} // namespace tessera
