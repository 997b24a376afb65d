// SPDX-License-Identifier: Apache-2.0
// AlongSum: the 16 partial results of a row, with vectors along what is summed, and the tree that joins them.
//
//   AlongSum sum(c, codec, combine, {start, {}});        // tables, before any loop
//   std::vector<SumValues> parts = ...;                  // vectors() of them, from the start or from before
//   sum.add_up(parts, columns, row);                     // columns is used up
//   sum.join(parts, 0);                                  // parts[0]: in every lane what all 16 give
//
// Several rows may be summed side by side, because additions to one vector wait for each other: `parts` has those of
// row 0, then those of row 1, ...
#pragma once

#include <functional>
#include <vector>

#include "core/program/reduction.hpp"
#include "cpu/jit/codec.hpp"

namespace tessera::cpu {

struct SumValues {
    jit::Vec value, second; // the latter of pairs alone
    jit::Mask numbers{};    // of some maxima and minima: where no NaN has come yet, which the value does not tell
};

class AlongSum {
public:
    // into = into combined with `more`, those of later points.
    using Combine = std::function<void(const SumValues& into, SumValues more)>;
    struct Row {
        // Of columns first, first + 1, ..., of which `count` are there, or those of `tail`, of row number `side`.
        std::function<SumValues(int64_t first, int count, const jit::Mask* tail, int side)> values;
        std::function<void(int)> move; // by so many columns
        std::function<void(jit::Gpr)> move_by;
    };

    // `start` has the values of no points. `extremes`: of maxima and minima, null of others.
    AlongSum(jit::Code& code, jit::Codec& codec, Combine combine, std::function<SumValues()> start, bool joins,
             const ReductionParts* extremes);

    int vectors() const { return reduction_sums / lanes_; }
    void add_up(const std::vector<SumValues>& parts, jit::Gpr columns, const Row& row) const;
    void join(const std::vector<SumValues>& parts, int side) const;

private:
    // body(side, the row's parts) of every row.
    template <typename F> void each_side(const std::vector<SumValues>& parts, F body) const {
        for (int side = 0; side * vectors() < int(parts.size()); ++side)
            body(side, [&, side](int v) { return parts[size_t(side * vectors() + v)]; });
    }
    void combine_sixteens(const std::vector<SumValues>& parts, int count, const Row& row) const;
    void join_extremes(jit::Vec sum) const;
    void combine_where(const SumValues& into, jit::Mask k, SumValues more) const;
    void one_by_one(const std::vector<SumValues>& parts, int vector, jit::Gpr count, const Row& row) const;
    void end_without_masks(const std::vector<SumValues>& parts, jit::Gpr columns, const Row& row) const;

    jit::Code& c_;
    jit::Codec& codec_;
    const Combine combine_;
    const std::function<SumValues()> start_;
    const int lanes_;
    const ReductionParts* const extremes_;
    jit::Vec iota_;                 // without masks
    std::vector<jit::Vec> shifted_; // of the tree: lanes moved down by 8, 4, 2, 1
};

// A vector whose lanes have value_of_lane(0), ...
template <typename F> jit::Vec table_of_lanes(jit::Code& code, F value_of_lane) {
    std::vector<uint8_t> bytes;
    for (int lane = 0; lane < code.width() / 4; ++lane)
        for (int byte = 0; byte < 4; ++byte) bytes.push_back(uint8_t(uint32_t(value_of_lane(lane)) >> (8 * byte)));
    return code.constant(bytes);
}

// body while n >= step; n is lowered meanwhile, because loops end where their counter is not positive.
template <typename F> void repeat(jit::Code& code, jit::Gpr n, int step, F body) {
    if (step > 1) code.gadd(n, n, 1 - step);
    code.if_positive(n);
    code.loop();
    body();
    code.end_loop(n, step);
    code.end_if();
    if (step > 1) code.gadd(n, n, step - 1);
}

} // namespace tessera::cpu
