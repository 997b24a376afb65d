// SparseProduct: what a step does where one factor of C = A B lists its elements, given with their buffers as operands.
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
    int64_t rows, columns, depth;            // of C, and of the sum
    int64_t elements;                        // that are listed
    int values, row_numbers, column_numbers; // operands; row_numbers: where rows begin, if there are pointers
    int dense, dst;
    std::array<int64_t, 2> dense_strides, dst_strides; // in elements
    bool operator==(const SparseProduct&) const = default;
    std::string text() const; // "5x4 sum 6 of 3 elements of src (csr)"
};

} // namespace tessera
