// SPDX-License-Identifier: Apache-2.0
// Reduction: a step that sums one operand over its reduce loops, then runs the rest of its program on the sums.
//
// Up to 64 elements that are contiguous in that operand are the columns, whatever loops they belong to; all other
// reduction loops are rows, which are added as vectors. At the end the columns of one result are added: of 16o4i the 64
// columns give 16 sums. Sums are s32 and wrap, so their order does not matter.
//
//   OIhw4i16o4i, 512x512x3x3: 32 units of 1152 rows of 64 columns
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"

namespace tessera::cpu {

class Reduction {
public:
    // The program: load in s32, reduce_add, then anything that is stored and does not load that operand again.
    static bool takes(const Plan& plan, const Step& step);
    Reduction(const Plan& plan, const Step& step);
    int64_t units() const { return units_; }
    // Units may run in any order and on any thread.
    void run(int64_t unit, std::span<void* const> base) const;
    std::string text() const;

private:
    static constexpr int64_t most_columns = 64; // a cache line of s8; accumulators of more would not stay in registers
    // All rows of some columns: the first loop is walked innermost.
    struct Walk {
        std::vector<Loop> rows;
        int64_t first = 0, columns = 1;
    };
    std::optional<Loop> take_columns(std::vector<Loop>& loops);
    Walk chained(Walk walk) const;
    void add(void* base, int64_t first, const Loop& rows, int64_t columns, int32_t* sums) const;

    size_t read_, written_;
    std::vector<DataType> types_; // in rest_, where the operand that is read is its sum in s32
    DataType stored_;             // of what is read
    Program rest_;
    PerOperand<int64_t> base_;
    std::vector<Loop> outer_;
    std::vector<Walk> walks_;
    std::vector<int64_t> targets_;               // of each sum: elements of the operand that is written
    std::array<uint8_t, most_columns> sum_of_{}; // column -> index in targets_
    int64_t columns_ = 1, units_ = 1;
    // A contiguous loop longer than the columns is cut, and its last piece may have fewer columns. Pieces of reduction
    // loops are rows, those of others units, counted fastest.
    int64_t rest_columns_ = 0, pieces_ = 1;
    PerOperand<int64_t> piece_; // elements from one to the next
};

} // namespace tessera::cpu
