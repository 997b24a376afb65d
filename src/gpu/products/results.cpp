// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/results.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::gpu {

namespace {

constexpr int64_t columns_at_once = 4;

// The operand whose results are stored as vectors, or -1.
int stored_as_vectors(const ProductView& view) {
    int stored = -1;
    for (const Op& op : view.matrices.outer.ops)
        if (op.code == OpCode::store) stored = stored < 0 || stored == op.operand ? op.operand : -2;
    if (stored < 0 || bits(view.plan.operands[size_t(stored)].type) > 32) return -1;
    return has_whole(view, stored, &ProductLoops::columns, &ProductLoops::rows, columns_at_once) ? stored : -1;
}

} // namespace

std::string functions_of_results(const ProductView& view) {
    return stored_as_vectors(view) >= 0 ? std::string(source_of_codes()) : "";
}

std::string source_of_results(const ProductView& view, const Results& r) {
    const int stored = stored_as_vectors(view);
    const int64_t at_once = stored < 0 ? 1 : columns_at_once;
    std::string before, after;
    Access access;
    if (stored >= 0) {
        const int element = bits(view.plan.operands[size_t(stored)].type), words = int(columns_at_once) * element / 32;
        access.packed = stored;
        access.pack =
            element == 32 ? "packed[d] = {}" : fmt::format("packed[d * {0} / 32] |= {{}} << d * {0} % 32", element);
        std::string zeros, vector;
        for (int w = 0; w < words; ++w) {
            zeros += w ? ", 0" : "0";
            vector += fmt::format("{}packed[{}]", w ? ", " : "", w);
        }
        before = fmt::format("            uint packed[{}] = {{{}}};\n            const place to = in_batch{}{}{};\n",
                             words, zeros, stored, along(view.rows, "row", "i", size_t(stored)),
                             along(view.columns, "column", "first_j", size_t(stored)));
        const std::string type = words == 1 ? "uint" : fmt::format("uint{}", words);
        after = fmt::format("            *(global {0}*)(o{1} + (size_t)to * {2}) = ({0})({3});\n", type, stored,
                            element / 8, vector);
    }
    return fmt::format(R"cl(        for (int n = lane; n < {0}; n += {1}) {{
            const int r = n / {2}, c = n % {2} * {3};
            const place i = first_row + {4}, first_j = first_column + c;
            if (i >= all_row || first_j >= all_column) continue;
{5}#pragma unroll
            for (int d = 0; d < {3}; ++d) {{
                const place j = first_j + d;
{6}            }}
{7}        }}
)cl",
                       r.rows * r.columns / at_once, r.lanes, r.columns / at_once, at_once, r.row, before,
                       source_of_outer(view, fmt::format("{}[r * {} + c + d]", r.tile, r.pitch), access), after);
}

} // namespace tessera::gpu
