// Byte-exact comparison of a destination with the oracle's.
#pragma once

#include "core/desc/problem.hpp"

namespace tessera {

// Both buffers have `bytes` bytes and hold `md` (at its offset). The refusal names the first differing element, its
// values and how many differ; or, if all elements agree, the first differing byte of padding or surroundings.
// `exact_nan`: two NaN with different bits differ.
Result<void> compare(const MemoryDesc& md, const uint8_t* got, const uint8_t* expected, size_t bytes, bool exact_nan);

// Whether the problem moves bits without computing: same types and no attribute that changes values.
bool copies_bits(const Problem& problem);

} // namespace tessera
