// Products of a sparse and a dense matrix (CSR or COO): each row of C is summed in f32 and written once.
//
// With sparse A a row of C is a linear combination of rows of B; with sparse B each nonzero of B meets one element of a
// row of A. Either way nothing but the nonzeros is visited.
#pragma once

#include <span>

#include "core/plan/steps/sparse.hpp"
#include "core/types/types.hpp"

namespace tessera::cpu {

// Whether all indices lie within the matrix and row pointers ascend within the number of nonzeros. The lists come from
// the caller, and a wrong index would be an access out of bounds. One pass over them, which costs as much as one column
// of the product.
bool lists_fit(const SparseProduct& p, std::span<void* const> pointers);

// After lists_fit(). `pointers` and `types` by operand of the plan.
void multiply_rows(const SparseProduct& p, std::span<const DataType> types, std::span<void* const> pointers,
                   int64_t first, int64_t last);

} // namespace tessera::cpu
