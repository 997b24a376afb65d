// SPDX-License-Identifier: Apache-2.0
#include "core/counted.hpp"

namespace tessera {

std::string text_of(const Counted& counted, std::string_view one, std::string_view many) {
    if (counted.number == 1) return fmt::format("1 {}", one);
    return many.empty() ? fmt::format("{} {}s", counted.number, one) : fmt::format("{} {}", counted.number, many);
}

} // namespace tessera
