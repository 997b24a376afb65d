// SPDX-License-Identifier: Apache-2.0
// Error bounds: how far an element may be from the reference, given the errors of the functions in its computation.
//
//   const Bounds bounds(problem, before);                       // `before`: the bytes that the primitive read
//   bounds.any()                                                // false: everything is exact
//   bounds.hold(arg::dst, at, got, element)                     // the element lies in its interval
//
// Additions, products, comparisons and conversions are those of IEEE 754 on both sides and add no error. Functions like
// tanh (a few ulp, eltwise.hpp) and sums in any order (matmul, diff_weights of prelu) do. Interval arithmetic carries
// their bounds through the rest of the computation, which is monotone in each step, and through the rounding to the
// type of the destination: an integer may be off by one only if its interval contains a tie.
#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "bounds/computation.hpp"

namespace tessera {

namespace primitives {
struct Row;
}

class Bounds {
public:
    Bounds(const Problem& problem, const ops::Buffers& before);
    bool any() const;
    bool hold(int output, std::span<const int64_t> at, const void* got, int64_t element) const;

private:
    // Rounded to the output's type; made once, for the elements that differ on one machine mostly do on the next.
    const std::vector<Interval>& of(int output, std::span<const int64_t> at, int64_t element) const;

    Computation computation_;
    const primitives::Row& row_;
    mutable std::map<int, std::unordered_map<int64_t, std::vector<Interval>>> known_; // output -> element -> bounds
};

} // namespace tessera
