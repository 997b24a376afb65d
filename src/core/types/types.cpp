// SPDX-License-Identifier: Apache-2.0
#include "core/types/types.hpp"

namespace tessera {

std::string_view name(DataType t) {
    switch (t) {
#define TYPE(name, number, width, cls, lo, hi, least)                                                                  \
    case DataType::name:                                                                                               \
        return #name;
#include "core/types/types.def"
#undef TYPE
    default:
        return "undef";
    }
}

std::string named(DataType t) {
    return valid(t) || t == DataType::undef ? std::string(name(t)) : std::to_string(int(t));
}

std::optional<DataType> parse_data_type(std::string_view text) {
    for (DataType t : all_types)
        if (name(t) == text) return t;
    return std::nullopt;
}

} // namespace tessera
