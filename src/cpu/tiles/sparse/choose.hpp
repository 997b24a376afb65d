// SPDX-License-Identifier: Apache-2.0
// How the sparse tile runs a product: a pure function of the step and the machine.
//
// Every product is one of a list with a dense factor, C = S D, row by row. Where the weights are sparse, both sides are
// turned: dst^T = weights^T src^T. Their list is in the order of the depth then, which leaves two ways:
//
//   scattered   each row of D is added to the rows of C that the list names; sums in memory. Few columns.
//   sorted      the list by columns of the weights, in the order in which its elements were; sums in registers.
#pragma once

#include <array>
#include <optional>

#include "core/machine.hpp"
#include "core/plan/steps/sparse.hpp"
#include "core/types/types.hpp"
#include "cpu/jit/target.hpp"

namespace tessera::cpu {

struct SparseShape {
    int64_t rows, depth, columns;       // of C; D has depth x columns
    std::array<int64_t, 2> dense, sums; // strides of D and C, in elements
};
SparseShape shape_of(const SparseProduct& p);

struct SparseChoice {
    bool scatters = false;
    bool packs = false;      // D is copied for each block of columns, in rows without gaps
    bool prefetches = false; // rows of D that take several lines and are not in a cache
    int64_t block = 1;       // columns
    int64_t parts = 1;       // scattered: of D's rows, each with sums of its own, which are added in order
    bool parallel = false;
};

// None where the portable loops are as good: fewer elements than rows of a D whose columns are apart.
std::optional<SparseChoice> choose_sparse(const SparseProduct& p, DataType type, const jit::Target& target,
                                          const Context& context);

} // namespace tessera::cpu
