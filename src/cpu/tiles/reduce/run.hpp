// SPDX-License-Identifier: Apache-2.0
// A reduce step under the reduce tile: sums into a buffer in L1, then the outer program over them, under the map tile.
//
//   in order        nhwc windows        vectors along L (channels), a kernel call for R rows (pixels)
//                   (windows: the outer program follows in the same kernel, where a call sums all points)
//   16 partial      mean of nhwc        vectors along L, a partial result is a row of the buffer, or a register (by_16)
//   along the sum   rows of a matrix    vectors along the last reduce loop, R results a call
//   rows of 16      c of nChw16c        likewise, R results are columns side by side
//
// Partial results are those of core/program/reduction.hpp whatever the direction of the vectors. A unit is a block of L
// and R at a point of the other loops.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpu/executor/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/lanes/combine.hpp"
#include "cpu/tiles/reduce/contract.hpp"

namespace tessera::cpu {

inline constexpr int64_t reduce_sums = 4096, reduce_totals = 1024; // values in the buffer: 20 KiB, 40 with pairs

class ReduceJob final : public Job {
public:
    std::shared_ptr<const jit::Kernel> whole, more; // sums from the start; sums added to what is there
    std::shared_ptr<const jit::Kernel> last;        // runs along the sum: the last one, which joins; rows of 16: joins
    std::shared_ptr<const jit::Kernel> finish;      // the outer program
    ReductionParts parts;
    PerOperand<int64_t> base;
    std::vector<Loop> outer; // of the units
    size_t inside = 0;       // the last ones of them, which blocks of rows go around
    std::vector<Loop> sums;  // reduce loops outside of the kernels
    Loop lanes, rows;        // L and R; along the sum: `lanes` is the last reduce loop
    Loop turns, points;      // reduce loops of the kernels; partial results: `points` alone
    Loop planes;             // of windows, outside of `turns`
    bool along_sum = false, in_order = false;
    bool beside = false;  // along the sum, in rows of 16 that lie beside each other: `lanes` is the last reduce loop
    bool windows = false; // in order, and the outer program in the same kernel: `whole` alone
    bool finish_lanes = true;  // vectors of the outer program run along the results of a row of the buffer
    bool in_registers = false; // 16 partial results, all points in one call
    int64_t block_lanes = 1, block_rows = 1;
    int64_t run_points = 0;              // of a call, along the results; 16 partial results: a multiple of 16; 0: all
    std::vector<int64_t> size;           // bytes that an element moves an address by; 1 of counted operands
    std::vector<int> of_point, of_outer; // operands that the programs use

    void run(const Bases& bases, int64_t first, int64_t last) const override;
    std::vector<const jit::Kernel*> kernels() const override;
    std::string text() const override;
    void count();

private:
    struct Unit;
    void one(const Bases& bases, int64_t u, char* buffer) const;
    void run_windows(const Bases& bases, int64_t first, int64_t last) const; // run_windows.cpp
    void sum_in_order(Unit& unit) const;
    void sum_beside(Unit& unit) const;
    void sum_columns(const Unit& unit, int64_t results, int64_t columns) const;
    void sum_in_registers(Unit& unit) const;
    void sum_partials(Unit& unit) const;
    void sum_along(Unit& unit) const;
    void sum_runs(Unit& unit) const;
    void sum_segments(const Unit& unit, std::span<const int64_t> at, int64_t position, int64_t count,
                      const jit::Kernel& kernel) const;
    void join(char* values, char* seconds, int64_t columns) const;
    void add(char* values, char* seconds, const char* more, const char* more_seconds, int64_t columns) const;
    void start(char* values, char* seconds, int64_t count) const;
    void run_outer(const Unit& unit) const;
};

} // namespace tessera::cpu
