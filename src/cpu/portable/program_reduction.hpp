// SPDX-License-Identifier: Apache-2.0
// ProgramReduction: a step that combines what its program computes at every point, in the order that
// core/program/reduction.hpp defines.
//
// Vectors run along one outer loop where that is contiguous (nhwc: up to 64 channels at once, the rows are their
// reduction points), else along the innermost reduction loop (nchw: pixels). Either way the number of a point says to
// which partial sum its value goes, so that layouts do not change results. Blocks of 4096 points are tasks of their
// own, so that one sum over a whole tensor occupies all threads; their sums stay in scratch until finish() adds them.
// Sums of products run along the columns of one factor and share it among rows (factors.hpp).
//
//   std::vector<uint32_t> scratch(r.scratch());
//   for (task < r.tasks()) r.sum(task, base, scratch.data());       // in any order, on any thread
//   for (unit < r.units()) r.finish(unit, base, scratch.data());    // then, likewise
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "core/plan/plan.hpp"
#include "core/program/reduction.hpp"
#include "cpu/lanes/lanes.hpp"
#include "cpu/portable/factors.hpp"

namespace tessera::cpu {

class ProgramReduction {
public:
    ProgramReduction(const Plan& plan, const Step& step, const Context& context);
    ProgramReduction(const ProgramReduction&) = delete;
    ProgramReduction& operator=(const ProgramReduction&) = delete;

    int64_t units() const { return units_; }
    int64_t tasks() const { return units_ * blocks_; }
    size_t scratch() const { return size_t(tasks() * rows_ * width_) * (parts_.pairs() ? 2 : 1); } // values of 4 bytes
    void sum(int64_t task, std::span<void* const> base, uint32_t* scratch) const;
    void finish(int64_t unit, std::span<void* const> base, uint32_t* scratch) const;
    std::string text() const;

private:
    static constexpr int64_t most_columns = 64;
    struct Part {
        int64_t rows, columns;
    };
    void combine_pairs(Partial* pairs, int64_t first, const uint32_t* values, const uint32_t* seconds, int64_t rows,
                       int64_t columns) const;
    void join_pairs(Partial* pairs, int64_t columns) const;
    void choose_columns(std::vector<Loop>& outer, const Context& context);
    void share_factors(std::vector<Loop>& outer, const Context& context);
    // Sets the offset of every operand at the start of the unit; returns how many rows and columns it has.
    Part place(int64_t unit, std::span<int64_t> at) const;
    void sum_products(int64_t task, std::span<void* const> base, uint32_t* scratch) const;

    ReductionParts parts_;
    std::vector<DataType> types_; // and those of the result and its second value behind them
    LaneProgram point_, outer_program_;
    PerOperand<int64_t> base_;
    int partials_;                     // of a block
    std::vector<Loop> outer_, reduce_; // the outer loops without the columns
    Loop columns_;                     // extent 1 when lanes run along the innermost reduce loop
    int64_t width_ = 1, pieces_ = 1;   // columns of a unit, units of the loop
    std::optional<Factors> factors_;
    std::optional<LaneProgram> left_, right_; // of the factors
    Loop shared_;                             // the rows of a product
    int64_t rows_ = 1, row_pieces_ = 1;       // of a unit, units of the loop
    int64_t points_ = 1, blocks_ = 1, units_ = 1;
};

} // namespace tessera::cpu
