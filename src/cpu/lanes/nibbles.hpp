// SPDX-License-Identifier: Apache-2.0
// Unpacks elements of 4 bits to bytes, because the packing of factors (cpu/products/pack) cannot read sub-byte
// types.
#pragma once

#include <cstdint>

#include "core/types/types.hpp"

namespace tessera::cpu {

// What holds every value of a type of 4 bits: s8 of s4, u8 of u4, f8_e4m3 of f4; other types are as they are.
DataType unpacked_type(DataType type);

// Where an element of 4 bits lies: ranges may begin in the upper half of a byte, which a pointer alone does not say.
struct Nibble {
    const char* byte;
    bool upper;
};
inline Nibble nibble_at(const char* base, int64_t element) { return {base + (element >> 1), (element & 1) != 0}; }

// `count` elements from there on to that type.
void unpack_nibbles(Nibble from, char* dst, int64_t count, DataType of_4_bits);

} // namespace tessera::cpu
