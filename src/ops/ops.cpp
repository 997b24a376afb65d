// SPDX-License-Identifier: Apache-2.0
#include "ops/ops.hpp"

#include <cstdlib>

namespace tessera::ops {

std::span<const Row* const> rows() {
    static constexpr const Row* all[] = {
#define PRIMITIVE(name, number) &name##_row,
#include "core/problem/primitives.def"
#undef PRIMITIVE
    };
    return all;
}

const Row& row(PrimitiveKind kind) {
    for (const Row* r : rows())
        if (r->kind == kind) return *r;
    std::abort(); // only make_* produce problems, and each of them has its row
}

} // namespace tessera::ops
