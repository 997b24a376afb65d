// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/pieces.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"

namespace tessera::gpu {

int Pieces::code_bits() const { return std::max(8, bits(view.plan.operands[size_t(side.matrix())].type)); }
int64_t Pieces::of_lane() const { return ceil_div(of_block(), lanes); }

// Whether pieces are neighbours in memory; on the device it is left to see whether they are aligned.
bool Pieces::may_be_vectors() const {
    const auto o = size_t(side.matrix());
    const Way &along = along_rows ? side.ways[o] : view.depth[o], &across = along_rows ? view.depth[o] : side.ways[o];
    const bool stays_aligned = !across.table || (across.run == 1 && across.multiple >= width);
    return bits(view.plan.operands[o].type) >= 8 && along.is_dense(width) && stays_aligned;
}

bool Pieces::are_whole() const {
    const auto depth = &ProductLoops::depth;
    return may_be_vectors() && (along_rows ? has_whole(view, side.matrix(), side.loop(), depth, width)
                                           : has_whole(view, side.matrix(), depth, side.loop(), width));
}

std::string Pieces::declared() const {
    const int o = side.matrix();
    std::string text = fmt::format(R"cl(    uint {0}_words[{1}];
    place {0}_at[{2}]; // of pieces at k = 0: tables of rows are read once
#pragma unroll
    for (int q = 0; q < {2}; ++q) {{
        const int n = lane + q * {3};
{4}        const place i = min(first_{0} + r, all_{0} - {7});
        {0}_at[q] = in_batch{5}{6};
    }}
)cl",
                                   side.name, of_lane() * words(), of_lane(), lanes, place_of_piece(), o,
                                   along(side.ways, side.name, "i", size_t(o)), along_rows && are_whole() ? width : 1);
    if (may_be_vectors() && !are_whole())
        text +=
            fmt::format("    const bool {0}_vectors = (((size_t)o{1} + (size_t)in_batch{1} * {2}) | "
                        "(size_t)({3} * {2})) % {4} == 0;\n",
                        side.name, o, code_bits() / 8, fmt::format("stride_{}{}", along_rows ? "depth" : side.name, o),
                        std::min<int64_t>(words() * 4, 16));
    return text;
}

std::string Pieces::place_of_piece() const {
    const int64_t rows = along_rows ? side.rows / width : side.rows, points = along_rows ? chunk : chunk / width;
    const std::string first = rows_go_first ? fmt::format("(n % {})", rows) : fmt::format("(n / {})", points);
    const std::string second = rows_go_first ? fmt::format("(n / {})", rows) : fmt::format("(n % {})", points);
    const auto times = [&](bool along) { return along ? fmt::format(" * {}", width) : std::string(); };
    return fmt::format("            const int r = {}{}, c = {}{};\n", first, times(along_rows), second,
                       times(!along_rows));
}

// The pieces of a chunk that are whole, by `vector`.
std::string Pieces::each_whole(std::string_view first_k, const std::string& vector) const {
    const int o = side.matrix();
    return fmt::format(R"cl(
#pragma unroll
        for (int q = 0; q < {0}; ++q) {{
            const int n = lane + q * {1};
{2}{3}            const place first_c = {4} + c, k = min(first_c, depth - {5});
            const place e{6} = {7}_at[q]{8};
{9}        }}
)cl",
                       of_lane(), lanes, past_the_end(), place_of_piece(), first_k, along_rows ? 1 : width, o,
                       side.name, along(view.depth, "depth", "k", size_t(o)), vector);
}

// The pieces of a chunk: as vectors by `vector`, which has the place in e, otherwise element d for d by `element`
// between `start` and `end`.
std::string Pieces::each(std::string_view first_k, const std::string& vector, std::string_view start,
                         std::string_view element, std::string_view end) const {
    const int o = side.matrix();
    const std::string from_row =
        fmt::format("    const place e{} = {}_at[q]{};\n", o, side.name, along(view.depth, "depth", "k", size_t(o)));
    std::string vectors;
    if (may_be_vectors())
        vectors = fmt::format(R"cl(            if ({0}_vectors && {1}) {{
                const place k = first_c;
{2}{3}            }} else
)cl",
                              side.name,
                              along_rows ? fmt::format("first_i + {} < all_{} && first_c < depth", width - 1, side.name)
                                         : fmt::format("first_c + {} < depth", width - 1),
                              from_row, vector);
    return fmt::format(R"cl(
#pragma unroll
        for (int q = 0; q < {0}; ++q) {{
            const int n = lane + q * {1};
{2}{3}            const place first_i = first_{4} + r, first_c = {5} + c;
{6}            {{
{7}#pragma unroll
                for (int d = 0; d < {8}; ++d) {{
                    const place i = min(first_i{9}, all_{4} - 1), in_depth = first_c{10}, k = min(in_depth, depth - 1);
{11}                    {12};
                }}
{13}            }}
        }}
)cl",
                       of_lane(), lanes, past_the_end(), place_of_piece(), side.name, first_k, vectors, start, width,
                       along_rows ? " + d" : "", along_rows ? "" : " + d",
                       along_rows ? source_of_places(view, side, Of::matrix) : from_row, element, end);
}

std::string Pieces::past_the_end() const {
    return of_block() % lanes ? fmt::format("            if (n >= {}) break;\n", of_block()) : "";
}

std::string Pieces::read(std::string_view first_k) const {
    const int o = side.matrix(), width_bits = code_bits();
    const int64_t at_once = std::min<int64_t>(words(), 4);
    const std::string type = at_once == 1 ? "uint" : fmt::format("uint{}", at_once);
    std::string vector;
    for (int64_t w = 0; w < words(); w += at_once) {
        const std::string from = fmt::format("(o{0} + (size_t)e{0} * {1} + {2})", o, width_bits / 8, w * 4);
        if (view.row.ptx && at_once > 1) { // clang makes four loads of one vector, which it shares with the other path
            std::string registers, outputs;
            for (int64_t i = 0; i < at_once; ++i) {
                registers += fmt::format("{}%{}", i ? "," : "", i);
                outputs += fmt::format("{}\"=r\"({}_words[q * {} + {}])", i ? ", " : "", side.name, words(), w + i);
            }
            vector += fmt::format("                __asm__(\"ld.global.v{}.u32 {{{}}}, [%{}];\" : {} : \"l\"{});\n",
                                  at_once, registers, at_once, outputs, from);
            continue;
        }
        vector += fmt::format("                const {0} t{1} = *(global const {0}*){2};\n", type, w, from);
        for (int64_t i = 0; i < at_once; ++i)
            vector += fmt::format("                {}_words[q * {} + {}] = t{}{};\n", side.name, words(), w + i, w,
                                  at_once == 1 ? "" : fmt::format(".s{}", i));
    }
    if (are_whole()) return each_whole(first_k, vector);
    return each(
        first_k, vector,
        fmt::format("#pragma unroll\n                for (int w = 0; w < {0}; ++w) {1}_words[q * {0} + w] = 0;\n",
                    words(), side.name),
        fmt::format("{0}_words[q * {1} + d * {2} / 32] |= (uint){3} << d * {2} % 32", side.name, words(), width_bits,
                    source_of_code(o, view.plan.operands[size_t(o)].type)),
        "");
}

std::string Pieces::copied(std::string_view first_k, std::string_view at) const {
    const int o = side.matrix();
    return each_whole(first_k, fmt::format("            COPY16({0}, o{1} + (size_t)e{1} * {2}, first_c < depth);\n", at,
                                           o, code_bits() / 8));
}

std::string Pieces::written(std::string_view first_k, std::string_view start, std::string_view each,
                            std::string_view whole) const {
    const int width_bits = code_bits();
    const std::string code = width_bits == 32
                                 ? fmt::format("{}_words[q * {} + d]", side.name, words())
                                 : fmt::format("{}_words[q * {} + d * {} / 32] >> d * {} % 32 & {}u", side.name,
                                               words(), width_bits, width_bits, (1u << width_bits) - 1);
    return fmt::format(R"cl(
#pragma unroll
        for (int q = 0; q < {0}; ++q) {{
            const int n = lane + q * {1};
{2}{3}{4}#pragma unroll
            for (int d = 0; d < {5}; ++d) {{
                const place i = min(first_{6} + r{7}, all_{6} - 1), in_depth = {8} + c{9}, k = min(in_depth, depth - 1);
                const bool inside = in_depth < depth;
                const uint code = {10};
{11}{12}{13}            }}
{14}        }}
)cl",
                       of_lane(), lanes, past_the_end(), place_of_piece(), start, width, side.name,
                       along_rows ? " + d" : "", first_k, along_rows ? "" : " + d", code,
                       source_of_places(view, side, Of::others),
                       source_of_value(view, side, {.staged = side.matrix(), .code = "code"}), each, whole);
}

} // namespace tessera::gpu
