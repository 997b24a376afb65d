// SPDX-License-Identifier: Apache-2.0
// A product as kernels see it, C[b][m][n] = outer(sum over k of A[b][m][k] * B[b][k][n]): its dims as four loops, and
// the text that all kernels share. A loop has a stride for each operand, or a table where no stride describes it.
//
// Convolutions are such products, too: rows are pixels, and points of k are taps and channels, which tables lead to
// where they lie in the image. One kernel runs the products of all its borders.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/plan/steps/matrices.hpp"
#include "gpu/header.hpp"
#include "gpu/products/blocks.hpp"
#include "gpu/products/ways.hpp"

namespace tessera::gpu {

// What one kernel may have different numbers for.
struct ProductLoops {
    Loop batches, rows, columns, depth;
    PerOperand<int64_t> base = {};
};

struct ProductView {
    const DeviceRow& row;
    const Plan& plan;
    Matrices matrices;                  // of the first part, the largest
    Ways batches, rows, columns, depth; // what the text knows of the loops of all parts
    std::vector<ProductLoops> parts = {};
    bool wide = false;                      // places have 64 bits
    FpmathMode fpmath = FpmathMode::strict; // as in Space
    // How often a batch reads each value of a factor: once in a matrix, about once a tap in an image.
    double left_reads = 1, right_reads = 1;

    size_t operands() const { return plan.operands.size(); }
    std::string_view value() const { return matrices.type == ValueType::f32 ? "float" : "uint"; } // uint: sums wrap
};
ProductView view_of(const DeviceRow& row, const Plan& plan, const Step& product);
// Rows in place of columns.
void turn(ProductView& view);
// Makes `other` further parts of the view, if a kernel can run both.
bool join(ProductView& view, const ProductView& other);

// A factor and its loop: rows of A, or columns of B, which are B's rows here.
struct Side {
    const MatrixFactor& factor;
    const Ways& ways;      // along its rows
    std::string_view name; // row, column
    std::string_view tile; // where it lies in local memory
    int64_t rows;          // of a block
    int matrix() const { return factor.factor.operand; }
    const Way& way() const { return ways[size_t(matrix())]; }
    Loop ProductLoops::*loop() const { return name == "row" ? &ProductLoops::rows : &ProductLoops::columns; }
};

// Where the operands of a factor are at row `i` and point `k`: e0, ... The matrix is the operand that a scale and a
// zero point belong to.
enum class Of { all, matrix, others };
std::string source_of_places(const ProductView& view, const Side& side, Of of);
// The value of the factor there in s0, a variable of the sum's type.
std::string source_of_value(const ProductView& view, const Side& side, Access access = {});
// What becomes of the sum of row `i` and column `j`.
std::string source_of_outer(const ProductView& view, std::string_view sum, const Access& access = {});

std::vector<Extents> extents_of(const ProductView& view);

// Whether so many rows, two or more, beside each other are neighbours in memory, and points of k are not.
bool has_dense_rows(const ProductView& view, const Side& side, int64_t rows);
// Whether a row's next one is nearer in memory than the next point of k.
bool rows_are_near(const ProductView& view, const Side& side);

// Whether all of an operand is vectors of `width` elements, dense along one loop, that are aligned in memory and cross
// no end; `across` is the other loop that it has besides batches.
bool has_whole(const ProductView& view, int operand, Loop ProductLoops::*along, Loop ProductLoops::*across,
               int64_t width);

struct Block {
    int64_t rows, columns, lanes; // results of a group, its work-items
};
// A kernel up to the place of the group: first_row, first_column, in_batch0, ... The sizes are all_row, all_column and
// depth. `front` stands before the kernel, `local` declares its local memory; `attribute` is the kernel's.
Launch begun(const ProductView& view, const Block& block, std::string_view front, std::string_view local,
             std::string_view attribute = "");

Launch launch_in_vectors(const ProductView& view);                // on a processor
Launch launch_in_registers(const ProductView& view);              // on a GPU
std::optional<Launch> launch_of_few(const ProductView& view);     // on a GPU, if one side has few rows
std::optional<Launch> launch_on_tensors(const ProductView& view); // of a GPU that has some, if they take the factors

} // namespace tessera::gpu
