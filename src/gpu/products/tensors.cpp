// SPDX-License-Identifier: Apache-2.0
// Products by tensor cores (fragments.hpp), for factors that these take without a rounding of their own, or that the
// attributes allow to be rounded. A warp has tiles of results, which are fed from local memory, where some chunks of k
// lie, the stages: one is read while others are on their way. In a chunk the elements of a row are side by side along
// k, or, of 16 bits and dense along rows in global memory, the rows of a point of k, which are transposed when they are
// read:
//
//   k is dense    line 0 = row 0   k 0 .. 31        READ_MATRICES
//   rows are      line 0 = k 0     row 0 .. 127     READ_TRANSPOSED
//
// Eight lines from a multiple of 8 are read at once, 16 bytes of each, which must lie in different banks: the pieces of
// 16 bytes of line n change places with those whose number differs by n % 8 in its bits (by n % 8 / 2 of lines of 64
// bytes, two of which fill the banks). Lines with a gap of 16 bytes would do, too, but three stages of 128 x 128
// results would take 60 KiB in place of the 48 that there are.
//
// What is stored as tensor cores take it is copied past the registers, all stages but one ahead: of 128 x 128 bf16
// results a chunk has products for 256 cycles, and global memory takes 700. Anything else is read a chunk ahead and
// converted on its way.
#include <algorithm>

#include <fmt/format.h>

#include "gpu/products/blocks.hpp"
#include "gpu/products/bytes.hpp"
#include "gpu/products/fragments.hpp"
#include "gpu/products/pieces.hpp"
#include "gpu/products/zeros.hpp"

namespace tessera::gpu {

namespace {

// Forms that hold the factor, the fastest ones first. Those of 8 bits with a floating point are multiplied as f16,
// which holds them: tensor cores add up products of the 8-bit forms with fewer bits than f32 has.
std::vector<Form> forms_of(const ProductView& view, const MatrixFactor& f) {
    const DataType type = view.plan.operands[size_t(f.factor.operand)].type;
    const bool computed = f.factor.zero >= 0 || f.factor.scale >= 0;
    if (const auto sign = sign_of_bytes(view, f)) return {*sign ? Form::s8 : Form::u8};
    if (view.matrices.type == ValueType::s32) return {};
    if (computed || type == DataType::f32) {
        std::vector<Form> forms;
        for (const auto& [mode, form] :
             {std::pair(FpmathMode::bf16, Form::bf16), {FpmathMode::f16, Form::f16}, {FpmathMode::tf32, Form::tf32}})
            if (allows(view.fpmath, mode)) forms.push_back(form);
        return forms;
    }
    for (const Form form : {Form::bf16, Form::f16})
        if (tessera::name(type) == name(form)) return {form, Form::tf32};
    const ValueRange values = range(type);
    if (bits(type) <= 8 && values.highest < 0x1p16 && values.least_positive >= 0x1p-24)
        return {Form::f16, Form::bf16, Form::tf32};
    return {};
}

struct Forms {
    Form left, right;
};
std::optional<Forms> common_forms(const ProductView& view) {
    for (const Form left : forms_of(view, view.matrices.left))
        for (const Form right : forms_of(view, view.matrices.right))
            if (left == right || bytes_of(left) + bytes_of(right) == 2) return Forms{left, right};
    return std::nullopt;
}

// Whether the matrix is stored in this form.
bool is_stored(const ProductView& view, const MatrixFactor& f, Form form) {
    const DataType type = view.plan.operands[size_t(f.factor.operand)].type;
    if (f.factor.zero >= 0 || f.factor.scale >= 0) return false;
    return form == Form::tf32 ? type == DataType::f32 : tessera::name(type) == name(form);
}

constexpr int64_t bank_bytes = 128; // of all banks of local memory together

struct TensorPrinter {
    const ProductView& view;
    Forms forms;
    TensorBlock block;
    Zeros zeros;

    struct Factor {
        Pieces pieces;
        Form form;
        bool transposed; // when it is read from local memory
        bool stored;     // in its form
        int64_t pitch;   // bytes of a line in local memory: of a row, or of a point of k where `transposed`
        int64_t tiles;   // of a warp
        bool copied() const { return stored && pieces.are_whole(); }
        int64_t bytes() const { return pitch * (transposed ? pieces.chunk : pieces.side.rows); }
        // The place of a piece of 16 bytes of a line; `low` is line % 8.
        std::string at(std::string_view tile, std::string_view line, std::string_view piece,
                       std::string_view low) const {
            return fmt::format("{} + ({}) * {} + (({}) ^ ({}) / {}) * 16", tile, line, pitch, piece, low,
                               std::max<int64_t>(bank_bytes / pitch, 1));
        }
    };
    Factor factor(bool left) const {
        const Side side = left ? Side{view.matrices.left, view.rows, "row", "a", block.all_rows()}
                               : Side{view.matrices.right, view.columns, "column", "b", block.all_columns()};
        const Form form = left ? forms.left : forms.right;
        const int64_t bytes = bytes_of(form);
        const int64_t width = 16 / bytes;
        const bool transposed = bytes == 2 && has_dense_rows(view, side, width);
        return {{view, side, block.lanes(), chunk_bytes / bytes, width, transposed,
                 transposed || rows_are_near(view, side)},
                form,
                transposed,
                is_stored(view, side.factor, form),
                transposed ? side.rows * bytes : chunk_bytes,
                left ? block.rows : block.columns};
    }
    // Where the piece at r, c lies.
    static std::string at(const Factor& f, std::string_view tile) {
        const std::string_view line = f.transposed ? "c" : "r", along = f.transposed ? "r" : "c";
        return f.at(tile, line, fmt::format("{} / {}", along, f.pieces.width), fmt::format("{} % 8", line));
    }
    static std::string converted(const Factor& f) {
        if (f.stored) return "code";
        switch (f.form) {
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
    // Chunks in local memory. Nothing is copied ahead: what is read through registers is written a chunk ahead.
    int64_t stages() const {
        const Factor left = factor(true), right = factor(false);
        constexpr int64_t most = 4; // of the smallest blocks, too, few bytes each, of which a unit has many
        if (!left.copied() && !right.copied()) return 2;
        return std::clamp<int64_t>(view.row.local_bytes / (left.bytes() + right.bytes()), 2, most);
    }
    // Pieces of a work-item on their way.
    int64_t copies() const {
        int64_t of_stage = 0;
        for (const Factor& f : {factor(true), factor(false)})
            if (f.copied()) of_stage += f.pieces.of_lane();
        return (stages() - 1) * of_stage;
    }
    static std::string read(const Factor& f) { return f.copied() ? "" : f.pieces.read("next_k"); }
    static std::string copied(const Factor& f, std::string_view tile) {
        return f.copied() ? f.pieces.copied("far_k", at(f, tile)) : "";
    }
    std::string written(const Factor& f) const {
        if (f.copied()) return "";
        const int bytes = bytes_of(f.form);
        const std::string put = bytes == 4 ? fmt::format("packed[d] = inside ? {} : 0", converted(f))
                                           : fmt::format("packed[d / {0}] |= (inside ? {1} : 0) << d % {0} * {2}",
                                                         4 / bytes, converted(f), 8 * bytes);
        return f.pieces.written(
            "first_k", "            uint packed[4] = {0, 0, 0, 0};\n", fmt::format("                {};\n", put),
            fmt::format("            *(local uint4*)({}) = (uint4)(packed[0], packed[1], packed[2], "
                        "packed[3]);\n",
                        at(f, f.pieces.side.tile)));
    }
    // The fragments of a warp at byte kk of a chunk.
    std::string fragments(const Factor& f, bool left) const {
        const std::string_view name = left ? "x" : "y", tile = f.pieces.side.tile;
        const std::string start = left ? "warp_row + n * 16" : "warp_column + n * 8";
        // Of the four matrices the odd ones are further along the rows of A, but further along k of B.
        const std::string_view odd = "in_warp / 8 % 2", upper = "in_warp / 16";
        const std::string_view second = left ? upper : odd; // along k, halves of 16 bytes
        const std::string row = fmt::format("{} + {} * 8", start, left ? odd : upper);
        std::string text = fmt::format("            uint {}[{}];\n", name, f.tiles * (left ? 4 : 2));
        const std::string place =
            f.transposed ? f.at(tile, fmt::format("kk / 2 + {} * 8 + in_warp % 8", second),
                                fmt::format("({}) / 8", row), "in_warp % 8")
                         : f.at(tile, row + " + in_warp % 8", fmt::format("kk / 16 + {}", second), "in_warp % 8");
        text +=
            fmt::format("#pragma unroll\n            for (int n = 0; n < {}; n += {}) {}({} + n * {}, {});\n", f.tiles,
                        left ? 1 : 2, f.transposed ? "READ_TRANSPOSED" : "READ_MATRICES", name, left ? 4 : 2, place);
        return text;
    }
    std::string sums() const {
        const Factor left = factor(true), right = factor(false);
        const int64_t of_stage = left.bytes() + right.bytes();
        return fmt::format(
            R"cl(    const int in_warp = lane % 32, warp_row = lane / 32 / {0} * {1}, warp_column = lane / 32 % {0} * {2};
    {3} sum[{4}][{5}][4];
#pragma unroll
    for (int i = 0; i < {4}; ++i)
#pragma unroll
        for (int j = 0; j < {5}; ++j)
#pragma unroll
            for (int r = 0; r < 4; ++r) sum[i][j][r] = 0;
{22}{6}{7}{8}    int stage = 0;
    for (place first_k = 0; first_k < depth; first_k += {9}) {{
        local uchar* const a = tile + stage;
        local uchar* const b = a + {10};
{11}{12}{13}        barrier(CLK_LOCAL_MEM_FENCE);
        const place next_k = first_k + {9};
        if (next_k < depth) {{
{14}{15}        }}
{16}        stage = stage == {20} ? 0 : stage + {21};
#pragma unroll
        for (int kk = 0; kk < {17}; kk += 32) {{
{18}{19}#pragma unroll
            for (int i = 0; i < {4}; ++i)
#pragma unroll
                for (int j = 0; j < {5}; ++j) MULTIPLY(sum[i][j], x + i * 4, y + j * 2);
{23}        }}
    }}
{24})cl",
            block.across, block.rows * 16, block.columns * 8, view.value(), block.rows, block.columns,
            left.pieces.declared(), right.pieces.declared(), first_chunks(), left.pieces.chunk, left.bytes(),
            written(left), written(right), copies() ? fmt::format("        COPIED({});\n", stages() - 2) : "",
            read(left), read(right), copies() ? next_copies() : "", chunk_bytes, fragments(left, true),
            fragments(right, false), (stages() - 1) * of_stage, of_stage, declared_sums_by_ones(), sums_by_ones(),
            zeros_taken_off());
    }
    // What is copied for the chunk that the last of the other stages is for, which nobody reads any more.
    std::string next_copies() const {
        const Factor left = factor(true), right = factor(false);
        const int64_t of_stage = left.bytes() + right.bytes();
        return fmt::format(R"cl(        const place far_k = first_k + {0};
        if (far_k < depth) {{
            local uchar* const far_a = tile + (stage == 0 ? {1} : stage - {2});
            local uchar* const far_b = far_a + {3};
{4}{5}        }}
        COPIES_END();
)cl",
                           (stages() - 1) * left.pieces.chunk, (stages() - 1) * of_stage, of_stage, left.bytes(),
                           copied(left, "far_a"), copied(right, "far_b"));
    }
    std::string first_chunks() const {
        const Factor left = factor(true), right = factor(false);
        std::string text;
        if (copies())
            text = fmt::format(R"cl(    for (int s = 0; s < {0}; ++s) {{
        const place far_k = s * {1};
        if (far_k < depth) {{
            local uchar* const far_a = tile + s * {2};
            local uchar* const far_b = far_a + {3};
{4}{5}        }}
        COPIES_END();
    }}
)cl",
                               stages() - 1, left.pieces.chunk, left.bytes() + right.bytes(), left.bytes(),
                               copied(left, "far_a"), copied(right, "far_b"));
        if (!left.copied() || !right.copied())
            text += fmt::format("    {{\n    const place next_k = 0;\n{}{}    }}\n", read(left), read(right));
        return text;
    }
    std::string declared_sums_by_ones() const {
        if (!zeros.any()) return "";
        return fmt::format(R"cl(    const uint ones[4] = {{0x01010101u, 0x01010101u, 0x01010101u, 0x01010101u}};
    uint sum_a[{0}][4], sum_b[{1}][4], zero_a[{0} * 2], zero_b[{1} * 2];
#pragma unroll
    for (int r = 0; r < {0} * 4; ++r) sum_a[r / 4][r % 4] = 0;
#pragma unroll
    for (int r = 0; r < {1} * 4; ++r) sum_b[r / 4][r % 4] = 0;
)cl",
                           block.rows, block.columns);
    }
    std::string sums_by_ones() const {
        std::string text;
        if (zeros.right >= 0)
            text += fmt::format(
                "#pragma unroll\n            for (int i = 0; i < {}; ++i) MULTIPLY(sum_a[i], x + i * 4, ones);\n",
                block.rows);
        if (zeros.left >= 0)
            text += fmt::format(
                "#pragma unroll\n            for (int j = 0; j < {}; ++j) MULTIPLY(sum_b[j], ones, y + j * 2);\n",
                block.columns);
        return text;
    }
    std::string zeros_taken_off() const {
        if (!zeros.any()) return "";
        return fmt::format(R"cl(#pragma unroll
    for (int n = 0; n < {0} * 2; ++n) {{
        const place i = min(first_row + warp_row + n / 2 * 16 + in_warp / 4 + n % 2 * 8, all_row - 1);
{2}    }}
#pragma unroll
    for (int n = 0; n < {1} * 2; ++n) {{
        const place i = min(first_column + warp_column + n / 2 * 8 + in_warp % 4 * 2 + n % 2, all_column - 1);
{3}    }}
#pragma unroll
    for (int i = 0; i < {0}; ++i)
#pragma unroll
        for (int j = 0; j < {1}; ++j)
#pragma unroll
            for (int r = 0; r < 4; ++r)
{4})cl",
                           block.rows, block.columns,
                           source_of_zero(view, factor(true).pieces.side, zeros.left, "zero_a[n]"),
                           source_of_zero(view, factor(false).pieces.side, zeros.right, "zero_b[n]"),
                           without_zeros(zeros, "sum[i][j][r]", "sum_a[i][r]", "sum_b[j][r]", "zero_a[i * 2 + r / 2]",
                                         "zero_b[j * 2 + r % 2]"));
    }
    // Results of a row and eight more, so that the eight rows that a warp stores begin at different banks.
    int64_t totals_pitch() const { return block.all_columns() + 8; }
    // Through local memory, a tile of every warp's rows at a time, so that neighbours store neighbours and the program
    // stands in a loop.
    std::string outer() const {
        return fmt::format(
            R"cl(    local {0}* const totals = (local {0}*)tile;
#pragma unroll
    for (int s = 0; s < {1}; ++s) {{
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int j = 0; j < {2}; ++j)
#pragma unroll
            for (int r = 0; r < 4; r += 2)
                *(local {0}2*)(totals + (lane / 32 / {3} * 16 + in_warp / 4 + r / 2 * 8) * {4} + warp_column + j * 8 +
                               in_warp % 4 * 2) = ({0}2)(sum[s][j][r], sum[s][j][r + 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int n = lane; n < {5}; n += {6}) {{
            const int r = n / {9}, c = n % {9};
            const place i = first_row + r / 16 * {7} + s * 16 + r % 16, j = first_column + c;
            if (i >= all_row || j >= all_column) continue;
{8}        }}
    }}
}}
)cl",
            view.value(), block.rows, block.columns, block.across, totals_pitch(),
            block.down * 16 * block.all_columns(), block.lanes(), block.rows * 16,
            source_of_outer(view, fmt::format("totals[r * {} + c]", totals_pitch())), block.all_columns());
    }
    int64_t local_bytes() const {
        return std::max(stages() * (factor(true).bytes() + factor(false).bytes()),
                        block.down * 16 * totals_pitch() * 4);
    }
};

} // namespace

std::optional<Launch> launch_on_tensors(const ProductView& given) {
    if (!given.row.has_tensor_cores()) return std::nullopt;
    ProductView view = given;
    const Zeros zeros = take_zeros(view);
    const auto forms = common_forms(view);
    const auto block = tensor_block_of(view.row, extents_of(view));
    if (!forms || !block) return std::nullopt;
    const TensorPrinter p{view, *forms, *block, zeros};
    const bool ptx = view.row.ptx;
    Launch launch = begun(view, {block->all_rows(), block->all_columns(), block->lanes()},
                          source_of_fragments(ptx, forms->left, forms->right, p.copies()),
                          fmt::format("    local uchar tile[{}] __attribute__((aligned(128)));\n", p.local_bytes()) +
                              source_of_exchange(ptx, block->lanes()));
    launch.source += p.sums() + p.outer();
    return launch;
}

} // namespace tessera::gpu
