// SPDX-License-Identifier: Apache-2.0
// Units of a product: ranges of rows and columns of some products of a batch, and the memory in which one is computed.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "cpu/products/parts.hpp"
#include "cpu/products/view.hpp"
#include "cpu/runtime/scratch.hpp"

namespace tessera::cpu {

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
