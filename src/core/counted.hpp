// SPDX-License-Identifier: Apache-2.0
// A number and its noun in a message, which has another form beside 1. The noun stands in the template.
//
//   fmt::format("{:dimension} and {:entry|entries}", counted(3), counted(1))   "3 dimensions and 1 entry"
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace tessera {

struct Counted {
    int64_t number;
};
template <typename N> constexpr Counted counted(N number) { return {int64_t(number)}; }

std::string text_of(const Counted& counted, std::string_view one, std::string_view many); // many: "" for `one` and an s

} // namespace tessera

template <> struct fmt::formatter<tessera::Counted> {
    std::string_view one, many; // many: "" where it is `one` and an s

    constexpr auto parse(format_parse_context& context) -> decltype(context.begin()) {
        const auto* begin = context.begin();
        const auto* end = begin;
        while (end != context.end() && *end != '}') ++end;
        const std::string_view nouns(begin, size_t(end - begin));
        const size_t bar = nouns.find('|');
        one = nouns.substr(0, bar);
        if (bar != nouns.npos) many = nouns.substr(bar + 1);
        return end;
    }

    // Formats a string first: fmt::format_to(context.out(), ...) would compile fmt's formatting of numbers again in
    // every file that includes this, 11 KB each.
    template <typename Context> auto format(const tessera::Counted& c, Context& context) const {
        const std::string text = tessera::text_of(c, one, many);
        return std::copy(text.begin(), text.end(), context.out());
    }
};
