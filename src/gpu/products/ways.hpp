// SPDX-License-Identifier: Apache-2.0
// What the text of a kernel knows of the way of an operand along a loop, the same for all products that run it: more
// than that is a number or a table, which another product has otherwise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/plan/nest.hpp"

namespace tessera::gpu {

struct Way {
    static constexpr int64_t all = 64;

    bool moves = false; // else all points are at one element
    bool table = false;
    // Powers of two. So many points, counted from the first of the loop, are neighbours in memory; and what divides the
    // places where such runs start. Of a stride, that is known to the kernel.
    int64_t run = all, multiple = all;
    bool near = false; // most points are within 4 elements of the one before: reads of neighbours share cache lines

    bool is_dense(int64_t points) const { return moves && run >= points && multiple >= points; }
    bool operator==(const Way&) const = default;
};
Way way_of(const Loop& loop, size_t operand);

using Ways = std::vector<Way>; // by operand
Ways ways_of(const Loop& loop, size_t operands);
// Of two loops that one text serves.
Ways joined(const Ways& a, const Ways& b);

// " + i * stride_row0", as along() of header.hpp.
std::string along(const Ways& ways, std::string_view name, std::string_view number, size_t operand);

} // namespace tessera::gpu
