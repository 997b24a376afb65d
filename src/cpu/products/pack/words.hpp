// SPDX-License-Identifier: Apache-2.0
// Bytes of A as the words that kernels of `a_words` read: without VNNI a product of bytes is one of words, and a byte
// of A would be broadcast, shifted and sign-extended again for every block of columns that reads it.
//
//   bytes of a step  a0 a1 a2 a3    ->    words  a0 a2 a1 a3
//
// because B's words are the even bytes of a step, then the odd ones (Products::words). AVX2, one thread of Zen 1, u8 x
// s8 512^3: 8.5 -> 6.1 ms.
#pragma once

#include <cstdint>

namespace tessera::cpu {

// In place: the first half of `row`, `bytes` long (a multiple of 4), becomes all of it. What lies behind the first half
// up to the next multiple of 16 is read, and widened behind the second: `row` has 2 * round_up(bytes, 16) bytes.
void widen_to_words(char* row, int64_t bytes, bool has_sign);

int32_t sum_of_bytes(const char* s8, int64_t count);

} // namespace tessera::cpu
