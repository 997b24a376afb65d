// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/pack/words.hpp"

#include <emmintrin.h>

#include "core/division.hpp"

namespace tessera::cpu {

// From the last 16 bytes to the first, whose words they do not overwrite before they are read.
void widen_to_words(char* row, int64_t bytes, bool has_sign) {
    constexpr int64_t at_once = 16;
    for (int64_t i = round_up(bytes, at_once) - at_once; i >= 0; i -= at_once) {
        const __m128i x = _mm_load_si128(reinterpret_cast<const __m128i*>(row + i)), upper = _mm_slli_epi16(x, 8);
        const __m128i even = has_sign ? _mm_srai_epi16(upper, 8) : _mm_srli_epi16(upper, 8);
        const __m128i odd = has_sign ? _mm_srai_epi16(x, 8) : _mm_srli_epi16(x, 8);
        __m128i* const to = reinterpret_cast<__m128i*>(row + 2 * i);
        _mm_store_si128(to, _mm_unpacklo_epi32(even, odd));
        _mm_store_si128(to + 1, _mm_unpackhi_epi32(even, odd));
    }
}

// Sums of eight bytes without sign are an instruction.
int32_t sum_of_bytes(const char* s8, int64_t count) {
    constexpr int64_t at_once = 16;
    const __m128i sign = _mm_set1_epi8(char(0x80)), zero = _mm_setzero_si128();
    __m128i sums = zero;
    int64_t i = 0;
    for (; i + at_once <= count; i += at_once) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s8 + i));
        sums = _mm_add_epi64(sums, _mm_sad_epu8(_mm_xor_si128(x, sign), zero));
    }
    int64_t sum = _mm_cvtsi128_si64(sums) + _mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)) - 128 * i;
    for (; i < count; ++i) sum += int8_t(s8[i]);
    return int32_t(sum);
}

} // namespace tessera::cpu
