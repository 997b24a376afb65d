// SPDX-License-Identifier: Apache-2.0
// Products of a sparse and a dense matrix (CSR or COO): each row of C is summed in f32 and written once.
//
// With sparse A a row of C is a linear combination of rows of B; with sparse B each nonzero of B meets one element of a
// row of A. Either way nothing but the nonzeros is visited.
#pragma once

#include <span>

#include "core/plan/steps/sparse.hpp"
#include "core/types/types.hpp"
#include "cpu/lanes/lists.hpp"

namespace tessera::cpu {

// Rows first .. last - 1 of C; `list` is that of the product, by rows. `pointers` and `types` by operand of the plan.
void multiply_rows(const SparseProduct& p, const GroupedList& list, std::span<const DataType> types,
                   std::span<void* const> pointers, int64_t first, int64_t last);

} // namespace tessera::cpu
