// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/factors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::gpu {

namespace {

constexpr int64_t bank_bytes = 128; // of all banks of local memory together

// Whether the matrix is stored in this form.
bool is_stored(const ProductView& view, const MatrixFactor& f, Form form) {
    const DataType type = view.plan.operands[size_t(f.factor.operand)].type;
    if (f.factor.zero >= 0 || f.factor.scale >= 0) return false;
    return form == Form::tf32 ? type == DataType::f32 : tessera::name(type) == name(form);
}

} // namespace

TensorFactor TensorFactor::of(const ProductView& view, const Side& side, int64_t lanes, Form form, const Tile& tile,
                              int64_t tiles) {
    const int64_t bytes = bytes_of(form), width = 16 / bytes;
    const bool transposed = bytes == 2 && has_dense_rows(view, side, width);
    const Pieces pieces{
        view, side, lanes, chunk_bytes / bytes, width, transposed, transposed || rows_are_near(view, side)};
    const bool stored = is_stored(view, side.factor, form);
    return {pieces,     form,
            tile,       side.name == "row",
            stored,     tile.is_warp() && stored && pieces.are_whole(),
            transposed, transposed ? side.rows * bytes : chunk_bytes,
            tiles};
}

// The place of a piece of 16 bytes of a line; `low` is line % 8.
std::string TensorFactor::at(std::string_view in, std::string_view line, std::string_view piece,
                             std::string_view low) const {
    return fmt::format("{} + ({}) * {} + (({}) ^ ({}) / {}) * 16", in, line, pitch, piece, low,
                       std::max<int64_t>(bank_bytes / pitch, 1));
}

std::string TensorFactor::place_of_piece(std::string_view in) const {
    const std::string_view line = transposed ? "c" : "r", along = transposed ? "r" : "c";
    return at(in, line, fmt::format("{} / {}", along, pieces.width), fmt::format("{} % 8", line));
}

std::string TensorFactor::converted() const {
    if (stored) return "code";
    switch (form) {
    case Form::bf16:
        return "narrow_bf16(s0)";
    case Form::f16:
        return "narrow_f16(s0)";
    case Form::tf32:
        return "round_tf32(s0)";
    default:
        return "((uint)s0 & 255u)";
    }
}

std::string TensorFactor::read() const { return copied ? "" : pieces.read("next_k"); }

std::string TensorFactor::copies(std::string_view to) const {
    return copied ? pieces.copied("far_k", place_of_piece(to)) : "";
}

std::string TensorFactor::written() const {
    if (copied) return "";
    const int bytes = bytes_of(form);
    const std::string put = bytes == 4 ? fmt::format("packed[d] = inside ? {} : 0", converted())
                                       : fmt::format("packed[d / {0}] |= (inside ? {1} : 0) << d % {0} * {2}",
                                                     4 / bytes, converted(), 8 * bytes);
    return pieces.written("first_k", "            uint packed[4] = {0, 0, 0, 0};\n",
                          fmt::format("                {};\n", put),
                          fmt::format("            *(local uint4*)({}) = (uint4)(packed[0], packed[1], packed[2], "
                                      "packed[3]);\n",
                                      place_of_piece(pieces.side.tile)));
}

std::string TensorFactor::fragments(std::string_view name) const {
    return fmt::format("            uint {}[{}];\n", name, tiles * words()) +
           (tile.is_warp() ? fragments_of_warp(name) : fragments_of_sub_group(name));
}

std::string TensorFactor::fragments_of_warp(std::string_view name) const {
    // Of the four matrices the odd ones are further along the rows of A, but further along k of B.
    const std::string_view odd = "in_warp / 8 % 2", upper = "in_warp / 16";
    const std::string_view second = left ? upper : odd; // along k, halves of 16 bytes
    const std::string row =
        fmt::format("{} + {} * 8", left ? "warp_row + n * 16" : "warp_column + n * 8", left ? odd : upper);
    const std::string_view in = pieces.side.tile;
    const std::string place =
        transposed
            ? at(in, fmt::format("kk / 2 + {} * 8 + in_warp % 8", second), fmt::format("({}) / 8", row), "in_warp % 8")
            : at(in, row + " + in_warp % 8", fmt::format("kk / 16 + {}", second), "in_warp % 8");
    return fmt::format("#pragma unroll\n            for (int n = 0; n < {}; n += {}) {}({} + n * {}, {});\n", tiles,
                       left ? 1 : 2, transposed ? "READ_TRANSPOSED" : "READ_MATRICES", name, words(), place);
}

// A work-item of 16 has 2 bytes of each row of A, one of 8 has 4; of B it has a column.
std::string TensorFactor::fragments_of_sub_group(std::string_view name) const {
    const std::string_view in = pieces.side.tile;
    const int64_t of_lane = 32 / tile.lanes;
    const auto loop = [&](int64_t count, const std::string& body) {
        return fmt::format("#pragma unroll\n            for (int n = 0; n < {}; ++n) {{\n{}            }}\n", count,
                           body);
    };
    const auto halves = [](std::string_view to, const std::string& low, const std::string& high) {
        return fmt::format("                    {} = *(local const ushort*)({}) |\n"
                           "                         (uint)*(local const ushort*)({}) << 16;\n",
                           to, low, high);
    };
    const auto each = [](int count, const std::string& body) {
        return fmt::format("#pragma unroll\n                for (int w = 0; w < {}; ++w) {{\n{}                }}\n",
                           count, body);
    };
    const std::string word = fmt::format("{}[n * {} + w]", name, words());
    if (!left) {
        const std::string column = fmt::format("warp_column + n * {} + in_warp", tile.columns);
        if (transposed) {
            const auto half = [&](int odd) {
                return at(in, fmt::format("kk / 2 + w * 2 + {}", odd), fmt::format("({}) / 8", column),
                          fmt::format("w * 2 % 8 + {}", odd)) +
                       fmt::format(" + ({}) % 8 * 2", column);
            };
            return loop(tiles, each(8, halves(word, half(0), half(1))));
        }
        return loop(tiles, each(8, fmt::format("                    {} = *(local const uint*)({} + w % 4 * 4);\n", word,
                                               at(in, column, "kk / 16 + w / 4", "in_warp % 8"))));
    }
    const std::string row = "warp_row + n * 8";
    if (transposed) {
        const std::string piece = fmt::format("({}) / 8", row);
        if (tile.lanes == 16)
            return loop(tiles, each(4, fmt::format("                    {} = *(local const uint*)({} + w * 4);\n", word,
                                                   at(in, "kk / 2 + in_warp", piece, "in_warp % 8"))));
        const auto half = [&](int odd) {
            return at(in, fmt::format("kk / 2 + in_warp * 2 + {}", odd), piece,
                      fmt::format("in_warp * 2 % 8 + {}", odd)) +
                   " + w * 2";
        };
        return loop(tiles, each(8, halves(word, half(0), half(1))));
    }
    const auto bytes_of_row = [&](std::string_view r) {
        return at(in, fmt::format("{} + {}", row, r), fmt::format("kk / 16 + in_warp * {} / 16", of_lane), r) +
               fmt::format(" + in_warp * {} % 16", of_lane);
    };
    if (tile.lanes == 16) return loop(tiles, each(4, halves(word, bytes_of_row("w * 2"), bytes_of_row("w * 2 + 1"))));
    return loop(tiles,
                each(8, fmt::format("                    {} = *(local const uint*)({});\n", word, bytes_of_row("w"))));
}

} // namespace tessera::gpu
