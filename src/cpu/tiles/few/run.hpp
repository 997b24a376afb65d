// SPDX-License-Identifier: Apache-2.0
// Products of few rows, and of few columns: how they are cut, pure functions of their size and of the machine, and
// their jobs. What memory limits, B, is read once, as it lies.
#pragma once

#include <memory>
#include <string>

#include "cpu/products/choose/choose.hpp"
#include "cpu/products/run/job.hpp"
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

class FewRowsJob final : public ProductJob {
public:
    FewChoice choice;
    KernelPtr kernel, rest; // of a group of rows, of what the last one has
    bool shifts_b = false;  // results begin at sums of A's rows

    void run(const Bases& bases, int64_t first, int64_t last) const override;
    void prepare(int64_t products_of_byte) override;

private:
    struct Unit : ProductUnit {
        char *a, *c, *part, *zeros; // scratch; part: sums of a group
    };
    void all_rows(const Unit& unit) const;
    void groups_of_rows(const Unit& unit) const;
    void start_rows(const Unit& unit, const char* a_first, int64_t a_row, KPart k) const;
    int32_t* starts_at(const Unit& unit, int64_t k) const;
    char* sums_of(const Unit& unit) const { return v.direct ? v.c.at(unit.bases, unit.batch, 0, unit.column) : unit.c; }

    int64_t c_row_ = 0; // bytes of a row of sums, or of dst where they go there
    int64_t bytes_a_ = 0, bytes_c_ = 0, bytes_rows_ = 0, bytes_part_ = 0, bytes_zeros_ = 0;
};

class TallJob final : public ProductJob {
public:
    TallChoice choice;
    KernelPtr kernel; // B's columns are its rows

    void run(const Bases& bases, int64_t first, int64_t last) const override;
    void prepare(int64_t products_of_byte) override;

private:
    void product(const ProductUnit& unit, char* b, char* c, char* part) const;

    int64_t c_row_ = 0, b_column_ = 0; // bytes
    int64_t bytes_b_ = 0, bytes_c_ = 0, bytes_part_ = 0;
};
std::unique_ptr<Job> make_tall_job(Seen& seen);

} // namespace tessera::cpu
