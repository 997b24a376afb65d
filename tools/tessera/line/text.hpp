// SPDX-License-Identifier: Apache-2.0
// Reading of words, for problem lines and for those of others.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera {

inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (size_t from = 0;;) {
        const size_t to = text.find(separator, from);
        parts.push_back(text.substr(from, to == text.npos ? to : to - from));
        if (to == text.npos) return parts;
        from = to + 1;
    }
}

// The whole text as a number; nothing where it is none, or beyond the type.
template <typename T> std::optional<T> number_of(std::string_view text) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

} // namespace tessera
