// Rows of a product of which one factor lists its elements: a row of C is kept in f32 and written once.
//
// Where A is sparse a row of C is a sum of rows of B, where B is, elements of B meet one element of A each; both touch
// nothing but the elements that are listed.
#pragma once

#include <span>

#include "core/plan/sparse.hpp"
#include "core/types/types.hpp"

namespace tessera::cpu {

// Whether every index is one of the matrix that is listed and rows begin one after the other within the elements. Lists
// come from outside, and an index leads to an address. One pass over them: as long as one column of the product.
bool lists_fit(const SparseProduct& p, std::span<void* const> pointers);

// Lists that fit; `pointers` and `types` by operand of the plan.
void multiply_rows(const SparseProduct& p, std::span<const DataType> types, std::span<void* const> pointers,
                   int64_t first, int64_t last);

} // namespace tessera::cpu
