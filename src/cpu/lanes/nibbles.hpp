// Unpacks elements of 4 bits to bytes, because the packing of factors (cpu/tiles/dot/packs.cpp) cannot read sub-byte
// types.
#pragma once

#include <cstdint>

#include "core/types/types.hpp"

namespace tessera::cpu {

// What holds every value of a type of 4 bits: s8 of s4, u8 of u4, f8_e4m3 of f4; other types are as they are.
DataType unpacked_type(DataType type);

// `count` elements, the first one in the low nibble of a byte, to that type; without the first `skipped` (0 or 1).
void unpack_nibbles(const char* src, char* dst, int64_t count, DataType of_4_bits, int64_t skipped = 0);

} // namespace tessera::cpu
