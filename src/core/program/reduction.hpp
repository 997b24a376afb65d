// Programs that reduce, in their two parts, and the order of sums.
//
// What reduce_add depends on runs once per point; what follows it runs once per outer point, on the sum. An earlier
// value that is used after it is computed again there, at the first point of the reduce loops.
//
//   v0=load s  v1=load d  v2=mul v0 v1  v3=reduce_add v2  store dst v3
//   point:  v0=load s  v1=load d  v2=mul v0 v1  store sums v2          outer:  v0=load sums  store dst v0
//
// The points of the reduce loops are counted from 0 in the order of the loops, the last loop fastest. f32 is summed in
// blocks of 4096 points: point i goes to sum i mod 16 of its block; at the end of a block its 16 sums, which start as
// +0, are added in pairs 8 apart, then 4, 2, 1; blocks are added one after the other, from the first on. So the bits
// depend on the loops alone, not on threads or on what is vectorised, and 2^24 points cost 256 + 4096 + 4 roundings
// instead of 2^24.
#pragma once

#include "core/program/program.hpp"

namespace tessera {

inline constexpr int reduction_sums = 16;
inline constexpr int64_t reduction_block = 4096;

struct ReductionParts {
    ValueType type;       // of the sum
    Program point, outer; // operand `sums`: stored by one, loaded by the other
};

// Of a program with reduce_add. `sums` is the number of a further operand of the sum's type.
ReductionParts split_reduction(const Program& p, int sums);

// The 16 sums of a block as one.
template <typename T> T joined(T* sums) {
    for (int apart = reduction_sums / 2; apart; apart /= 2)
        for (int k = 0; k < apart; ++k) sums[k] = T(sums[k] + sums[k + apart]);
    return sums[0];
}

} // namespace tessera
