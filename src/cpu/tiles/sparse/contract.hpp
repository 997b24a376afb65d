// SPDX-License-Identifier: Apache-2.0
// The sparse tile: a list of elements, row by row, times a dense factor. Row r of the list has the elements e with
// starts[r] <= e < starts[r + 1]; element e is values[e] and belongs to row numbers[e] of the dense factor.
//
// Sums, which stay in registers. For every r < rows and j < columns
//
//   out(r, j) = sum over the elements e of row r of values[e] * dense(numbers[e], j)
//
// Element i of a row is added to chain i mod chains() of its sum, and the chains to each other at the end. out has the
// type of the others.
//
// Scattered (`scatters`), where the rows of the list are those of the dense factor. For every r < rows, each element e
// of row r in this order, and j < columns
//
//   out(numbers[e], j) += values[e] * dense(r, j)
//
// out is f32 here; row n of it is the sparse_sums_bytes() from n times as many on, whose last columns are padding.
//
// Products and sums are f32, each product added unrounded (fma). dense(n, j) lies at dense + n * dense_row + j * size,
// out(r, j) of sums at out + r * out_row + j * size. Only these elements are read and written; any alignment.
//
//   csr times 4096 x 64 of f32, AVX-512:   columns 64: 4 registers, dense_row 256; an element is 4 loads and 4 fma
#pragma once

#include <cstdint>
#include <string>

#include "core/types/types.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

inline constexpr int cache_line = 64; // bytes

inline constexpr int sparse_vectors = 8; // of sums at most: 16 registers hold as many, and what is multiplied

// Elements between asking for a row and reading it. 100000x100000 with 10 a row, 64 columns of f32: 15.4 -> 10.3 ms
// with 16 or 32; 4 to 8: 11 to 12. Rows of a line, and rows in the second level, are 5 to 10 % slower with it.
inline constexpr int sparse_ahead = 16;

struct SparseSpec {
    DataType type = DataType::f32; // or f16
    int columns = 1;               // up to sparse_vectors
    bool scatters = false;
    bool adjacent = false;   // columns 1, dense_row is the size of an element
    bool prefetches = false; // sums: the rows of D of the elements sparse_ahead further on, up to `last`
};

struct SparseArgs {
    const void* values;
    const int32_t *numbers, *starts;
    int64_t rows; // positive
    const void* dense;
    int64_t dense_row; // bytes
    void* out;
    int64_t out_row;     // bytes; scattered: not read
    const int32_t* last; // number of the whole list; prefetches
};

std::string key(const SparseSpec& spec);
int sparse_chains(const jit::Target& target, const SparseSpec& spec);
// From one row of scattered sums to the next: one load and one store have them, or whole vectors.
int64_t sparse_sums_bytes(const jit::Target& target, int64_t columns);
jit::Code build_sparse(const jit::Target& target, const SparseSpec& spec);

} // namespace tessera::cpu
