// SPDX-License-Identifier: Apache-2.0
#include "pattern.hpp"

namespace differential {

uint64_t mix(uint64_t x) { // splitmix64
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

uint64_t small(const Type& t, uint64_t r) {
    if (t.kind == Kind::exponent) return 120 + r % 16;
    if (t.kind == Kind::unsigned_integer) return r % 16;
    if (t.bits == 4) return t.kind == Kind::floating ? r % 8 : r % 16;
    return encode(t, double(int64_t(r % 17) - 8));
}

// 251 is prime: no period of a layout falls in step with it.
uint64_t old_value(const Type& t, int64_t index) { return small(t, mix(uint64_t(index) % 251)); }

} // namespace differential
