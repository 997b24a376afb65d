// SPDX-License-Identifier: Apache-2.0
#include "ops/products/panels.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::ops {

namespace {

char capital(char letter) { return char(letter - 'a' + 'A'); }

} // namespace

std::string tag_of(const Panels& p) {
    const char last = p.blocked ? p.blocked : p.k.back();
    std::string k = p.k;
    if (p.rows * p.vnni > 1) std::ranges::replace(k, last, capital(last));
    std::string tag = fmt::format("{}{}{}", p.outer, capital(p.n), k);
    if (p.rows > 1) tag += fmt::format("{}{}", p.rows, last);
    tag += fmt::format("{}{}", panel_columns, p.n);
    if (p.vnni > 1) tag += fmt::format("{}{}", p.vnni, last);
    return tag;
}

int64_t vnni_factor(DataType type, bool pairs_of_f16) {
    if (type == DataType::bf16 || (type == DataType::f16 && pairs_of_f16)) return 2;
    return is_integer(type) && bits(type) == 8 ? 4 : 1;
}

bool are_few(int64_t rows, int64_t columns) {
    constexpr int64_t few_weights = 4096;
    return columns < panel_columns || rows * columns <= few_weights;
}

} // namespace tessera::ops
