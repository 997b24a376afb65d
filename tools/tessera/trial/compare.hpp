// SPDX-License-Identifier: Apache-2.0
// Compares a destination with that of the reference: every byte, except elements within their error bound.
#pragma once

#include <functional>
#include <span>

#include "core/problem/problem.hpp"

namespace tessera {

// Whether the element at these coordinates, which differs from the oracle's, is within the bound of its computation.
using Close = std::function<bool(std::span<const int64_t> at, int64_t element)>;

// Both buffers have `bytes` bytes and hold `md` (at its offset). The refusal names the first differing element, its
// values and how many differ; or, if all elements agree, the first differing byte of padding or surroundings.
// `exact_nan`: two NaN with different bits differ.
Result<void> compare(const MemoryDesc& md, const uint8_t* got, const uint8_t* expected, size_t bytes, bool exact_nan,
                     const Close& close = {});

// Whether the problem moves bits without computing: same types and no attribute that changes values.
bool copies_bits(const Problem& problem);

} // namespace tessera
