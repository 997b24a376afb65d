// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

namespace differential {

const std::vector<const Row*>& rows() {
    static const std::vector<const Row*> all = {
#define PRIMITIVE(name, number) &name##_row,
#include "core/problem/primitives.def"
#undef PRIMITIVE
    };
    return all;
}

const Row* find_row(const std::string& name) {
    for (const Row* row : rows())
        if (row->name == name) return row;
    return nullptr;
}

} // namespace differential
