// SPDX-License-Identifier: Apache-2.0
// The data types of tensors, generated from types.def: name, number, width, range.
//
// Numbers equal dnnl_data_type_t, so the C API casts after valid(). Widths are in bits because s4, u4 and the f4
// types store two values a byte, the even element in the low nibble.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/division.hpp"

namespace tessera {

enum class DataType : int {
    undef = 0,
#define TYPE(name, number, bits, cls, lo, hi, least) name = number,
#include "core/types/types.def"
#undef TYPE
};

// In the order of their numbers; for loops over all types in tests and tables.
inline constexpr DataType all_types[] = {
#define TYPE(name, number, bits, cls, lo, hi, least) DataType::name,
#include "core/types/types.def"
#undef TYPE
};

constexpr int bits(DataType t) {
    switch (t) {
#define TYPE(name, number, width, cls, lo, hi, least)                                                                  \
    case DataType::name:                                                                                               \
        return width;
#include "core/types/types.def"
#undef TYPE
    default:
        return 0;
    }
}

// A type the library knows, undef excluded. Any int may be asked about.
constexpr bool valid(DataType t) { return bits(t) != 0; }
// Bytes that hold `count` consecutive elements starting at an even element.
constexpr int64_t bytes_of(DataType t, int64_t count) {
    return bits(t) == 4 ? ceil_div(count, 2) : count * (bits(t) / 8);
}
constexpr bool is_integer(DataType t) {
    return t == DataType::s32 || t == DataType::s8 || t == DataType::u8 || t == DataType::s4 || t == DataType::u4 ||
           t == DataType::s64 || t == DataType::boolean;
}
constexpr bool is_sub_byte(DataType t) { return bits(t) == 4; }

struct ValueRange {
    double lowest = 0, highest = 0, least_positive = 0; // finite values
};
constexpr ValueRange range(DataType t) {
    switch (t) {
#define TYPE(name, number, width, cls, lo, hi, least)                                                                  \
    case DataType::name:                                                                                               \
        return {lo, hi, least};
#include "core/types/types.def"
#undef TYPE
    default:
        return {};
    }
}
constexpr bool has_sign(DataType t) { return range(t).lowest < 0; }
// No value of the type, read as f32, is a denormal.
constexpr bool is_normal_f32(DataType t) { return range(t).least_positive >= 0x1p-126; }

std::string_view name(DataType t); // "f32"; "undef" for undef and unknown numbers
std::string named(DataType t);     // in messages: "f32", "undef"; "77" for a number that no type has
std::optional<DataType> parse_data_type(std::string_view text); // inverse of name()

} // namespace tessera
