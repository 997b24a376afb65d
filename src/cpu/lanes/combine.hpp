// SPDX-License-Identifier: Apache-2.0
// Combinations of partial results (core/program/reduction.hpp), as loops over dense values of 4 bytes that vectorise.
#pragma once

#include <cstdint>

#include "core/program/reduction.hpp"

namespace tessera::cpu {

// For one combination of one type. `sums` has a row of `columns` for each partial result.
struct CombineLoops {
    // Rows of `values`, those of points first, first + 1, ...: the row of point i with partial result i mod `partials`.
    void (*points)(void* sums, int partials, int64_t first, const void* values, int64_t rows, int64_t columns);
    void (*join)(void* sums, int partials, int64_t columns); // the partial results, into the first one
    void (*row)(void* sums, const void* values, int64_t columns);
};

// Not of pairs.
const CombineLoops& combine_loops(OpCode combine, ValueType type);

} // namespace tessera::cpu
