// SPDX-License-Identifier: Apache-2.0
#include "cpu/lanes/nibbles.hpp"

#include "core/types/convert.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera::cpu {

namespace {

#if defined(__SSE2__)
__m128i bytes(int value) { return _mm_set1_epi8(char(value)); }

// (x ^ 8) - 8 extends the sign of s4. Floats of 4 bits move up by what the exponents' biases differ; 0, and of e2m1 a
// half, which is denormal there, are set right.
__m128i value(DataType type, __m128i x) {
    if (type == DataType::u4) return x;
    if (type == DataType::s4) return _mm_sub_epi8(_mm_xor_si128(x, bytes(8)), bytes(8));
    const bool has_mantissa = type == DataType::f4_e2m1;
    const int shift = has_mantissa ? 2 : 3, raise = has_mantissa ? 6 << 3 : 4 << 3;
    const __m128i size = _mm_and_si128(x, bytes(7)), sign = _mm_slli_epi16(_mm_and_si128(x, bytes(8)), 4);
    const __m128i is_zero = _mm_cmpeq_epi8(size, bytes(0));
    const __m128i is_half = _mm_cmpeq_epi8(size, bytes(has_mantissa ? 1 : -1));
    __m128i code = _mm_add_epi8(_mm_slli_epi16(size, shift), bytes(raise));
    code = _mm_sub_epi8(code, _mm_and_si128(is_half, bytes(4)));
    return _mm_or_si128(_mm_andnot_si128(is_zero, code), sign);
}
#endif

} // namespace

DataType unpacked_type(DataType type) {
    if (!is_sub_byte(type)) return type;
    if (type == DataType::s4) return DataType::s8;
    return type == DataType::u4 ? DataType::u8 : DataType::f8_e4m3;
}

void unpack_nibbles(Nibble from, char* dst, int64_t count, DataType type) {
    const char* const src = from.byte;
    if (from.upper && count > 0) {
        write<float>(unpacked_type(type), dst, 0, read<float>(type, src, 1));
        return unpack_nibbles({src + 1, false}, dst + 1, count - 1, type);
    }
    int64_t i = 0;
#if defined(__SSE2__)
    const __m128i half = bytes(15);
    const auto at = [](auto* p) { return reinterpret_cast<__m128i*>(const_cast<char*>(p)); };
    const auto low = [&](__m128i x) { return value(type, _mm_and_si128(x, half)); };
    for (; i + 32 <= count; i += 32) {
        const __m128i x = _mm_loadu_si128(at(src + i / 2)), even = low(x), odd = low(_mm_srli_epi16(x, 4));
        _mm_storeu_si128(at(dst + i), _mm_unpacklo_epi8(even, odd));
        _mm_storeu_si128(at(dst + i + 16), _mm_unpackhi_epi8(even, odd));
    }
    for (; i + 16 <= count; i += 16) { // lines of 48 columns: a third of them one by one takes as long as all else
        const __m128i x = _mm_loadl_epi64(at(src + i / 2));
        _mm_storeu_si128(at(dst + i), _mm_unpacklo_epi8(low(x), low(_mm_srli_epi16(x, 4))));
    }
#endif
    const DataType to = unpacked_type(type);
    for (; i < count; ++i) write<float>(to, dst, i, read<float>(type, src, i));
}

} // namespace tessera::cpu
