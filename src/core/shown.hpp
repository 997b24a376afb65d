// SPDX-License-Identifier: Apache-2.0
// A text of others, made safe for a terminal and a line of the log, and short enough. A header alone: the command lines
// of benchmarks and examples have it too, and link the shared library, which exports the interface alone.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tessera {

inline bool continues_utf8(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Bytes of the character that the text begins with; 0: it is none, or a control character.
inline size_t length_of_character(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return first == '\n' || (first >= ' ' && first != 0x7f);
    const size_t length = first >= 0xf0 && first < 0xf5   ? 4
                          : first >= 0xe0 && first < 0xf0 ? 3
                          : first >= 0xc2 && first < 0xe0 ? 2
                                                          : 0;
    if (length == 0 || text.size() < length) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    const bool control = first == 0xc2 && second < 0xa0; // C1
    return !control && std::ranges::all_of(text.substr(1, length - 1), continues_utf8) ? length : 0;
}

// Control characters and bytes that are no UTF-8 become '?', but line breaks; of more than `most` bytes the middle is
// left out, because messages begin with what is wrong and end with what would work.
//
//   shown("a\x1b[31mb", 100) == "a?[31mb"      shown("0123456789", 9) == "012...789"
inline std::string shown(std::string_view text, size_t most) {
    std::string cut(text);
    constexpr std::string_view gap = "...";
    if (text.size() > most) {
        size_t head = (most - gap.size()) / 2, tail = text.size() - head;
        while (head > 0 && continues_utf8(text[head])) --head;
        while (tail < text.size() && continues_utf8(text[tail])) ++tail;
        cut = std::string(text.substr(0, head)).append(gap).append(text.substr(tail));
    }
    for (size_t at = 0; at < cut.size();) {
        const size_t length = length_of_character(std::string_view(cut).substr(at));
        if (length == 0) cut[at] = '?';
        at += std::max<size_t>(length, 1);
    }
    return cut;
}

} // namespace tessera
