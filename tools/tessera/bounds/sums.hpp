// SPDX-License-Identifier: Apache-2.0
// Intervals of sums in f32, whatever the order of additions.
#pragma once

#include <span>
#include <vector>

#include "bounds/interval.hpp"

namespace tessera {

Interval anything(); // any number, infinity or NaN
// Maxima or minima of numbers, either of two where these are zeros, whose order decides about the sign.
std::vector<Interval> extremes_of(bool max, std::span<const Interval> elements, float of_nothing);

// n terms are within (n - 1) 2^-24 of the sum of their magnitudes. Where some order of the finite ones overflows, the
// sum may be anything.
Interval sum_of(std::span<const Interval> terms);

} // namespace tessera
