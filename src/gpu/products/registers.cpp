// SPDX-License-Identifier: Apache-2.0
// Products on a GPU: a work-item has a block of results in registers, and adds to all of them for each point of k, by
// fma. The rows of A and columns of B of a group go through local memory, where a point of k has them side by side:
//
//   k        row 0 .. 127 of A       for each k:   x = 8 of A's rows, y = 8 of B's columns
//   k + 1    row 0 .. 127 of A                     sum[i][j] = fma(x[i], y[j], sum[i][j])
//
// Local memory has two chunks of k, so that one barrier a chunk suffices: while some work-items write the next one,
// others may still read this one. Sums are added up in the order of k: results have the same bits in each run, and are
// within k roundings of the sum of the products' magnitudes; those of integers are exact.
#include <algorithm>

#include <fmt/format.h>

#include "gpu/products/blocks.hpp"
#include "gpu/products/bytes.hpp"
#include "gpu/products/pieces.hpp"
#include "gpu/products/results.hpp"
#include "gpu/products/zeros.hpp"

namespace tessera::gpu {

namespace {

struct BlockPrinter {
    static constexpr int64_t width = 4; // of a piece, and of what is read from local memory at once
    const ProductView& view;
    RegisterBlock block;
    Zeros zeros;
    int64_t packed;     // points of k in a number: 4 of bytes that DOT multiplies, else 1
    int64_t chunk = 16; // of k, in such numbers

    // Numbers from a point of k to the next; four more than a power of two, for different banks.
    int64_t pitch(int64_t rows) const { return rows + width; }
    int64_t of_chunk() const { return chunk * (pitch(block.all_rows()) + pitch(block.all_columns())); }

    Pieces pieces(bool left) const {
        const Side side = left ? Side{view.matrices.left, view.rows, "row", "a", block.all_rows()}
                               : Side{view.matrices.right, view.columns, "column", "b", block.all_columns()};
        const bool along_rows = has_dense_rows(view, side, width);
        return {view, side, block.lanes(), chunk * packed, width, along_rows, along_rows || rows_are_near(view, side)};
    }
    std::string written(const Pieces& p) const {
        const int64_t pitch = this->pitch(p.side.rows);
        const std::string_view tile = p.side.tile;
        const std::string number =
            p.along_rows ? fmt::format("c * {} + r + d", pitch) : fmt::format("(c + d) * {} + r", pitch);
        if (packed == 1)
            return p.written("first_k", "",
                             fmt::format("                {}[{}] = inside ? ({})s0 : 0;\n", tile, number, view.value()),
                             "");
        if (p.along_rows)
            return p.written("first_k", "",
                             fmt::format("                ((local uchar*){})[(c / 4 * {} + r + d) * 4 + c % 4] = "
                                         "inside ? (uchar)s0 : 0;\n",
                                         tile, pitch),
                             "");
        return p.written("first_k", "            uint four = 0;\n",
                         "                four |= (inside ? (uint)s0 & 255u : 0) << 8 * d;\n",
                         fmt::format("            {}[c / 4 * {} + r] = four;\n", tile, pitch));
    }
    // Numbers u.. of the `count` of a work-item, which are vectors of `at_once`, a vector for each work-item side by
    // side.
    static int64_t at_once(int64_t count) { return std::min(count, width); }
    std::string loaded(std::string_view to, std::string_view tile, int64_t rows, int64_t items, std::string_view item,
                       int64_t count) const {
        const int64_t n = at_once(count);
        const std::string type = n == 1 ? std::string(view.value()) : fmt::format("{}{}", view.value(), n);
        std::string text = fmt::format("            {} {}[{}];\n", view.value(), to, count);
        for (int64_t u = 0; u < count; u += n) {
            text +=
                fmt::format("            const {0} {1}{2} = *(local const {0}*)({3} + kk * {4} + {5} + {6} * {7});\n",
                            type, to, u, tile, pitch(rows), u * items, item, n);
            for (int64_t i = 0; i < n; ++i)
                text += fmt::format("            {0}[{1}] = {0}{2}{3};\n", to, u + i, u,
                                    n == 1 ? "" : fmt::format(".s{}", i));
        }
        return text;
    }
    std::string sums() const {
        const Pieces left = pieces(true), right = pieces(false);
        return fmt::format(
            R"cl(    const int down = lane / {0}, across = lane % {0};
    {1} sum[{2}][{3}];
#pragma unroll
    for (int i = 0; i < {2}; ++i)
#pragma unroll
        for (int j = 0; j < {3}; ++j) sum[i][j] = 0;
{21}{4}{5}    const place start = 0;
{6}{7}    int other = 0;
    for (place first_k = 0; first_k < depth; first_k += {8}) {{
        local {1}* const a = tile + other * {9};
        local {1}* const b = a + {10};
{11}{12}        barrier(CLK_LOCAL_MEM_FENCE);
        const place next_k = first_k + {8};
        if (next_k < depth) {{
{13}{14}        }}
#pragma unroll
        for (int kk = 0; kk < {18}; ++kk) {{
{15}{16}#pragma unroll
            for (int i = 0; i < {2}; ++i)
#pragma unroll
                for (int j = 0; j < {3}; ++j) {17};
{19}        }}
        other ^= 1;
    }}
{20})cl",
            block.across, view.value(), block.rows, block.columns, left.declared(), right.declared(),
            left.read("start"), right.read("start"), chunk * packed, of_chunk(), chunk * pitch(block.all_rows()),
            written(left), written(right), left.read("next_k"), right.read("next_k"),
            loaded("x", "a", block.all_rows(), block.down, "down", block.rows),
            loaded("y", "b", block.all_columns(), block.across, "across", block.columns),
            view.matrices.type == ValueType::f32 ? "sum[i][j] = fma(x[i], y[j], sum[i][j])"
            : packed == 4                        ? "sum[i][j] = DOT(x[i], y[j], sum[i][j])"
                                                 : "sum[i][j] += x[i] * y[j]",
            chunk, sums_by_ones(), zeros_taken_off(),
            zeros.any() ? fmt::format("    uint sum_a[{0}] = {{0}}, sum_b[{1}] = {{0}}, zero_a[{0}], zero_b[{1}];\n",
                                      block.rows, block.columns)
                        : "");
    }
    std::string sums_by_ones() const {
        std::string text;
        if (zeros.right >= 0)
            text += fmt::format("#pragma unroll\n            for (int i = 0; i < {}; ++i) sum_a[i] = DOT(x[i], "
                                "0x01010101u, sum_a[i]);\n",
                                block.rows);
        if (zeros.left >= 0)
            text += fmt::format("#pragma unroll\n            for (int j = 0; j < {}; ++j) sum_b[j] = "
                                "DOT(0x01010101u, y[j], sum_b[j]);\n",
                                block.columns);
        return text;
    }
    // Where outer() has the results of a work-item.
    std::string zeros_taken_off() const {
        if (!zeros.any()) return "";
        const int64_t v = at_once(block.rows), w = at_once(block.columns);
        return fmt::format(R"cl(#pragma unroll
    for (int n = 0; n < {0}; ++n) {{
        const place i = min(first_row + n / {2} * {3} + down * {2} + n % {2}, all_row - 1);
{6}    }}
#pragma unroll
    for (int n = 0; n < {1}; ++n) {{
        const place i = min(first_column + n / {4} * {5} + across * {4} + n % {4}, all_column - 1);
{7}    }}
#pragma unroll
    for (int i = 0; i < {0}; ++i)
#pragma unroll
        for (int j = 0; j < {1}; ++j)
{8})cl",
                           block.rows, block.columns, v, v * block.down, w, w * block.across,
                           source_of_zero(view, pieces(true).side, zeros.left, "zero_a[n]"),
                           source_of_zero(view, pieces(false).side, zeros.right, "zero_b[n]"),
                           without_zeros(zeros, "sum[i][j]", "sum_a[i]", "sum_b[j]", "zero_a[i]", "zero_b[j]"));
    }
    // Through local memory, a row of every work-item at a time, so that neighbours store neighbours and the program
    // stands in a loop.
    std::string outer() const {
        const int64_t v = at_once(block.rows), w = at_once(block.columns);
        return fmt::format(
            R"cl(
#pragma unroll
    for (int s = 0; s < {0}; ++s) {{
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int j = 0; j < {1}; ++j) tile[down * {2} + j / {3} * {4} + across * {3} + j % {3}] = sum[s][j];
        barrier(CLK_LOCAL_MEM_FENCE);
{5}    }}
}}
)cl",
            block.rows, block.columns, block.all_columns(), w, w * block.across,
            source_of_results(view, {block.down, block.all_columns(), block.all_columns(), block.lanes(), "tile",
                                     fmt::format("s / {0} * {1} + r * {0} + s % {0}", v, v * block.down)}));
    }
};

} // namespace

Launch launch_in_registers(const ProductView& given) {
    ProductView view = given;
    const Zeros zeros = view.row.dots ? take_zeros(view) : Zeros();
    const auto left = sign_of_bytes(view, view.matrices.left), right = sign_of_bytes(view, view.matrices.right);
    const bool dots = view.row.dots && left && right;
    BlockPrinter p{view, register_block_of(view.row, extents_of(view)), zeros, dots ? 4 : 1};
    constexpr int64_t halves = 2, bytes = 4;
    if (halves * p.of_chunk() * bytes > view.row.local_bytes) p.chunk = 8;
    const RegisterBlock& block = p.block;
    const std::string local = fmt::format("    local {} tile[{}] __attribute__((aligned(16)));\n", view.value(),
                                          std::max(halves * p.of_chunk(), block.down * block.all_columns()));
    Launch launch = begun(view, {block.all_rows(), block.all_columns(), block.lanes()},
                          (dots ? source_of_dot(view.row.ptx, *left, *right) : "") + functions_of_results(view), local);
    launch.source += p.sums() + p.outer();
    return launch;
}

} // namespace tessera::gpu
