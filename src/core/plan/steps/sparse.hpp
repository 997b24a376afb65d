// SPDX-License-Identifier: Apache-2.0
// SparseProduct: a step that computes C = A B where one factor is sparse; its arrays are operands of the plan.
//
//   csr   values, columns, and for each row where it begins in both (rows + 1 of them)
//   coo   values, rows, columns; in the order of the rows
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace tessera {

struct SparseProduct {
    bool is_src;                             // the sparse factor is A, else B
    bool has_pointers;                       // csr, else coo
    int64_t rows, columns, depth;            // M and N of C, K
    int64_t elements;                        // stored elements (nnz)
    int values, row_numbers, column_numbers; // operands; of csr row_numbers are the row pointers
    int dense, dst;
    std::array<int64_t, 2> dense_strides, dst_strides; // in elements
    bool operator==(const SparseProduct&) const = default;
    std::string text() const; // "5x4 sum 6 of 3 elements of src (csr)"
};

} // namespace tessera
