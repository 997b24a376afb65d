// SPDX-License-Identifier: Apache-2.0
// Where the operands of a product lie, over its flattened dimensions: batch, rows (m), columns (n) and k. Units of it:
// ranges of rows and columns of some products of a batch, and the memory in which one is computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/division.hpp"
#include "core/layout/layout.hpp"
#include "core/plan/unit.hpp"
#include "core/types/types.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/products/parts.hpp"
#include "cpu/runtime/scratch.hpp"

namespace tessera::cpu {

// An operand over the flattened dims of a product.
struct Flat {
    Modes batch, m, n, k;
};

// Columns in panels of 16, which are apart.
inline bool is_panels(const Modes& n) { return n.size() == 2 && n[1].extent == 16; }

// What of `most` rows from `row` on lies in one run, if `run` rows of all do; up to its end.
inline int64_t rows_of_run(int64_t run, int64_t all, int64_t row, int64_t most) {
    return run == all ? most : std::min(most, run - row % run);
}

// An operand in elements. A factor without a single stride along one of the dims is packed; without one in any other
// operand the step is no job.
struct DotView {
    int operand = -1;
    int bits = 8; // of an element
    int64_t offset = 0;
    Modes batch;
    int64_t row = 0, column = 0;   // of A: m and k; of B: k and n; of others m and n
    int64_t panel = 0;             // of B and of the epilogue's: between panels
    Modes rows = {}, columns = {}; // where several strides describe them: row and column are the innermost then

    int64_t bytes(int64_t elements) const { return elements * bits / 8; } // of 4 bits: of an even number
    int64_t down(int64_t i) const { return rows.size() > 1 ? offset_in(rows, i) : i * row; }
    char* at(const Bases& bases, int64_t batch_index, int64_t i, int64_t j) const {
        const int64_t right = columns.size() > 1 ? offset_in(columns, j) : j * column;
        return bases[size_t(operand)] + bytes(offset + offset_in(batch, batch_index) + down(i) + right);
    }
};

// Where an operand of a factor, a scale or a zero point lies along one of the dims, and along k.
struct DotPlace {
    DotView view;
    Modes along, k;                           // along: n, of packs of A m, in blocks of 16 or none
    DataType unpacked_from = DataType::undef; // of 4 bits: of zero points of groups

    int64_t element(int64_t batch, int64_t i, int64_t at_k) const {
        return view.offset + offset_in(view.batch, batch) + offset_in(along, i) + offset_in(k, at_k);
    }
};

// The operands of a job, and the runs that its rows lie in.
struct ProductViews {
    int64_t batches = 1, rows = 1, columns = 1, depth = 1;
    DotView a, b, c; // c: dst where the kernel stores to it, which `direct` says
    bool direct = false;
    bool integers = false;              // sums are s32
    int64_t run_of_rows = 0;            // rows with which register blocks end
    int64_t run_of_a = 0, run_of_c = 0; // rows of A that are packed at once; of dst in one stride
    bool panels_apart = false;          // some operand of the epilogue has panels of 16 columns of its own, as nChw16c

    int64_t products() const { return batches * rows * columns * depth; }
    int64_t rows_at(int64_t row, int64_t most) const { return rows_of_run(run_of_rows, rows, row, most); }
};

// What a unit computes of C, product by product.
struct ProductUnit {
    const Bases& bases;
    int64_t batch = 0, row = 0, column = 0, rows = 0, columns = 0;
    // Sums beside the products: of the unit's columns; of rows from `block` on, a line each.
    char *column_sums = nullptr, *row_sums = nullptr;
    int64_t block = 0;
};

struct ProductUnits {
    EvenParts rows, columns;
    int64_t batches = 1, of_unit = 1; // of_unit: products

    int64_t count() const { return ceil_div(batches, of_unit) * rows.parts * columns.parts; }
    // Unit number u; the result is where its products end.
    int64_t set(ProductUnit& unit, int64_t u) const {
        UnitIndex index(u);
        const int64_t strip = index.next(columns.parts), part = index.next(rows.parts);
        unit.column = columns.begin(strip), unit.columns = columns.length(strip);
        unit.row = unit.block = rows.begin(part), unit.rows = rows.length(part);
        unit.batch = index.outermost() * of_unit;
        return std::min(unit.batch + of_unit, batches);
    }
};

// Bytes read and written by all units, or products that take as long.
inline int64_t bytes_of_products(const ProductViews& v, int64_t work, int64_t products_of_byte) {
    const int64_t touched = v.batches * (v.rows * v.depth + v.depth * v.columns + v.rows * v.columns) * 4;
    return std::max(touched, std::max(v.products(), work) / products_of_byte);
}

// Scratch memory of a thread for all units that it runs, in lines; on the stack where it is little.
class UnitScratch {
public:
    explicit UnitScratch(int64_t bytes) {
        if (bytes > on_stack || (bytes && !stack_is_scratch)) scratch_.emplace(size_t(bytes));
        next_ = scratch_ ? scratch_->data() : small_;
    }
    char* take(int64_t bytes) { return std::exchange(next_, next_ + bytes); }

private:
    static constexpr int64_t on_stack = 8 << 10;
    alignas(cache_line) char small_[size_t(on_stack)];
    std::optional<Scratch> scratch_;
    char* next_;
};

} // namespace tessera::cpu
