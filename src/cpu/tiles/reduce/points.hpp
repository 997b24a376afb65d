// SPDX-License-Identifier: Apache-2.0
// What both builders of reduce kernels share: addresses of operands, a program's values at vectors of columns, and how
// values of later points are combined with earlier ones.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "cpu/jit/program_code.hpp"
#include "cpu/tiles/reduce/along.hpp"
#include "cpu/tiles/reduce/contract.hpp"

namespace tessera::cpu {

class PointCode {
protected:
    using Vec = jit::Vec;
    using Mask = jit::Mask;
    using Gpr = jit::Gpr;
    using Mem = jit::Mem;
    using Values = SumValues;
    // The last columns, fewer than a vector has, on targets with masks; of strided operands each vector's own part,
    // where it is not whole.
    struct Tail {
        Mask columns;
        std::map<int64_t, std::vector<Mask>> strided;                // by stride; none: all vectors are whole
        std::map<std::pair<int64_t, int>, std::vector<Mask>> stored; // by stride and bytes of an element
    };
    static constexpr int unroll = 4; // vectors: as many additions in flight as their latency on two pipes takes, nearly

    PointCode(const jit::Target& target, const ReduceSpec& spec);

    bool pairs() const { return spec_.parts.pairs(); }
    Mem arg(size_t at) const { return {c_.args(), int64_t(at)}; }
    Mem slot(size_t array, int o) const { return arg(array + 8 * size_t(o)); }
    int size(int o) const { return bits(spec_.types[size_t(o)]) / 8; }
    bool counted(int o) const { return is_counted(spec_.parts.point, o); }
    int64_t moved(int o) const { return spec_.column[size_t(o)] * (counted(o) ? 1 : size(o)); }

    void load_bases();
    void hold_bases(const std::vector<int>& operands); // in registers, as far as there are some
    Gpr base(int o) {
        const auto known = base_.find(o);
        return known != base_.end() ? known->second : c_.gload(slot(offsetof(ReduceArgs, base), o));
    }
    // move(operand, its address): whether it moved
    template <typename F> void each_base(F move) { each_base(used_, move); }
    template <typename F> void each_base(const std::vector<int>& operands, F move) {
        for (const int o : operands) {
            const Gpr b = base(o);
            if (move(o, b) && !base_.count(o)) c_.gstore(slot(offsetof(ReduceArgs, base), o), b);
        }
    }
    void move_by(size_t array) {
        each_base([&](int o, Gpr b) { return c_.gadd_mem(b, b, slot(array, o)), true; });
    }
    // By so many columns: whether the operand moves along them.
    bool move_along(int o, Gpr b, int columns) {
        if (moved(o)) c_.gadd(b, b, moved(o) * columns);
        return moved(o) != 0;
    }
    bool move_along(int o, Gpr b, Gpr columns) {
        if (moved(o)) c_.gadd(b, b, c_.gmul(columns, moved(o)));
        return moved(o) != 0;
    }
    void move_columns(int count) {
        each_base([&](int o, Gpr b) { return move_along(o, b, count); });
    }

    template <typename F> Vec table(F value_of_lane) { return table_of_lanes(c_, value_of_lane); }
    void prepare_numbers(); // of counted operands
    void prepare_strides(); // of strided ones
    bool has_strides() const { return !picks_.empty(); }
    int rest() const { return spec_.fixed % lanes_; } // columns of a fixed row's last vector; 0: all
    bool has_tails() const;                           // masks for the last columns, of every operand
    Tail tail_of(Gpr count);
    // Of `most` elements from number `first` on: those in front of the last one of `count` columns, and this one.
    Mask reached(Gpr count, int64_t stride, int64_t first, int64_t most);

    // The program's values at columns first, first + 1, ..., of which `count` are there, of the result that lies `side`
    // results behind.
    Values values(int64_t first, int count, const Tail* tail, int side = 0);
    void forget_same() { same_.clear(); } // operands that are the same along columns, when they may have moved
    Vec broadcast_low(Gpr value);
    int64_t side_bytes(int o, int side) const { return side * spec_.row[size_t(o)]; }

    void combine(const Values& into, Values more); // into = into combined with `more`, those of later points
    Values fresh();
    // Values of float types may be NaN; masks that track them are to be had where nothing else needs any.
    bool may_be_nan() const;
    void track_nan(Values& v); // fresh; then close_nan() before it is used
    void close_nan(Values& v);
    Vec start() { return codec_.u32(reduce_start(spec_.parts)); }

    template <typename F> void repeat(Gpr n, int step, F body) { cpu::repeat(c_, n, step, body); }

    const ReduceSpec& spec_;
    jit::Code c_;
    jit::Codec codec_;
    const int lanes_;
    jit::ProgramCode program_;
    std::vector<int> used_;
    std::map<std::pair<int, ValueType>, Vec> same_;

private:
    // Elements `stride` apart, of so many columns: the vectors that hold them, and what of these goes to a lane.
    struct Picks {
        std::vector<int64_t> start; // of each vector
        std::vector<Vec> element;   // of each; with masks of the second one on both together (permute2)
        std::vector<Mask> from;     // without: the lanes that take theirs from it; not of the first vector
    };
    Picks picks_of(int64_t stride, int columns);
    Vec load_strided(int o, ValueType type, Mem m, const Tail* tail);
    void combine_tracked(const Values& into, const Values& more);
    void take_larger(const Values& into, const Values& more);

    std::map<int, Gpr> base_;                        // by operand; others stay in the arguments
    std::map<int, Vec> numbers_;                     // of counted operands: those of a vector's lanes, from 0
    std::map<std::pair<int64_t, int>, Picks> picks_; // by stride and columns: a vector's, and a fixed row's rest
};

} // namespace tessera::cpu
