// SPDX-License-Identifier: Apache-2.0
// What the parts of seeing a product share (seen.hpp names them).
#pragma once

#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

bool allows_pairs(const Seen& seen); // whether B may be computed as bf16
// Whether the last step of k is whole: with zeros, as memories are padded.
bool is_padded(const Seen& seen, int operand, int64_t step);
// Elements between panels of 16 columns in steps of `step`, if B lies so; else 0.
int64_t panels_of(const Seen& seen, const Flat& f, int64_t step);

} // namespace tessera::cpu
