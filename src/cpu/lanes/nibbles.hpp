// Elements of 4 bits as bytes: what packs read that take no less.
#pragma once

#include <cstdint>

namespace tessera::cpu {

// `count` elements, the first in the lower half of a byte; s8 where `sign` is set, else u8.
void unpack_nibbles(const char* src, char* dst, int64_t count, bool sign);

} // namespace tessera::cpu
