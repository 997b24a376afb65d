// SPDX-License-Identifier: Apache-2.0
// Products on a processor, a work-item a group, each sum in the order that a reduction has
// (core/program/reduction.hpp): 16 partial sums, point k in partial sum k mod 16 of its block of 4096. Products are
// rounded before they are added, as in the interpreter of plans, so that results are equal bit for bit.
//
// The rows of A and columns of B of a block of results go through local memory, `chunk` points of k at a time,
// converted to the type of the sum. There a row has its points of k side by side, so that the 16 partial sums are a
// vector:
//
//   float16 sum_i_j += a_i * b_j      a tile of results in registers, then the next tile of the block
//
// Zeros behind the end of k change no sum: partial sums start from +0, and +0 added to anything else leaves it.
#include <fmt/format.h>

#include "gpu/products/view.hpp"

namespace tessera::gpu {

namespace {

struct Blocking {
    int64_t tile_rows = 4, tile_columns = 4; // results of a vector's tile
    int64_t rows = 32, columns = 32;         // of a block
};
constexpr int64_t chunk = 512; // of k; divides 4096
constexpr int64_t pitch = 528; // between rows in local memory

Blocking blocking_of(const DeviceRow& row, const Matrices& m) {
    Blocking b;
    // A row or column alone takes no registers for three more.
    b.tile_rows = m.rows == 1 ? 1 : 4, b.tile_columns = m.columns == 1 ? 1 : 4;
    if (row.vector_floats < 16 && b.tile_rows == 4) b.tile_rows = 2; // of 16 registers a sum takes two
    b.rows = b.tile_rows == 1 ? 1 : 32, b.columns = b.tile_columns == 1 ? 1 : 32;
    return b;
}

struct VectorPrinter {
    const ProductView& view;
    Blocking block;

    // A factor into local memory: rows first_row.., points first_k...
    std::string packed(const Side& side) const {
        const std::string element = source_of_places(view, side, Of::all) + source_of_value(view, side);
        if (has_dense_rows(view, side, 2) && side.rows % 8 == 0)
            return fmt::format(R"cl(
        for (place c = 0; c < padded_points; c += 8) {{
            {0} buffered[8 * {1}];
            for (int n = 0; n < 8; ++n) {{
                const place k = first_k + c + n;
                for (place r = 0; c + n < points && r < {2}s; ++r) {{
                    const place i = first_{2} + r;
{3}                    buffered[n * {1} + r] = ({0})s0;
                }}
                for (place r = c + n < points ? {2}s : 0; r < ({2}s + 7) / 8 * 8; ++r) buffered[n * {1} + r] = 0;
            }}
            for (place r = 0; r < {2}s; r += 8)
                transposed((uint*)(buffered + r), {1}, (local uint*)({4} + r * {5} + c), {5});
        }}
)cl",
                               view.value(), side.rows, side.name, element, side.tile, pitch);
        const std::string one = fmt::format(R"cl(            {{
{0}            {1}[r * {2} + c] = ({3})s0;
            }}
)cl",
                                            element, side.tile, pitch, view.value());
        const std::string over_rows = fmt::format(
            "        for (place r = 0; r < {0}s; ++r) {{\n            const place i = first_{0} + r;\n", side.name);
        const std::string over_depth =
            "        for (place c = 0; c < points; ++c) {\n            const place k = first_k + c;\n";
        return (has_dense_rows(view, side, 2) ? over_depth + over_rows : over_rows + over_depth) + one +
               "        }}\n" +
               fmt::format(
                   "        for (place r = 0; r < padded_{0}s; ++r)\n"
                   "            for (place c = r < {0}s ? points : 0; c < padded_points; ++c) {1}[r * {2} + c] = 0;\n",
                   side.name, side.tile, pitch);
    }
    template <typename F> std::string each_of_tile(F f) const {
        std::string text;
        for (int64_t i = 0; i < block.tile_rows; ++i)
            for (int64_t j = 0; j < block.tile_columns; ++j) text += f(i, j);
        return text;
    }
    // The products of a tile at `k`.
    std::string multiplied() const {
        std::string text;
        for (int64_t i = 0; i < block.tile_rows; ++i)
            text += fmt::format("                const {0}16 a{1} = vload16(0, a + {2} + k);\n", view.value(), i,
                                i * pitch);
        for (int64_t j = 0; j < block.tile_columns; ++j) {
            text += fmt::format("                const {0}16 b{1} = vload16(0, b + {2} + k);\n", view.value(), j,
                                j * pitch);
            for (int64_t i = 0; i < block.tile_rows; ++i)
                text += fmt::format("                sum{0}_{1} += a{0} * b{1};\n", i, j);
        }
        return text;
    }
    std::string sums() const {
        const std::string type = std::string(view.value()) + "16";
        const Side left{view.matrices.left, view.rows, "row", "a_tile", block.rows};
        const Side right{view.matrices.right, view.columns, "column", "b_tile", block.columns};
        return fmt::format(
            R"cl(    for (place first_k = 0; first_k < depth; first_k += {1}) {{
        const place points = min(depth - first_k, (place){1}), padded_points = (points + 15) & ~15;
        const bool starts = first_k % 4096 == 0, ends = (first_k + {1}) % 4096 == 0 || first_k + {1} >= depth;
{2}{3}
        for (place i = 0; i < rows; i += {4})
            for (place j = 0; j < columns; j += {5}) {{
            local const {6}* const a = a_tile + i * {7};
            local const {6}* const b = b_tile + j * {7};
            local {0}* const partials = partial + i * {8} + j;
{9}            for (place k = 0; k < padded_points; k += 16) {{
{10}            }}
            if (!ends) {{
{11}                continue;
            }}
            local {6}* const total = totals + i * {8} + j;
{12}        }}
    }}
    for (place r = 0; r < rows; ++r)
        for (place c = 0; c < columns; ++c) {{
            const place i = first_row + r, j = first_column + c;
{13}        }}
}}
)cl",
            type, chunk, packed(left), packed(right), block.tile_rows, block.tile_columns, view.value(), pitch,
            block.columns, each_of_tile([&](int64_t i, int64_t j) {
                return fmt::format("            {0} sum{1}_{2} = starts ? ({0})0 : partials[{3}];\n", type, i, j,
                                   i * block.columns + j);
            }),
            multiplied(), each_of_tile([&](int64_t i, int64_t j) {
                return fmt::format("                partials[{2}] = sum{0}_{1};\n", i, j, i * block.columns + j);
            }),
            each_of_tile([&](int64_t i, int64_t j) {
                return fmt::format("            JOINED(sum{0}_{1}, total[{2}]);\n", i, j, i * block.columns + j);
            }),
            source_of_outer(view, fmt::format("totals[r * {} + c]", block.columns)));
    }
};

// The pairs of JOINED are those of a reduction: 8 apart, 4, 2, 1.
constexpr std::string_view joining = R"cl(
#define JOINED(sums, total)                                                                                            \
    do {                                                                                                               \
        const VALUE8 by8 = (sums).lo + (sums).hi;                                                                      \
        const VALUE4 by4 = by8.lo + by8.hi;                                                                            \
        const VALUE2 by2 = by4.lo + by4.hi;                                                                            \
        const VALUE one = by2.lo + by2.hi;                                                                             \
        total = first_k < 4096 ? one : total + one;                                                                    \
    } while (0)
)cl";

} // namespace

Launch launch_in_vectors(const ProductView& view) {
    const VectorPrinter p{view, blocking_of(view.row, view.matrices)};
    const Blocking& block = p.block;
    const std::string front =
        fmt::format("#define VALUE {0}\n#define VALUE2 {0}2\n#define VALUE4 {0}4\n#define VALUE8 {0}8\n",
                    view.value()) +
        std::string(joining) + source_of_transposes(32, "");
    const std::string local =
        fmt::format("    local {0} a_tile[{1}], b_tile[{2}], totals[{3}];\n    local {0}16 partial[{3}];\n",
                    view.value(), block.rows * pitch, block.columns * pitch, block.rows * block.columns);
    Launch launch = begun(view, {block.rows, block.columns, 1}, front, local);
    launch.source += fmt::format(
        "    const place rows = min(all_row - first_row, (place){}), columns = min(all_column - first_column, "
        "(place){});\n"
        "    const place padded_rows = (rows + {}) / {} * {}, padded_columns = (columns + {}) / {} * {};\n",
        block.rows, block.columns, block.tile_rows - 1, block.tile_rows, block.tile_rows, block.tile_columns - 1,
        block.tile_columns, block.tile_columns);
    launch.source += p.sums();
    return launch;
}

} // namespace tessera::gpu
