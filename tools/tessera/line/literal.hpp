// SPDX-License-Identifier: Apache-2.0
// Literals: the values that a .npy header (a Python literal) and a layout sidecar (JSON) have in common.
//
// Strings in single or double quotes, integers, True/False/true/false, lists or tuples, and dictionaries with string
// keys; other numbers and null/None are kept as `other`, so that unknown keys are harmless. Nesting deeper than 32 is
// refused, and so is anything but white space after the value.
//
//   parse_literal("{'descr': '<f4', 'shape': (3, 4), }")->find("shape")->items[1].integer == 4
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"

namespace tessera {

struct Literal {
    enum class Kind : uint8_t { string, integer, boolean, list, dictionary, other };
    Kind kind = Kind::other;
    std::string string;
    int64_t integer = 0;
    bool boolean = false;
    std::vector<Literal> items;    // of a list; of a dictionary: the values
    std::vector<std::string> keys; // of a dictionary

    const Literal* find(std::string_view key) const; // the last value under `key`, null when absent
};

Result<Literal> parse_literal(std::string_view text);

// `text` as a JSON string with its quotes.
std::string json_string(std::string_view text);

} // namespace tessera
