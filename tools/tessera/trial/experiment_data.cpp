// SPDX-License-Identifier: Apache-2.0
// Values for experiments.
#include "trial/experiment_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"

namespace tessera {
namespace {

// SplitMix64: cheap, good enough for data, and the same on every machine.
struct Random {
    uint64_t state;
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    int64_t between(int64_t low, int64_t high) { return low + int64_t(next() % uint64_t(high - low + 1)); }
};

bool is_unsigned(DataType type) { return type == DataType::u8 || type == DataType::u4 || type == DataType::boolean; }

constexpr double scale_values[] = {0.25, 0.5, 1.0, 2.0, 4.0, 0.1, 3.0, 0.75, 1.0 / 3.0, 8.0};

// Values at which conversions to some type change behaviour: its limits and the ties next to them.
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double special_values[] = {0.0,
                                     -0.0,
                                     infinity,
                                     -infinity,
                                     std::numeric_limits<double>::quiet_NaN(),
                                     127.5,
                                     128.0,
                                     -128.5,
                                     -129.0,
                                     255.5,
                                     256.0,
                                     1024.0,
                                     -124.0,
                                     2147483520.0,
                                     2147483648.0,
                                     -2147483648.0,
                                     -2147483904.0,
                                     65504.0,
                                     65519.0,
                                     65520.0,
                                     1e-40,
                                     -1e-40,
                                     5.9604644775390625e-8,
                                     2.98e-8,
                                     6.103515625e-5,
                                     1.00390625,
                                     1.01171875,
                                     448.0,
                                     464.0,
                                     480.0,
                                     57344.0,
                                     61440.0,
                                     0.001953125,
                                     6.0,
                                     5.0,
                                     2.5,
                                     0.25,
                                     16.0,
                                     12.0,
                                     3.4028234663852886e38,
                                     -3.4028234663852886e38,
                                     1.1754943508222875e-38,
                                     7.5,
                                     8.0,
                                     -8.5,
                                     15.5};

double factor(Random& random, DataType type) {
    if (random.between(0, 499) == 0) return 0;
    const double sign = is_unsigned(type) || random.between(0, 1) ? 1 : -1;
    if (is_integer(type)) return sign * (random.between(0, 19) == 0 ? 2 : 1);
    return sign * double(random.between(896, 1152)) / 1024;
}

double exponent(Random& random, DataType type) {
    if (is_integer(type)) return double(random.between(is_unsigned(type) ? 0 : -20, 20));
    return double(random.between(0, 7) ? random.between(-8192, 8192) : random.between(-102400, 0)) / 1024;
}

double fraction(Random& random, DataType type) {
    if (is_integer(type)) return double(random.between(is_unsigned(type) ? 0 : -128, is_unsigned(type) ? 255 : 127));
    return double(random.between(-128, 128)) / 256;
}

double hostile_value(Random& random, DataType type, Values values) {
    if (values == Values::fractions) return fraction(random, type);
    if (values == Values::factors) return factor(random, type);
    if (values == Values::exponents) return exponent(random, type);
    if (values == Values::positive) return std::max(std::abs(hostile_value(random, type, Values::ordinary)), .5);
    const int64_t dice = random.between(0, values == Values::hostile ? 9 : is_integer(type) ? 4 : 7);
    if (is_integer(type)) {
        if (dice < 5) return double(random.between(is_unsigned(type) ? 0 : -20, 20));
        // Any value of the type; write() saturates what falls outside of the narrow ones.
        return type == DataType::s32 ? double(int32_t(random.next())) : double(random.between(-300, 300));
    }
    if (dice < 5) return double(random.between(-64, 64)) / 2; // halves: every second one a tie of integers
    if (dice < 8) return double(random.between(-300'000, 300'000)) / 1024;
    if (dice < 9) { // one after the other: compilers of other processors evaluate arguments in another order
        const int exponent = int(random.between(-40, 40));
        return std::ldexp(double(random.between(-4096, 4096)), exponent);
    }
    return special_values[random.next() % std::size(special_values)];
}

double dense_value(Random& random, DataType type, Fill fill) {
    if (fill == Fill::scales) return scale_values[random.next() % std::size(scale_values)];
    if (is_unsigned(type)) return double(random.between(0, 15));
    return double(random.between(-8, fill == Fill::small ? 8 : 7));
}

} // namespace

void fill_dense(void* to, DataType type, int64_t count, Fill fill, uint64_t seed) {
    constexpr int64_t period = 4096; // a whole number of bytes for every type
    Random random{seed};
    const int64_t written = std::min(count, period);
    std::vector<uint8_t> pattern(size_t(bytes_of(type, written)));
    for (int64_t i = 0; i < written; ++i) write<double>(type, pattern.data(), i, dense_value(random, type, fill));
    const size_t total = size_t(bytes_of(type, count));
    for (size_t at = 0; at < total; at += pattern.size())
        std::memcpy(static_cast<uint8_t*>(to) + at, pattern.data(), std::min(pattern.size(), total - at));
}

void fill_hostile(uint8_t* buffer, size_t bytes, const MemoryDesc& md, uint64_t seed, Values values) {
    Random random{seed};
    for (size_t i = 0; i < bytes; ++i) buffer[i] = uint8_t(random.next() >> 32);
    if (!md.is_blocked()) return;
    const Layout layout = layout_of(md);
    for_each_element(md, [&](std::span<const int64_t> at) {
        const int64_t element = layout.at(at);
        if (md.type == DataType::s64 && random.next() % 2 == 0)
            write<int64_t>(md.type, buffer, element, int64_t(random.next()));
        else
            write<double>(md.type, buffer, element, hostile_value(random, md.type, values));
    });
}

} // namespace tessera
