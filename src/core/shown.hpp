// SPDX-License-Identifier: Apache-2.0
// A text of others, made safe for a terminal and a line of the log, and short enough.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// Control characters and bytes that are no UTF-8 become '?', but line breaks; of more than `most` bytes the middle is
// left out, because messages begin with what is wrong and end with what would work.
//
//   shown("a\x1b[31mb", 100) == "a?[31mb"      shown("0123456789", 9) == "012...789"
std::string shown(std::string_view text, size_t most);

} // namespace tessera
