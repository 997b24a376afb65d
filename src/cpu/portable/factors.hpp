// SPDX-License-Identifier: Apache-2.0
// Factors: sums of products whose factors have an outer loop each of their own, as in products of matrices. The value
// at a point is left * right; left is the same all along the loop `columns`, right all along `rows`. So right is
// computed once for some points and columns and serves several rows, whatever its program: conversions, zero points and
// scales are a small part then. The bits are those of the point's program: the order of the sums does not change.
//
//   128x256 by 256x128 of f16, a unit of 8 rows and 64 columns: 8 * 256 + 256 * 64 elements are converted, not twice
//   8 * 256 * 64
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/plan/nest.hpp"
#include "core/program/reduction.hpp"

namespace tessera::cpu {

// Whether every operand that the program loads is contiguous or constant along the loop, which has no table.
bool is_dense_along(const Loop& loop, const Program& p);

struct Factors {
    Program left, right;          // each stores its value to operand `sums`, if as_floats to the next one, of f32
    size_t rows = 0, columns = 0; // loops; as many as there are: none
    // Integers of 8 bits: their products are summed as floats, exactly, 512 of them at most.
    bool as_floats = false;
};

// None where the value at a point is no product, no loop is of one factor alone, its columns are few, or there are few
// rows to share what is not dense along them. `sums`: as of split_reduction(); `types`: of the operands.
std::optional<Factors> factors_of(const ReductionParts& parts, const std::vector<Loop>& outer, int sums,
                                  std::span<const DataType> types);

// For i < points and j < columns: sums[(first + i) % partials * columns + j] += left[i] * right[i * columns + j].
//
//   add_products               f32, with both roundings
//   add_products_of_integers   s32, which wraps
//   add_products_of_bytes      left and right are floats, integers of 8 bits, and sums s32; up to 512 points
using AddProducts = void(uint32_t* sums, int partials, int64_t first, const uint32_t* left, const uint32_t* right,
                         int64_t points, int64_t columns);
AddProducts add_products, add_products_of_integers, add_products_of_bytes;

} // namespace tessera::cpu
