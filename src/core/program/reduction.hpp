// SPDX-License-Identifier: Apache-2.0
// Programs that reduce, in their two parts, and the order in which points are combined.
//
// What reduce_* needs runs once a point; what stands behind it runs once an outer point, on the result. An earlier
// value that is used behind it is computed again there, at the first point of the reduce loops.
//
//   v0=load s  v1=load d  v2=mul v0 v1  v3=reduce_add v2  store dst v3
//   point:  v0=load s  v1=load d  v2=mul v0 v1  store sums v2          outer:  v0=load sums  store dst v0
//
// The points of the reduce loops are counted from 0 in the order of the loops, the last loop fastest. They are combined
// in blocks of 4096: point i goes to partial result i mod 16 of its block; at the end of a block its 16 partial
// results, which start as those of no points (sums as +0), are combined in pairs 8 apart, then 4, 2, 1; blocks are
// combined one after the other, from the first on. So the bits depend on the loops alone, not on threads or on what is
// vectorised, and a sum of 2^24 points costs 256 + 4096 + 4 roundings instead of 2^24.
//
// Maxima and minima keep a NaN wherever it comes, and of equal values the first in that order: of zeros of both signs
// partial result 0 decides before 8, 4 before 12, ...; in order, the first zero.
//
// Steps `in_order` have a single partial result for all points of a block: windows of a few points, whose vectors run
// along the results (Step::in_order).
#pragma once

#include <type_traits>

#include "core/program/program.hpp"

namespace tessera {

inline constexpr int reduction_sums = 16;
inline constexpr int64_t reduction_block = 4096;

struct ReductionParts {
    OpCode combine;       // reduce_add, ...
    ValueType type;       // of the value
    Program point, outer; // operands `sums` and, for pairs, `sums` + 1: stored by one, loaded by the other
    bool pairs() const { return combine == OpCode::reduce_max_at || combine == OpCode::reduce_moments; }
    ValueType second() const { return combine == OpCode::reduce_max_at ? ValueType::s32 : ValueType::f32; }
};

// Of a program that reduces. `sums` is the number of a further operand of the value's type, and the one behind it, for
// pairs, of that of the second value.
ReductionParts split_reduction(const Program& p, int sums);

// Partial results of a block.
constexpr int partials_of(bool in_order) { return in_order ? 1 : reduction_sums; }

// What two values give, those of earlier points first.
struct Add {
    template <typename T> static T of(T a, T b) { return T(a + b); }
};
struct Mul {
    template <typename T> static T of(T a, T b) { return T(a * b); }
};
template <typename T> constexpr bool is_nan(T x) {
    if constexpr (std::is_floating_point_v<T>) return x != x;
    return false;
}
struct Max {
    template <typename T> static T of(T a, T b) { return a < b || is_nan(b) ? b : a; }
};
struct Min {
    template <typename T> static T of(T a, T b) { return b < a || is_nan(b) ? b : a; }
};

// What some points give, as bits.
struct Partial {
    uint32_t value = 0, second = 0;
    int64_t count = 0; // of points; means need it
    bool operator==(const Partial&) const = default;
};
Partial of_nothing(OpCode combine, ValueType type);
inline Partial of_point(uint32_t value, uint32_t second = 0) { return {value, second, 1}; }
// `a` of earlier points than `b`. Means by pairs: mean = a + d * nb / n, squares = a + b + d^2 * na * nb / n, where d
// is the difference of the means (Chan, Golub, LeVeque 1983).
Partial combined(OpCode combine, ValueType type, const Partial& a, const Partial& b);

// The 16 sums of a block as one.
template <typename T> T joined(T* sums) {
    for (int apart = reduction_sums / 2; apart; apart /= 2)
        for (int k = 0; k < apart; ++k) sums[k] = T(sums[k] + sums[k + apart]);
    return sums[0];
}

} // namespace tessera
