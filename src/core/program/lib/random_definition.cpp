// SPDX-License-Identifier: Apache-2.0
// The definitions of random.hpp, one element at a time.
#include "core/program/lib/random.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

using Block = std::array<uint32_t, 4>;

Block philox_of(Block c, uint32_t key_0, uint32_t key_1) {
    for (int round = 0; round < 10; ++round) {
        const uint64_t x = uint64_t(0xd2511f53) * c[0], y = uint64_t(0xcd9e8d57) * c[2];
        c = {uint32_t(y >> 32) ^ c[1] ^ key_0, uint32_t(y), uint32_t(x >> 32) ^ c[3] ^ key_1, uint32_t(x)};
        key_0 += 0x9e3779b9, key_1 += 0xbb67ae85;
    }
    return c;
}

} // namespace

uint32_t dropout_bits_of(uint64_t index, int64_t seed, int64_t offset) {
    const uint64_t i = index / 4 * 4;
    const auto low = [](uint64_t x) { return uint32_t(x); };
    const auto high = [](uint64_t x) { return uint32_t(x >> 32); };
    const uint64_t s = uint64_t(seed), o = uint64_t(offset);
    if (offset == 0) return philox_of({low(i), low(i) + 1, low(i), low(i) + 3}, low(s), low(s))[2];
    return philox_of({low(o), high(o), low(i), high(i)}, low(s), high(s))[index % 4];
}

bool is_kept_of(uint32_t bits, float probability) { return double(bits) > double(probability) * 4294967295.; }

uint32_t rounding_bits_of(uint64_t index, int32_t seed) {
    return philox_of({0, 0, uint32_t(index / 4 * 4), 0}, uint32_t(seed), 0)[index % 4];
}

// In units of 2^-(23 - m) of a step of the type's grid: whole numbers, to which the noise is added.
float rounded_stochastically_of(float x, uint32_t noise, DataType type) {
    const ValueRange values = range(type);
    if (!(std::fabs(x) <= values.highest) || x == 0.f) return x;
    const int m = type == DataType::f8_e5m2 ? 2 : type == DataType::f8_e4m3 ? 3 : type == DataType::bf16 ? 7 : 10;
    const double step = std::max(std::ldexp(1., std::ilogb(x) - m), values.least_positive);
    const double units = std::nearbyint(std::fabs(double(x)) / step * std::ldexp(1., 23 - m));
    const double block = std::ldexp(1., 23 - m); // units of a step
    const double up = std::floor((units + double(noise % uint32_t(block))) / block);
    return std::copysign(float(up * step), x);
}

} // namespace tessera
