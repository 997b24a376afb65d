// SPDX-License-Identifier: Apache-2.0
// Scalar conversions between stored types and computing types: the rules DT-01..09 and CVT-01..12 in one place.
//
// Everything that reads or writes an element (references, portable code, attributes) uses these functions, so that
// there is one rule a type. `element` counts elements, also for the 4-bit types (two a byte, even element low).
//
//   read<float>(DataType::bf16, p, 3)           element 3 as f32 (exact for all types but s32, s64, f64)
//   write<float>(DataType::s8, p, 3, 1024.f)    saturates to 127
//
// Computing types: float, double, int32_t, int64_t. Integer targets: clamp, then round to nearest even under the
// current floating-point environment; NaN gives the smallest value of s8, s32, s64, s4 and 0 for u8, u4, boolean.
// The f32 -> s32 clamp ends at 2147483520, the largest float below 2^31 (CVT-02); double and integers reach 2147483647.
// Float targets: nearest even in any rounding mode; f64 and integers go to the floats below f32 through f32. boolean
// reads as 0 or 1 and stores x != 0, so that NaN is true. undef reads as 0 and is not written.
#pragma once

#include <cstdint>

#include "core/types/types.hpp"

namespace tessera {

template <typename C> C read(DataType type, const void* base, int64_t element);
template <typename C> void write(DataType type, void* base, int64_t element, C value);

extern template float read<float>(DataType, const void*, int64_t);
extern template double read<double>(DataType, const void*, int64_t);
extern template int32_t read<int32_t>(DataType, const void*, int64_t);
extern template int64_t read<int64_t>(DataType, const void*, int64_t);
extern template void write<float>(DataType, void*, int64_t, float);
extern template void write<double>(DataType, void*, int64_t, double);
extern template void write<int32_t>(DataType, void*, int64_t, int32_t);
extern template void write<int64_t>(DataType, void*, int64_t, int64_t);

// The bits of one element, unconverted: 4-bit types in the low nibble. For copies that must not change a bit.
uint64_t read_bits(DataType type, const void* base, int64_t element);
void write_bits(DataType type, void* base, int64_t element, uint64_t value);

// The type in which a conversion from `src` to `dst` without attributes is computed, so that no digit is lost that
// `dst` could hold: same type: bits are copied; both integer: s32 or s64; f64 or s64 involved: f64 or s64; else f32.
enum class ValueType : uint8_t { f32, s32, f64, s64, bits };
ValueType conversion_type(DataType src, DataType dst);

} // namespace tessera
