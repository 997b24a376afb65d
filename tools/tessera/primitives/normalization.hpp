// SPDX-License-Identifier: Apache-2.0
// Bounds of the normalizations, and what their problem lines have in common.
#pragma once

#include "ops/normalization/normalization.hpp"
#include "primitives/row.hpp"

namespace tessera::primitives {

std::vector<Interval> bounds_of_normalization(const Computation& c, ops::Sets sets, int output,
                                              std::span<const int64_t> at);
template <ops::Sets sets>
std::vector<Interval> bounds_of_sets(const Computation& c, int output, std::span<const int64_t> at) {
    return bounds_of_normalization(c, sets, output, at);
}
inline Values values_of_normalization(const Problem&, DataType) { return Values::ordinary; }

// benchdnn's --flags are letters, too, and its epsilon is 1e-5 of its own accord.
Result<void> complete_normalization(spellings::Foreign& f);

} // namespace tessera::primitives
