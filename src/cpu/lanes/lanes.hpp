// SPDX-License-Identifier: Apache-2.0
// Lanes: loads, stores and copies of a small grid of elements, and the block interpreter of programs on top of them
// (run_lanes.cpp; its arithmetic is in lane_ops.cpp).
//
// A grid has m rows of n columns; element (i, j) of an operand is first + i * row + (table ? table[j] : j * column),
// counted in elements from `base`. Values lie densely, row by row, in arrays of at most max_lanes entries.
// The loops are plain C++ over the inline codecs of core/types/codecs.hpp and vectorise where column is 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/program/program.hpp"

namespace tessera::cpu {

inline constexpr int64_t max_lanes = 256; // 1 KiB of f32: a dozen values stay in L1

struct Access {
    void* base = nullptr;
    int64_t first = 0, row = 0, column = 0;
    const int64_t* table = nullptr;
    bool dense(int64_t rows, int64_t columns) const {
        return !table && (columns == 1 || column == 1) && (rows == 1 || row == columns);
    }
};

// m * n <= max_lanes. `values` holds elements of `type` (float, int32_t, double, int64_t).
void load_lanes(DataType stored, ValueType type, const Access& from, int64_t m, int64_t n, void* values);
void store_lanes(DataType stored, ValueType type, const Access& to, int64_t m, int64_t n, const void* values);

// Copies elements of any size without converting; grids of any size.
void copy_lanes(DataType stored, const Access& from, const Access& to, int64_t m, int64_t n);

// A program with a buffer of max_lanes entries assigned to each of its values: constants keep theirs, other values
// reuse the buffers of values that are dead. It keeps references to the program and the types. Not for programs that
// reduce.
class LaneProgram {
public:
    LaneProgram(const Program& program, std::span<const DataType> types);
    // Over a grid of any size, max_lanes at a time. `loads` and `stores` have an entry per operand: they differ where a
    // result goes to a buffer instead of the operand.
    void run(const Access* loads, const Access* stores, int64_t m, int64_t n) const;

private:
    void run_grid(unsigned char* buffers, const void** values, const Access* loads, const Access* stores, int64_t i,
                  int64_t j, int64_t m, int64_t n) const;
    bool lands_in_dst(const Access& to, int64_t m, int64_t n) const;

    const Program& program_;
    std::span<const DataType> types_;
    std::vector<int> buffer_; // of each operation's value; -1 for stores
    int buffers_ = 0;
    int64_t buffer_bytes_ = max_lanes * 4;
    bool in_place_ = true; // loads may be read where they lie: no store changes them before their last use
};

inline void run_lanes(const Program& program, std::span<const DataType> types, const Access* loads,
                      const Access* stores, int64_t m, int64_t n) {
    LaneProgram(program, types).run(loads, stores, m, n);
}

} // namespace tessera::cpu
