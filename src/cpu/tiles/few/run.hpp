// SPDX-License-Identifier: Apache-2.0
// Products of few rows, and of few columns: what memory limits, B, is read once, as it lies.
#pragma once

#include <memory>

#include "cpu/executor/job.hpp"
#include "cpu/products/pack/pack.hpp"
#include "cpu/products/run/finish.hpp"
#include "cpu/products/run/groups.hpp"
#include "cpu/tiles/few/choose.hpp"

namespace tessera::cpu {

class FewRowsJob final : public Job {
public:
    FewChoice choice;
    ProductViews v;
    SumsPass finish;                                 // where sums do not go to dst
    std::shared_ptr<const jit::Kernel> kernel, rest; // of a group of rows, of what the last one has
    bool shifts_b = false;                           // results begin at sums of A's rows
    PackedRows a;
    DotGroups groups;

    void run(const Bases& bases, int64_t first, int64_t last) const override;
    std::string text() const override;
    std::vector<const jit::Kernel*> kernels() const override;
    void prepare(int64_t products_of_byte); // units and scratch, when all else is set

private:
    struct Unit : ProductUnit {
        char *a, *c, *part, *zeros; // scratch; part: sums of a group
    };
    void all_rows(const Unit& unit) const;
    void groups_of_rows(const Unit& unit) const;
    void start_rows(const Unit& unit, const char* a_first, int64_t a_row, KPart k) const;
    int32_t* starts_at(const Unit& unit, int64_t k) const;
    char* sums_of(const Unit& unit) const { return v.direct ? v.c.at(unit.bases, unit.batch, 0, unit.column) : unit.c; }

    ProductUnits units_;
    int64_t c_row_ = 0; // bytes of a row of sums, or of dst where they go there
    int64_t bytes_a_ = 0, bytes_c_ = 0, bytes_rows_ = 0, bytes_part_ = 0, bytes_zeros_ = 0;
};

class TallJob final : public Job {
public:
    TallChoice choice;
    ProductViews v;
    SumsPass finish;
    std::shared_ptr<const jit::Kernel> kernel; // B's columns are its rows

    void run(const Bases& bases, int64_t first, int64_t last) const override;
    std::string text() const override;
    std::vector<const jit::Kernel*> kernels() const override;
    void prepare(int64_t products_of_byte);

private:
    void product(const ProductUnit& unit, char* b, char* c, char* part) const;

    ProductUnits units_;
    int64_t c_row_ = 0, b_column_ = 0; // bytes
    int64_t bytes_b_ = 0, bytes_c_ = 0, bytes_part_ = 0;
};

} // namespace tessera::cpu
