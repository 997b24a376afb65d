// SPDX-License-Identifier: Apache-2.0
#include "api/log/cpp_spelling.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view in_cpp(std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> spellings[] = {
#define SPELLING(name, text) {#name, text},
#include "api/log/cpp_spellings.def"
#undef SPELLING
    };
    for (const auto& [c, cpp] : spellings)
        if (c == name) return cpp;
    return name;
}

} // namespace

void put_in_cpp(std::span<char> to, std::string_view text) noexcept {
    size_t end = 0;
    const auto put = [&](std::string_view part) { end += part.copy(to.data() + end, to.size() - 1 - end); };
    while (!text.empty()) {
        const auto length = std::ranges::find_if_not(text, is_of_name) - text.begin();
        const std::string_view part = text.substr(0, std::max<size_t>(size_t(length), 1));
        put(length > 0 ? in_cpp(part) : part);
        text.remove_prefix(part.size());
    }
    to[end] = 0;
}

} // namespace tessera
