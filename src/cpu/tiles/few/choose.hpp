// SPDX-License-Identifier: Apache-2.0
// How a product of few rows, or of few columns, is cut. Pure functions of its size and of the machine.
#pragma once

#include <string>

#include "cpu/products/choose/choose.hpp"
#include "cpu/tiles/few/contract.hpp"

namespace tessera::cpu {

// Rows of dots, or of axpy, at a time.
constexpr int64_t rows_of_group(int64_t rows, bool dots) {
    return ceil_div(rows, ceil_div(rows, dots ? most_rows_of_dots : most_rows_of_fours));
}

// GEMV of few rows: B is read once and in place.
struct FewChoice {
    bool dots = false;                 // else axpy
    int rows = 1;                      // of a kernel
    DotSource a = DotSource::in_place; // packed: a part of k at a time
    bool prefetches = false;           // B
    bool rows_inside = false;          // all of k of some columns, before the next columns
    int64_t group_columns = 0;         // of B that groups of rows of dots read one after the other
    int64_t depth = 0;                 // of k at a time
    int64_t unit_columns = 0, column_units = 1;
};

// Dots of few columns, with the factors swapped.
struct TallChoice {
    int64_t unit_rows = 0, block_rows = 0; // block: rows whose sums lie apart, a column behind the other
    int64_t work = 0;                      // products that take as long
};

FewChoice choose_few(const DotShape& s, bool dots, const jit::Target& target, const Context& context);
TallChoice choose_tall(const DotShape& s, DotKind kind, const jit::Target& target, const Context& context);
std::string to_string(const FewChoice& choice);
std::string to_string(const TallChoice& choice, int64_t columns);

} // namespace tessera::cpu
