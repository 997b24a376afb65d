// SPDX-License-Identifier: Apache-2.0
// Products on a GPU, each sum in the order that a reduction has, as in vectors.cpp: the 16 partial sums of a result are
// 16 neighbouring work-items, a team. A block of results, whose rows of A and columns of B go through local memory, has
// a tile of them for each team, all at once.
#include <algorithm>

#include <fmt/format.h>

#include "gpu/products/view.hpp"

namespace tessera::gpu {

namespace {

struct Blocking {
    int64_t tile_rows, tile_columns; // results of a team
    int64_t rows, columns;           // of a block
    int64_t pitch;                   // between rows in local memory
};
constexpr int64_t chunk = 64; // of k; divides 4096

Blocking blocking_of(const DeviceRow& row) {
    const int64_t teams = row.lanes / 16, side = teams >= 16 ? 4 : teams >= 4 ? 2 : 1;
    const int64_t tile = side == 4 ? 8 : 4;
    return {tile, tile, side * tile, teams / side * tile,
            chunk + 16 / tile}; // two teams side by side read from different banks
}

struct Printer {
    const ProductView& view;
    Blocking block;

    // A factor into local memory: rows first_row.., points first_k...
    std::string packed(const Side& side) const {
        const bool dense = side.dense_rows();
        return fmt::format(
            R"cl(
        for (int n = lane; n < {0} * {1}; n += {2}) {{
            const int r = {3}, c = {4};
            const place i = first_{5} + r, k = first_k + c;
            {6} packed = 0;
            if (i < all_{5} && k < depth) {{
{7}            packed = ({6})s0;
            }}
            {8}[r * {9} + c] = packed;
        }}
)cl",
            side.rows, chunk, view.row.lanes, dense ? fmt::format("n % {}", side.rows) : fmt::format("n / {}", chunk),
            dense ? fmt::format("n / {}", side.rows) : fmt::format("n % {}", chunk), side.name, view.value(),
            source_of_element(view, side), side.tile, block.pitch);
    }
    // The products of a tile at `k`.
    std::string multiplied() const {
        std::string text;
        for (int64_t i = 0; i < block.tile_rows; ++i)
            text += fmt::format("                const {0} a{1} = a[{2} + k];\n", view.value(), i, i * block.pitch);
        for (int64_t j = 0; j < block.tile_columns; ++j) {
            text += fmt::format("                const {0} b{1} = b[{2} + k];\n", view.value(), j, j * block.pitch);
            for (int64_t i = 0; i < block.tile_rows; ++i)
                text += fmt::format("                sum{0}_{1} += a{0} * b{1};\n", i, j);
        }
        return text;
    }
    std::string sums() const {
        std::string joins, zeros;
        for (int64_t i = 0; i < block.tile_rows; ++i) {
            for (int64_t j = 0; j < block.tile_columns; ++j) {
                zeros += fmt::format("    {} sum{}_{} = 0;\n", view.value(), i, j);
                joins += fmt::format("        joining[{0} * {1} + lane] = sum{2}_{0}, sum{2}_{0} = 0;\n", j,
                                     view.row.lanes, i);
            }
            joins += fmt::format(R"cl(        barrier(CLK_LOCAL_MEM_FENCE);
        if (of_team < {0}) {{
            local {1}* const sums = joining + of_team * {2} + team * 16;
            JOINED_IN(sums, totals[(tile_row + {3}) * {4} + tile_column + of_team]);
        }}
        barrier(CLK_LOCAL_MEM_FENCE);
)cl",
                                 block.tile_columns, view.value(), view.row.lanes, i, block.columns);
        }
        const Side left{view.matrices.left, view.rows, "row", "a_tile", block.rows};
        const Side right{view.matrices.right, view.columns, "column", "b_tile", block.columns};
        return fmt::format(
            R"cl(
    const int team = lane / 16, of_team = lane % 16;
    const int tile_row = team / {0} * {1}, tile_column = team % {0} * {2};
    local const {3}* const a = a_tile + tile_row * {4} + of_team;
    local const {3}* const b = b_tile + tile_column * {4} + of_team;
    local {3}* const joining = a_tile; // which is not read at that time
{5}    for (place first_k = 0; first_k < depth; first_k += {6}) {{
{7}{8}        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < {6}; k += 16) {{
{9}        }}
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((first_k + {6}) % 4096 != 0 && first_k + {6} < depth) continue;
        const bool starts = first_k < 4096;
{10}    }}
    for (int n = lane; n < {11} * {12}; n += {13}) {{
        const int r = n / {12}, c = n % {12};
        const place i = first_row + r, j = first_column + c;
        if (i >= all_row || j >= all_column) continue;
{14}    }}
}}
)cl",
            block.columns / block.tile_columns, block.tile_rows, block.tile_columns, view.value(), block.pitch, zeros,
            chunk, packed(left), packed(right), multiplied(), joins, block.rows, block.columns, view.row.lanes,
            source_of_outer(view, fmt::format("totals[r * {} + c]", block.columns)));
    }
};

// The pairs are those of a reduction: 8 apart, 4, 2, 1.
constexpr std::string_view joining = R"cl(
#define JOINED_IN(from, total)                                                                                         \
    do {                                                                                                               \
        const VALUE8 low = vload8(0, from), high = vload8(1, from), by8 = low + high;                                  \
        const VALUE4 by4 = by8.lo + by8.hi;                                                                            \
        const VALUE2 by2 = by4.lo + by4.hi;                                                                            \
        const VALUE one = by2.lo + by2.hi;                                                                             \
        total = starts ? one : total + one;                                                                            \
    } while (0)
)cl";

} // namespace

Launch launch_in_teams(const ProductView& view) {
    const Printer p{view, blocking_of(view.row)};
    const Blocking& block = p.block;
    const std::string front =
        fmt::format("#define VALUE {0}\n#define VALUE2 {0}2\n#define VALUE4 {0}4\n#define VALUE8 {0}8\n",
                    view.value()) +
        std::string(joining);
    const std::string local = fmt::format("    local {} a_tile[{}], b_tile[{}], totals[{}];\n", view.value(),
                                          std::max(block.rows * block.pitch, block.tile_columns * view.row.lanes),
                                          block.columns * block.pitch, block.rows * block.columns);
    Launch launch = begun(view, {block.rows, block.columns, view.row.lanes}, front, local);
    launch.source += p.sums();
    return launch;
}

} // namespace tessera::gpu
