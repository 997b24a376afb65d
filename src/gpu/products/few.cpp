// SPDX-License-Identifier: Apache-2.0
// Products of few rows, or of few columns, on a GPU: the other factor, which is nearly all that is read, goes through
// registers once and past local memory, neighbouring work-items reading neighbours. `long` are its rows, `short` the
// few rows of the other one.
//
//   dense along its rows    each 32 work-items have 128 rows, at points of k of their own; sum[short][4 rows]
//   anything else           each 32 work-items have 128 points of k, of rows of their own; sum[short][4 rows]
//
// Where there are fewer rows, fewer work-items share them and the others have further points of k: 8 rows take 2.
//
// This kernel is for factors whose values are read once. Rows that overlap, as pixels under the taps of a convolution
// do, are read faster through local memory, and so are rows that are too short for all work-items.
//
// Partial sums of a row, those of the work-items that have it, are added up through local memory: by halves while they
// are more than 32, then in the order of their numbers.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gpu/products/pieces.hpp"

namespace tessera::gpu {

namespace {

constexpr int64_t most_rows = 8, width = 4;

ProductView with_few_rows(ProductView view) {
    if (view.matrices.columns < view.matrices.rows) turn(view);
    return view;
}

struct FewPrinter {
    const ProductView& view;
    int64_t rows;        // of the short side, a power of two
    int64_t abreast = 1; // work-items with different columns, a power of two

    int64_t lanes() const { return view.row.lanes; }
    bool across() const { return view.columns[size_t(view.matrices.right.factor.operand)].is_dense(width); }
    int64_t columns() const { return abreast * width; }
    int64_t partials() const { return lanes() / abreast; } // of a result
    int64_t points() const { return partials() * width; }  // of k, at once

    void choose_abreast() {
        constexpr int64_t team = 32; // which a GPU runs at once, so that it reads neighbours
        const int64_t most = across() ? team : lanes() / team;
        const auto columns_of = [](const ProductLoops& part) { return part.columns.extent; };
        const int64_t needed = columns_of(*std::ranges::max_element(view.parts, {}, columns_of));
        while (abreast < most && (columns() < needed || points() > view.matrices.depth)) abreast *= 2;
    }

    Pieces pieces() const {
        const Side side{view.matrices.right, view.columns, "column", "", columns()};
        return {view, side, lanes(), points(), width, across(), across()};
    }
    // The short side at a point of k, once for all columns of a work-item.
    std::string read_short(std::string_view to, std::string_view point) const {
        const Side left{view.matrices.left, view.rows, "row", "", rows};
        return fmt::format(R"cl(            for (int s = 0; s < {0}; ++s) {{
                const place i = min(first_row + s, all_row - 1), k = min(first_k + {1}, depth - 1);
{2}{3}                {4} = ({5})s0;
            }}
)cl",
                           rows, point, source_of_places(view, left, Of::all), source_of_value(view, left), to,
                           view.value());
    }
    std::string sums() const {
        const Pieces p = pieces();
        const std::string_view x = across() ? "x[s]" : "x[d][s]", sum = across() ? "sum[s][d]" : "sum[s][q]";
        const std::string each =
            fmt::format(R"cl(                const {0} y = ({0})s0;
                if (inside) {{
#pragma unroll
                    for (int s = 0; s < {1}; ++s) {2};
                }}
)cl",
                        view.value(), rows,
                        view.matrices.type == ValueType::f32 ? fmt::format("{0} = fma({1}, y, {0})", sum, x)
                                                             : fmt::format("{} += {} * y", sum, x));
        std::string of_piece, of_chunk;
        if (across())
            of_piece =
                fmt::format("            {} x[{}];\n#pragma unroll\n", view.value(), rows) + read_short("x[s]", "c");
        else
            of_chunk = fmt::format(R"cl(        {} x[{}][{}];
#pragma unroll
        for (int d = 0; d < {}; ++d)
#pragma unroll
)cl",
                                   view.value(), width, rows, width) +
                       read_short("x[d][s]", fmt::format("lane % {} * {} + d", partials(), width));
        return fmt::format(R"cl(    {0} sum[{1}][{2}];
#pragma unroll
    for (int s = 0; s < {1}; ++s)
#pragma unroll
        for (int n = 0; n < {2}; ++n) sum[s][n] = 0;
{3}    for (place first_k = 0; first_k < depth; first_k += {4}) {{
{5}{6}{7}    }}
)cl",
                           view.value(), rows, width, p.declared(), p.chunk, p.read("first_k"), of_chunk,
                           p.written("first_k", of_piece, each, ""));
    }
    // Partial sum p of column c in parts[c * pitch + p].
    std::string outer() const {
        const std::string mine = across() ? fmt::format("lane % {} * {} + n", abreast, width)
                                          : fmt::format("lane / {} + n * {}", partials(), abreast);
        const std::string partial = across() ? fmt::format("lane / {}", abreast) : fmt::format("lane % {}", partials());
        constexpr int64_t most_in_turn = 32;
        std::string halved;
        const int64_t in_turn = std::min(partials(), most_in_turn);
        if (partials() > in_turn)
            halved = fmt::format(R"cl(        for (int rest = {0}; rest >= {1}; rest /= 2) {{
            for (int c = lane; c < rest * {2}; c += {3})
                parts[c / rest * {4} + c % rest] += parts[c / rest * {4} + c % rest + rest];
            barrier(CLK_LOCAL_MEM_FENCE);
        }}
)cl",
                                 partials() / 2, in_turn, columns(), lanes(), partials() + 1);
        return fmt::format(R"cl(
#pragma unroll
    for (int s = 0; s < {0}; ++s) {{
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int n = 0; n < {1}; ++n) parts[({2}) * {3} + {4}] = sum[s][n];
        barrier(CLK_LOCAL_MEM_FENCE);
{10}        for (int c = lane; c < {5}; c += {6}) {{
            const place i = first_row + s, j = first_column + c;
            if (i >= all_row || j >= all_column) continue;
            {7} total = 0;
            for (int p = 0; p < {8}; ++p) total += parts[c * {3} + p];
{9}        }}
    }}
}}
)cl",
                           rows, width, mine, partials() + 1, partial, columns(), lanes(), view.value(), in_turn,
                           source_of_outer(view, "total"), halved);
    }
};

} // namespace

std::optional<Launch> launch_of_few(const ProductView& whole) {
    const ProductView view = with_few_rows(whole);
    if (view.matrices.rows > most_rows) return std::nullopt;
    FewPrinter p{view, int64_t(std::bit_ceil(uint64_t(view.matrices.rows)))};
    p.choose_abreast();
    if (view.right_reads >= 2 || view.matrices.depth < p.points() / 2) return std::nullopt;
    Launch launch = begun(view, {p.rows, p.columns(), p.lanes()}, "",
                          fmt::format("    local {} parts[{}];\n", view.value(), p.columns() * (p.partials() + 1)));
    launch.source += p.sums() + p.outer();
    return launch;
}

} // namespace tessera::gpu
