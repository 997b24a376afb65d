// Unpacks s4 and u4 to bytes, because the packing of factors (cpu/tiles/dot/packs.cpp) cannot read sub-byte types.
#pragma once

#include <cstdint>

namespace tessera::cpu {

// `count` elements, the first one in the low nibble of a byte; to s8 where `sign` is set, else to u8.
void unpack_nibbles(const char* src, char* dst, int64_t count, bool sign);

} // namespace tessera::cpu
