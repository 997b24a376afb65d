#include "cpu/lanes/nibbles.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera::cpu {

// Splits 16 bytes into low and high nibbles and interleaves them; (x ^ 8) - 8 extends the sign of s4.
void unpack_nibbles(const char* src, char* dst, int64_t count, bool sign) {
    int64_t i = 0;
#if defined(__SSE2__)
    const __m128i half = _mm_set1_epi8(15), eight = _mm_set1_epi8(sign ? 8 : 0);
    const auto value = [&](__m128i x) { return _mm_sub_epi8(_mm_xor_si128(x, eight), eight); };
    for (; i + 32 <= count; i += 32) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i / 2));
        const __m128i low = value(_mm_and_si128(x, half)), high = value(_mm_and_si128(_mm_srli_epi16(x, 4), half));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i), _mm_unpacklo_epi8(low, high));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i + 16), _mm_unpackhi_epi8(low, high));
    }
#endif
    for (; i < count; ++i) {
        const int code = static_cast<unsigned char>(src[i / 2]) >> i % 2 * 4 & 15;
        dst[i] = char(sign ? (code ^ 8) - 8 : code);
    }
}

} // namespace tessera::cpu
