// SPDX-License-Identifier: Apache-2.0
// Products of few rows, or of few columns, on a GPU: the other factor, which is nearly all that is read, goes through
// registers once and past local memory, neighbouring work-items reading neighbours. `long` are its rows, `short` the
// few rows of the other one.
//
//   dense along its rows    32 work-items have 128 rows, a point of k each team of 32; sum[short][4 rows]
//   anything else           32 work-items have 128 points of k, and a team 4 rows;     sum[short][4 rows]
//
// Partial sums of a row, those of the teams or of the work-items of a team, are added up through local memory, in the
// order of their numbers.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gpu/products/pieces.hpp"

namespace tessera::gpu {

namespace {

constexpr int64_t most_rows = 8, team = 32, width = 4;

ProductView with_few_rows(ProductView view) {
    if (view.matrices.columns < view.matrices.rows) turn(view);
    return view;
}

struct FewPrinter {
    const ProductView& view;
    int64_t rows; // of the short side, a power of two

    int64_t lanes() const { return view.row.lanes; }
    int64_t teams() const { return lanes() / team; }
    bool across() const { return view.columns[size_t(view.matrices.right.factor.operand)].is_dense(width); }
    int64_t columns() const { return across() ? team * width : teams() * width; }
    int64_t partials() const { return across() ? teams() : team; } // of a result

    Pieces pieces() const {
        const Side side{view.matrices.right, view.columns, "column", "", columns()};
        return {view, side, lanes(), across() ? teams() * width : team * width, width, across(), across()};
    }
    std::string sums() const {
        const Pieces p = pieces();
        const Side left{view.matrices.left, view.rows, "row", "", rows};
        const std::string each = fmt::format(
            R"cl(                const {0} y = ({0})s0;
                if (inside) {{
#pragma unroll
                    for (int s = 0; s < {1}; ++s) {{
                        const place i = min(first_row + s, all_row - 1);
{2}{3}                        const {0} x = ({0})s0;
                        {4};
                    }}
                }}
)cl",
            view.value(), rows, source_of_places(view, left, Of::all), source_of_value(view, left),
            fmt::format(fmt::runtime(view.matrices.type == ValueType::f32 ? "sum[s][{0}] = fma(x, y, sum[s][{0}])"
                                                                          : "sum[s][{0}] += x * y"),
                        across() ? "d" : "q"));
        return fmt::format(R"cl(    {0} sum[{1}][{2}];
#pragma unroll
    for (int s = 0; s < {1}; ++s)
#pragma unroll
        for (int n = 0; n < {2}; ++n) sum[s][n] = 0;
{3}    for (place first_k = 0; first_k < depth; first_k += {4}) {{
{5}{6}    }}
)cl",
                           view.value(), rows, width, p.declared(), p.chunk, p.read("first_k"),
                           p.written("first_k", "", each, ""));
    }
    // Partial sum p of column c in parts[c * pitch + p].
    std::string outer() const {
        const std::string mine = across() ? "lane % 32 * 4 + n" : "lane / 32 + n * " + std::to_string(teams());
        return fmt::format(R"cl(
#pragma unroll
    for (int s = 0; s < {0}; ++s) {{
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int n = 0; n < {1}; ++n) parts[({2}) * {3} + {4}] = sum[s][n];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int c = lane; c < {5}; c += {6}) {{
            const place i = first_row + s, j = first_column + c;
            if (i >= all_row || j >= all_column) continue;
            {7} total = 0;
            for (int p = 0; p < {8}; ++p) total += parts[c * {3} + p];
{9}        }}
    }}
}}
)cl",
                           rows, width, mine, partials() + 1, across() ? "lane / 32" : "lane % 32", columns(), lanes(),
                           view.value(), partials(), source_of_outer(view, "total"));
    }
};

} // namespace

std::optional<Launch> launch_of_few(const ProductView& whole) {
    const ProductView view = with_few_rows(whole);
    if (view.matrices.rows > most_rows) return std::nullopt;
    const FewPrinter p{view, int64_t(std::bit_ceil(uint64_t(view.matrices.rows)))};
    Launch launch = begun(view, {p.rows, p.columns(), p.lanes()}, "",
                          fmt::format("    local {} parts[{}];\n", view.value(), p.columns() * (p.partials() + 1)));
    launch.source += p.sums() + p.outer();
    return launch;
}

} // namespace tessera::gpu
