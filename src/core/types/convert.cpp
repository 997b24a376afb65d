// SPDX-License-Identifier: Apache-2.0
// Element access by run-time type. Three natural types meet every stored type: float for f32 and all narrower
// floats, double for f64, int64_t for integers; `to` converts between those and the computing types, and the codecs
// between f32 and the narrow types. So there are 16 cases a direction, not 16 x 4.
#include "core/types/convert.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/types/codecs.hpp"

namespace tessera {
namespace {

template <typename T> T load(const void* base, int64_t element) {
    T value;
    std::memcpy(&value, static_cast<const char*>(base) + element * int64_t{sizeof(T)}, sizeof(T));
    return value;
}
template <typename T> void store(void* base, int64_t element, T value) {
    std::memcpy(static_cast<char*>(base) + element * int64_t{sizeof(T)}, &value, sizeof(T));
}

uint8_t load_nibble(const void* base, int64_t element) {
    return (static_cast<const uint8_t*>(base)[element >> 1] >> (4 * (element & 1))) & 15;
}
void store_nibble(void* base, int64_t element, uint8_t code) {
    uint8_t& byte = static_cast<uint8_t*>(base)[element >> 1];
    const int shift = 4 * static_cast<int>(element & 1);
    byte = static_cast<uint8_t>((byte & (0xf0 >> shift)) | ((code & 15) << shift));
}

// f64 to an integer range, exact at both ends. -2^63 is a double, 2^63 - 1 is not: the upper end is compared as < 2^63.
template <typename T> T round_f64(double x, int64_t low, int64_t high) {
    const double end = static_cast<double>(high) + (high == std::numeric_limits<int64_t>::max() ? 0. : 1.);
    if (!(x > static_cast<double>(low))) return static_cast<T>(low); // NaN too
    if (x >= end) return static_cast<T>(high);
    const double rounded = std::nearbyint(x); // the current rounding mode; may reach `end` from below
    return static_cast<T>(rounded >= end ? high : static_cast<int64_t>(rounded));
}

// Natural or computing type to a computing type.
template <typename C, typename V> C to(V value) {
    if constexpr (std::is_same_v<C, V>)
        return value;
    else if constexpr (std::is_floating_point_v<C>)
        return static_cast<C>(value);
    else if constexpr (std::is_same_v<V, float> && std::is_same_v<C, int32_t>)
        return f32_to_s32(value);
    else if constexpr (std::is_floating_point_v<V>)
        return round_f64<C>(value, std::numeric_limits<C>::min(), std::numeric_limits<C>::max());
    else if constexpr (sizeof(C) >= sizeof(V))
        return value;
    else
        return static_cast<C>(value < std::numeric_limits<C>::min()   ? std::numeric_limits<C>::min()
                              : value > std::numeric_limits<C>::max() ? std::numeric_limits<C>::max()
                                                                      : value);
}

// Any computing type to a range of at most 32 bits; f32 goes through its codec.
template <typename T, typename C> T saturate(C value, int64_t low, int64_t high, T (*codec)(float)) {
    if constexpr (std::is_same_v<C, float>)
        return codec(value);
    else if constexpr (std::is_same_v<C, double>)
        return round_f64<T>(value, low, high);
    else
        return static_cast<T>(value < low ? low : value > high ? high : value);
}

} // namespace

template <typename C> C read(DataType type, const void* base, int64_t element) {
    switch (type) {
    case DataType::f32:
        return to<C>(load<float>(base, element));
    case DataType::f64:
        return to<C>(load<double>(base, element));
    case DataType::bf16:
        return to<C>(bf16_to_f32(load<uint16_t>(base, element)));
    case DataType::f16:
        return to<C>(f16_to_f32(load<uint16_t>(base, element)));
    case DataType::f8_e5m2:
        return to<C>(f8_e5m2_to_f32(load<uint8_t>(base, element)));
    case DataType::f8_e4m3:
        return to<C>(f8_e4m3_to_f32(load<uint8_t>(base, element)));
    case DataType::e8m0:
        return to<C>(e8m0_to_f32(load<uint8_t>(base, element)));
    case DataType::f4_e2m1:
        return to<C>(f4_e2m1_to_f32(load_nibble(base, element)));
    case DataType::f4_e3m0:
        return to<C>(f4_e3m0_to_f32(load_nibble(base, element)));
    case DataType::s64:
        return to<C>(load<int64_t>(base, element));
    case DataType::s32:
        return to<C>(load<int32_t>(base, element));
    case DataType::s8:
        return static_cast<C>(load<int8_t>(base, element));
    case DataType::u8:
        return static_cast<C>(load<uint8_t>(base, element));
    case DataType::s4:
        return static_cast<C>(s4_to_s8(load_nibble(base, element)));
    case DataType::u4:
        return static_cast<C>(load_nibble(base, element));
    case DataType::boolean:
        return static_cast<C>(load<uint8_t>(base, element) != 0);
    case DataType::undef:
        break;
    }
    return C{};
}

template <typename C> void write(DataType type, void* base, int64_t element, C value) {
    switch (type) {
    case DataType::f32:
        return store(base, element, to<float>(value));
    case DataType::f64:
        return store(base, element, to<double>(value));
    case DataType::bf16:
        return store(base, element, f32_to_bf16(to<float>(value)));
    case DataType::f16:
        return store(base, element, f32_to_f16(to<float>(value)));
    case DataType::f8_e5m2:
        return store(base, element, f32_to_f8_e5m2(to<float>(value)));
    case DataType::f8_e4m3:
        return store(base, element, f32_to_f8_e4m3(to<float>(value)));
    case DataType::e8m0:
        return store(base, element, f32_to_e8m0(to<float>(value)));
    case DataType::f4_e2m1:
        return store_nibble(base, element, f32_to_f4_e2m1(to<float>(value)));
    case DataType::f4_e3m0:
        return store_nibble(base, element, f32_to_f4_e3m0(to<float>(value)));
    case DataType::s64:
        return store(base, element, to<int64_t>(value));
    case DataType::s32:
        return store(base, element, to<int32_t>(value));
    case DataType::s8:
        return store(base, element, saturate(value, -128, 127, f32_to_s8));
    case DataType::u8:
        return store(base, element, saturate(value, 0, 255, f32_to_u8));
    case DataType::s4:
        return store_nibble(base, element, static_cast<uint8_t>(saturate(value, -8, 7, f32_to_s4)));
    case DataType::u4:
        return store_nibble(base, element, saturate(value, 0, 15, f32_to_u4));
    case DataType::boolean:
        return store(base, element, static_cast<uint8_t>(value != C{0} ? 1 : 0));
    case DataType::undef:
        break;
    }
}

template float read<float>(DataType, const void*, int64_t);
template double read<double>(DataType, const void*, int64_t);
template int32_t read<int32_t>(DataType, const void*, int64_t);
template int64_t read<int64_t>(DataType, const void*, int64_t);
template void write<float>(DataType, void*, int64_t, float);
template void write<double>(DataType, void*, int64_t, double);
template void write<int32_t>(DataType, void*, int64_t, int32_t);
template void write<int64_t>(DataType, void*, int64_t, int64_t);

uint64_t read_bits(DataType type, const void* base, int64_t element) {
    switch (bits(type)) {
    case 4:
        return load_nibble(base, element);
    case 8:
        return load<uint8_t>(base, element);
    case 16:
        return load<uint16_t>(base, element);
    case 32:
        return load<uint32_t>(base, element);
    case 64:
        return load<uint64_t>(base, element);
    default:
        return 0;
    }
}

void write_bits(DataType type, void* base, int64_t element, uint64_t value) {
    switch (bits(type)) {
    case 4:
        return store_nibble(base, element, static_cast<uint8_t>(value));
    case 8:
        return store(base, element, static_cast<uint8_t>(value));
    case 16:
        return store(base, element, static_cast<uint16_t>(value));
    case 32:
        return store(base, element, static_cast<uint32_t>(value));
    case 64:
        return store(base, element, value);
    default:
        return;
    }
}

ValueType conversion_type(DataType src, DataType dst) {
    const auto either = [&](DataType t) { return src == t || dst == t; };
    if (src == dst) return ValueType::bits;
    if (either(DataType::f64)) return ValueType::f64;
    // s64 against any other type: a 64-bit integer rounds once on its way to f32, through f64 it would round twice.
    if (either(DataType::s64)) return ValueType::s64;
    return is_integer(src) && is_integer(dst) ? ValueType::s32 : ValueType::f32;
}

} // namespace tessera
