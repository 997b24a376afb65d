// SPDX-License-Identifier: Apache-2.0
// The reduce tile: what a program gives at each point, combined. Sums are values of 4 bytes, f32 or s32.
//
// Columns (`along_sum` false), vectors along the results. For every i < results and j < columns
//
//   sums(i, j) = combined over t < turns, p < points, in this order, of
//                program(base[o] + i * result[o] + t * turn[o] + p * point[o] + j * column[o] * size(types[o]))
//
// Along the sum, 16 partial results each, as core/program/reduction.hpp has them. For every i < results
//
//   partial(i, k) = combined over j < columns, j mod 16 == k, of
//                   program(base[o] + i * result[o] + j * column[o] * size(types[o]))
//
// Columns by 16 (`by_16`), everything in one call; point n, of all turns, to partial result n mod 16 of its column
//
//   sums(i, j) = the 16 partial results of column j, combined in a tree
//
// Here `points` of the arguments counts sixteens of a turn, which has `rest` points more.
//
// Strides in bytes; column 0 or 1, along the results up to most_reduce_stride. Of a counted operand (OpCode::index) the
// low 32 bits of the address are the value, its strides are numbers, and column is any number. Only these elements are
// read; any alignment. All extents are positive.
//
// `fresh`: sums start as those of no points; else as what lies in `sums`. Columns have sums(i, j) at
// sums + i * sums_row + 4 * j, and write whole vectors, up to a vector behind the last column. Along the sum it is
// sums + i * sums_row + 4 * k; `joined`, the 16 of a result are combined in a tree and written to out + 4 * i instead.
//
// Windows (`windows`): columns whose sums stay in registers, and parts.outer behind them, at (i, j) of each operand;
// what it stores has column 1, or a larger one where can_store_columns(), of 4 bytes and 3 or 4 apart only with
// `fixed`. No sums are read or written. With `fixed` columns several results are taken at a time, row[o] bytes apart;
// args.columns and args.result are not read then.
//
// Second values of pairs (reduce_max_at) lie `seconds` bytes behind the first ones; in no points the number is 2^31
// - 1.
//
//   sum of each column of f32 rows:   program p0, types {f32, f32}, column {1}, turns 1, points: rows
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/reduction.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu {

inline constexpr size_t reduce_operands = 16;
// Along the results: with stride s a vector is s loads and as many permutes or one less, where single elements would be
// 8 or 16. Targets without masks have few registers for the permutes' indices.
inline constexpr int64_t most_reduce_stride = 8, most_reduce_stride_without_masks = 4;
inline constexpr int64_t most_stored_stride = 4; // of a store under masks, of which there are seven

struct ReduceArgs {
    int64_t results, columns, planes = 1, turns = 1, points = 1;
    char* sums;
    int64_t sums_row = 0, seconds = 0;
    char* out = nullptr;
    int64_t scratch = 0; // the kernel's
    const char* base[reduce_operands];
    // What is added to an address behind each loop: it has moved by the loops inside.
    int64_t point[reduce_operands], turn[reduce_operands], plane[reduce_operands], strip[reduce_operands],
        result[reduce_operands];

    // The operand's strides in bytes; `moved`: what columns move it by, 0 where it does not advance along them. Behind
    // extents.
    void set(size_t operand, const char* at, int64_t point_stride, int64_t turn_stride, int64_t result_stride,
             int64_t moved, int64_t plane_stride = 0) {
        base[operand] = at;
        point[operand] = point_stride;
        turn[operand] = turn_stride - points * point_stride;
        plane[operand] = plane_stride - turns * turn_stride;
        strip[operand] = planes > 1 ? -planes * plane_stride : -turns * turn_stride;
        result[operand] = result_stride - columns * moved;
    }
};

struct ReduceSpec {
    ReductionParts parts;        // its point program stores to operands `sums` and `sums` + 1
    std::vector<DataType> types; // by operand; those of the sums are the last two
    std::array<int64_t, reduce_operands> column{};
    bool windows = false;
    bool deep = false;   // windows of several planes, args.planes of them, each of so many turns
    bool single = false; // windows of one point: planes, turns and points are 1 and not read
    bool plain = false;  // of these: its value as it is, not combined with the one of no points
    int fixed = 0;       // 0: any number of columns
    std::array<int64_t, reduce_operands> row{};
    int grows = -1; // of pairs: the counted operand that numbers points from low to high, the same along a row; or -1
    bool along_sum = false, fresh = true, joined = false;
    bool by_16 = false, turned = false; // turned: more than one turn
    int rest = 0;
    uint32_t still = 0; // by_16: operands (bits) that neither points nor turns move
    size_t sums() const { return types.size() - 2; }
};

std::string key(const ReduceSpec& spec); // equal for equal kernels

// Programs of f32 and s32 values over the types of jit::Codec; sums, products, maxima and minima, maxima with a number.
bool can_build_reduce(const ReduceSpec& spec);
jit::Code build_reduce(const jit::Target& target, const ReduceSpec& spec);
bool can_store_columns(const jit::Target& target, DataType type, int64_t stride);
bool can_fix_columns(const jit::Target& target, const ReduceSpec& spec, int64_t columns);
jit::Code build_windows(const jit::Target& target, const ReduceSpec& spec);
// Columns by 16: no pairs, no numbers; 32 registers.
bool can_build_by_16(const jit::Target& target, const ReduceSpec& spec);
jit::Code build_by_16(const jit::Target& target, const ReduceSpec& spec);

// into = into combined with `more`, that of later points; not of pairs.
void combine_into(jit::Code& code, const ReductionParts& parts, jit::Vec into, jit::Vec more);

// Of maxima and minima: the same, but that of a NaN in `more` nothing is left.
void combine_numbers(jit::Code& code, const ReductionParts& parts, jit::Vec into, jit::Vec more);
// Of maxima and minima: what two values give.
jit::Vec combined_extremes(jit::Code& code, const ReductionParts& parts, jit::Vec earlier, jit::Vec later);
inline bool is_extreme(const ReductionParts& parts) {
    return parts.combine == OpCode::reduce_max || parts.combine == OpCode::reduce_min;
}
inline constexpr uint32_t nan_bits = 0x7fc00000;

std::string_view combination(const ReductionParts& parts); // "add"

// The bits that sums of no points have, in front of the first combination.
uint32_t reduce_start(const ReductionParts& parts);
inline constexpr uint32_t no_number = 0x7fffffff; // beside it, of pairs

} // namespace tessera::cpu
