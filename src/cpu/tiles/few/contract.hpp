// SPDX-License-Identifier: Apache-2.0
// GEMV for one to four rows of A, up to six under dots of f32, of pairs of bf16 and of bytes one of which has no sign,
// up to eight under axpy of bytes in fours.
// B is read once, memory bandwidth is the limit, and the kernels follow its order: dot products, or rank-1 updates
// (axpy).
//
//   dots  C[i][j] = sum over k of A[i][k] * B[j][k]          B and A dense in k; 2 to 8 columns at once
//   axpy  C[i][j] = sum over k of A[i][k] * B[k][j]          B dense in j; 2 to 8 rows of B a pass over all columns
//
// += where `accumulate` is 1, else C is not read before it is written. C is f32, of sums by fma of values of
// jit::Codec, or s32, of wrapping sums of u8 and s8; dense in j. Rows are a constant of the kernel.
//
// B of s4 or u4 begins at whole bytes, as rows and columns of it do; what is dense in it (k of dots, columns of axpy)
// is a multiple of 16.
//
// axpy writes C in each pass: keep rows * columns within the first level.
#pragma once

#include <cstdint>
#include <string>

#include "core/types/convert.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

struct FewRowsSpec {
    int rows = 1;
    DataType a = DataType::f32, b = DataType::f32;
    ValueType sum = ValueType::f32; // or s32
    bool prefetches = false;        // axpy: for the rows of B of the next pass; dots: for a KiB further of each column
    bool pairs = false;             // dots: bf16 by bf16 in pairs, as blocks multiply them
    bool shifts_b = false;          // dots: s8 by s8 enters as B + 128, and results begin at `start`
    // axpy of bytes: four rows of B are interleaved and multiplied by the instructions for bytes (VNNI, masks); else
    // two, as words. a_dense: along k.
    bool fours = false, a_dense = false;
};

struct DotsArgs {
    const void* a;
    int64_t a_row; // bytes
    const void* b;
    int64_t b_column; // bytes
    void* c;
    int64_t c_row;      // bytes
    int64_t columns, k; // positive
    int64_t accumulate;
    const int32_t* start = nullptr; // of shifts_b: for each row -128 times the sum of its k elements of A
};

// The kernel moves a and b on.
struct AxpyArgs {
    const void* a;
    int64_t a_row, a_step; // bytes between rows, between elements of k
    const void* b;
    int64_t b_row; // bytes
    void* c;
    int64_t c_row;      // bytes
    int64_t columns, k; // positive
    int64_t accumulate;
};

constexpr int most_rows_of_fours = 8; // eight rows of B in 8 registers, twice as many of A's, a row of sums
constexpr int most_rows_of_dots = 6;  // two columns of them fill 16 registers: 12 sums, 2 of B, 1 of A; four fill 32
std::string dots_key(const FewRowsSpec& spec);
std::string axpy_key(const FewRowsSpec& spec);
bool can_build_few_rows(const FewRowsSpec& spec, bool dots);
jit::Code build_dots(const jit::Target& target, const FewRowsSpec& spec);
jit::Code build_axpy(const jit::Target& target, const FewRowsSpec& spec);

} // namespace tessera::cpu
