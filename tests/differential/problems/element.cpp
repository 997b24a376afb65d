// SPDX-License-Identifier: Apache-2.0
#include "element.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace differential {
namespace {

using enum Kind;
constexpr Type types[] = {
    {"f32", 3, 32, floating, 8, 23, true},
    {"bf16", 2, 16, floating, 8, 7, true},
    {"f16", 1, 16, floating, 5, 10, true},
    {"s32", 4, 32, signed_integer},
    {"s8", 5, 8, signed_integer},
    {"u8", 6, 8, unsigned_integer},
    {"f8_e5m2", 9, 8, floating, 5, 2, true},
    {"f8_e4m3", 10, 8, floating, 4, 3, false, 0x7f},
    {"s4", 11, 4, signed_integer},
    {"u4", 12, 4, unsigned_integer},
    {"e8m0", 13, 8, exponent},
    {"f4_e2m1", 14, 4, floating, 2, 1},
    {"f4_e3m0", 15, 4, floating, 3, 0},
    {"f64", 7, 64, floating, 11, 52, true},
    {"s64", 16, 64, signed_integer},
    {"boolean", 8, 8, unsigned_integer},
    {"undef", 0, 8, unsigned_integer},
};

uint64_t mask(int bits) { return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }
uint64_t magnitude(const Type& t, uint64_t code) { return code & mask(t.bits - 1); }
bool is_negative(const Type& t, uint64_t code) { return code >> (t.bits - 1) & 1; }
int bias(const Type& t) { return (1 << (t.exponent_bits - 1)) - 1; }

int64_t sign_extend(const Type& t, uint64_t code) { return int64_t(code << (64 - t.bits)) >> (64 - t.bits); }

uint64_t encode_float(const Type& t, double value) {
    const uint64_t sign = uint64_t(std::signbit(value)) << (t.bits - 1);
    const double size = std::fabs(value);
    if (size == 0) return sign;
    int exponent = std::max(std::ilogb(size), 1 - bias(t)); // below, the numbers are denormal: same step
    const auto units = uint64_t(std::ldexp(size, t.mantissa_bits - exponent));
    return sign | (((uint64_t(exponent + bias(t) - 1) << t.mantissa_bits) + units) & mask(t.bits - 1));
}

double decode_float(const Type& t, uint64_t code) {
    const uint64_t size = magnitude(t, code);
    const int field = int(size >> t.mantissa_bits);
    const uint64_t mantissa = size & mask(t.mantissa_bits);
    if (is_nan(t, code)) return std::numeric_limits<double>::quiet_NaN();
    double value;
    if (t.has_inf && field == int(mask(t.exponent_bits)))
        value = std::numeric_limits<double>::infinity();
    else if (field == 0)
        value = std::ldexp(double(mantissa), 1 - bias(t) - t.mantissa_bits);
    else
        value = std::ldexp(double(mantissa | uint64_t(1) << t.mantissa_bits), field - bias(t) - t.mantissa_bits);
    return is_negative(t, code) ? -value : value;
}

} // namespace

const Type* type(const std::string& name) {
    const auto* found = std::find_if(std::begin(types), std::end(types), [&](const Type& t) { return name == t.name; });
    return found == std::end(types) ? nullptr : found;
}

const Type* type_at(int index) { return index < int(std::size(types)) ? &types[index] : nullptr; }

uint64_t encode(const Type& t, double value) {
    switch (t.kind) {
    case floating:
        return encode_float(t, value);
    case exponent:
        return value == 0 ? 0 : uint64_t(std::clamp(std::ilogb(value) + 127, 0, 254));
    default:
        return uint64_t(int64_t(value)) & mask(t.bits);
    }
}

double decode(const Type& t, uint64_t code) {
    switch (t.kind) {
    case floating:
        return decode_float(t, code);
    case exponent:
        return code == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, int(code) - 127);
    case signed_integer:
        return double(sign_extend(t, code));
    default:
        return double(code);
    }
}

bool is_nan(const Type& t, uint64_t code) {
    if (t.kind == exponent) return code == 0xff;
    if (t.kind != floating) return false;
    const uint64_t size = magnitude(t, code);
    return t.has_inf ? size > mask(t.exponent_bits) << t.mantissa_bits
                     : t.nan_code >= 0 && size == uint64_t(t.nan_code);
}

bool is_finite(const Type& t, uint64_t code) {
    if (is_nan(t, code)) return false;
    return !(t.kind == floating && t.has_inf && magnitude(t, code) == mask(t.exponent_bits) << t.mantissa_bits);
}

uint64_t load(const uint8_t* buffer, const Type& t, int64_t index) {
    if (t.bits == 4) return buffer[index / 2] >> (4 * (index & 1)) & 15;
    uint64_t code = 0;
    for (int i = t.bits / 8; i-- > 0;) code = code << 8 | buffer[index * (t.bits / 8) + i];
    return code;
}

void store(uint8_t* buffer, const Type& t, int64_t index, uint64_t code) {
    if (t.bits == 4) {
        const int shift = 4 * int(index & 1);
        buffer[index / 2] = uint8_t((buffer[index / 2] & ~(15 << shift)) | int(code & 15) << shift);
        return;
    }
    for (int i = 0; i < t.bits / 8; ++i) buffer[index * (t.bits / 8) + i] = uint8_t(code >> (8 * i));
}

double steps_apart(const Type& t, uint64_t left, uint64_t right) {
    if (left == right || (is_nan(t, left) && is_nan(t, right))) return 0;
    if (is_nan(t, left) || is_nan(t, right)) return std::numeric_limits<double>::infinity();
    if (t.kind != floating) return std::fabs(decode(t, left) - decode(t, right));
    const auto ordered = [&](uint64_t code) {
        const auto size = double(magnitude(t, code)); // the codes of one sign are in the order of the values
        return is_negative(t, code) ? -size : size;
    };
    return std::fabs(ordered(left) - ordered(right));
}

} // namespace differential
