// SPDX-License-Identifier: Apache-2.0
// Lists of elements as products want them: in the order of one of their numbers, with the places where each begins.
// That is what CSR is, by rows. COO in order gets the places; whatever has another order is sorted, a counting sort
// that keeps the order of equal numbers.
//
// Lists come from the caller, and a wrong number would be an access out of bounds: all have to lie within the matrix,
// row pointers to ascend within the elements. That takes 0.07 ns an element, where a product with one column takes 0.5.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/plan/steps/sparse.hpp"
#include "core/types/types.hpp"
#include "cpu/lanes/team.hpp"
#include "cpu/runtime/scratch.hpp"

namespace tessera::cpu {

struct GroupedList {
    const void* values = nullptr;
    const int32_t* numbers = nullptr; // the other one
    const int32_t* starts = nullptr;  // groups + 1
    int64_t groups = 0;
    std::unique_ptr<Scratch> memory; // of what is not the caller's

    // The first of part number `part` of `parts` with equally many elements, a group counted as one more.
    int64_t begin(int64_t part, int64_t parts) const;
};

// `by_rows`: of the sparse factor; else by columns. At most 2^31 - 1 elements of `type`, of 2 or 4 bytes; `pointers` by
// operand of the plan. None where the lists are not to be trusted.
std::optional<GroupedList> grouped(const SparseProduct& p, DataType type, std::span<void* const> pointers, bool by_rows,
                                   const Team& team);

} // namespace tessera::cpu
