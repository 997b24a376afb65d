// SPDX-License-Identifier: Apache-2.0
#include "api/log/named.hpp"

#include <string_view>

namespace tessera {

std::string named(const char* word, int number) {
    return std::string_view(word).starts_with("unknown ") ? std::to_string(number) : word;
}

std::string named_query(int what) {
    switch (what) {
#define NAME(number, word)                                                                                             \
    case number:                                                                                                       \
        return word;
#include "api/log/query_names.def"
#undef NAME
    default:
        return std::to_string(what);
    }
}

} // namespace tessera
