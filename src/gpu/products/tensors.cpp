// SPDX-License-Identifier: Apache-2.0
// Products by tensor cores (fragments.hpp), for factors that these take without a rounding of their own, or that the
// attributes allow to be rounded. A warp has tiles of results, which are fed from local memory, where some chunks of k
// lie (factors.hpp), the stages: one is read while others are on their way.
//
// What is stored as tensor cores take it is copied past the registers, all stages but one ahead: of 128 x 128 bf16
// results a chunk has products for 256 cycles, and global memory takes 700. Anything else is read a chunk ahead and
// converted on its way.
#include <algorithm>

#include <fmt/format.h>

#include "gpu/products/blocks.hpp"
#include "gpu/products/bytes.hpp"
#include "gpu/products/factors.hpp"
#include "gpu/products/results.hpp"
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
std::optional<Forms> common_forms(const ProductView& view, const Tile& tile) {
    for (const Form left : forms_of(view, view.matrices.left))
        for (const Form right : forms_of(view, view.matrices.right))
            if (takes(tile, left) && takes(tile, right) && (left == right || bytes_of(left) + bytes_of(right) == 2))
                return Forms{left, right};
    return std::nullopt;
}

TensorFactor factor_of(const ProductView& view, const TensorBlock& block, Form form, bool left) {
    const Side side = left ? Side{view.matrices.left, view.rows, "row", "a", block.all_rows()}
                           : Side{view.matrices.right, view.columns, "column", "b", block.all_columns()};
    return TensorFactor::of(view, side, block.lanes(), form, block.tile, left ? block.rows : block.columns);
}

struct TensorPrinter {
    const ProductView& view;
    TensorBlock block;
    Zeros zeros;
    TensorFactor left, right;

    // Chunks in local memory. Nothing is copied ahead: what is read through registers is written a chunk ahead.
    int64_t stages() const {
        constexpr int64_t most = 4; // of the smallest blocks, too, few bytes each, of which a unit has many
        if (!left.copied && !right.copied) return 2;
        return std::clamp<int64_t>(view.row.local_bytes / (left.bytes() + right.bytes()), 2, most);
    }
    // Pieces of a work-item on their way.
    int64_t copies() const {
        int64_t of_stage = 0;
        for (const TensorFactor* f : {&left, &right})
            if (f->copied) of_stage += f->pieces.of_lane();
        return (stages() - 1) * of_stage;
    }
    std::string sums() const {
        const int64_t of_stage = left.bytes() + right.bytes();
        return fmt::format(
            R"cl(    const int warp_row = warp / {0} * {1}, warp_column = warp % {0} * {2};
    {3} sum[{4}][{5}][{6}];
#pragma unroll
    for (int i = 0; i < {4}; ++i)
#pragma unroll
        for (int j = 0; j < {5}; ++j)
#pragma unroll
            for (int r = 0; r < {6}; ++r) sum[i][j][r] = 0;
{7}{8}{9}{10}    int stage = 0;
    for (place first_k = 0; first_k < depth; first_k += {11}) {{
        local uchar* const a = tile + stage;
        local uchar* const b = a + {12};
{13}{14}{15}        barrier(CLK_LOCAL_MEM_FENCE);
        const place next_k = first_k + {11};
        if (next_k < depth) {{
{16}{17}        }}
{18}        stage = stage == {19} ? 0 : stage + {20};
#pragma unroll
        for (int kk = 0; kk < {21}; kk += 32) {{
{22}{23}#pragma unroll
            for (int i = 0; i < {4}; ++i)
#pragma unroll
                for (int j = 0; j < {5}; ++j) MULTIPLY(sum[i][j], x + i * {24}, y + j * {25});
{26}        }}
    }}
{27})cl",
            block.across, block.rows * block.tile.rows, block.columns * block.tile.columns, view.value(), block.rows,
            block.columns, block.tile.results(), declared_sums_by_ones(), left.pieces.declared(),
            right.pieces.declared(), first_chunks(), left.pieces.chunk, left.bytes(), left.written(), right.written(),
            copies() ? fmt::format("        COPIED({});\n", stages() - 2) : "", left.read(), right.read(),
            copies() ? next_copies() : "", (stages() - 1) * of_stage, of_stage, chunk_bytes, left.fragments("x"),
            right.fragments("y"), block.tile.left_words(), block.tile.right_words(), sums_by_ones(), zeros_taken_off());
    }
    // What is copied for the chunk that the last of the other stages is for, which nobody reads any more.
    std::string next_copies() const {
        const int64_t of_stage = left.bytes() + right.bytes();
        return fmt::format(R"cl(        const place far_k = first_k + {0};
        if (far_k < depth) {{
            local uchar* const far_a = tile + (stage == 0 ? {1} : stage - {2});
            local uchar* const far_b = far_a + {3};
{4}{5}        }}
        COPIES_END();
)cl",
                           (stages() - 1) * left.pieces.chunk, (stages() - 1) * of_stage, of_stage, left.bytes(),
                           left.copies("far_a"), right.copies("far_b"));
    }
    std::string first_chunks() const {
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
                               left.copies("far_a"), right.copies("far_b"));
        if (!left.copied || !right.copied)
            text += fmt::format("    {{\n    const place next_k = 0;\n{}{}    }}\n", left.read(), right.read());
        return text;
    }
    std::string declared_sums_by_ones() const {
        if (!zeros.any()) return "";
        const int64_t of_tile = block.tile.results();
        return fmt::format(R"cl(    const uint ones[8] = {{0x01010101u, 0x01010101u, 0x01010101u, 0x01010101u,
                          0x01010101u, 0x01010101u, 0x01010101u, 0x01010101u}};
    uint sum_a[{0}][{2}], sum_b[{1}][{2}], zero_a[{3}], zero_b[{4}];
#pragma unroll
    for (int r = 0; r < {0} * {2}; ++r) sum_a[r / {2}][r % {2}] = 0;
#pragma unroll
    for (int r = 0; r < {1} * {2}; ++r) sum_b[r / {2}][r % {2}] = 0;
)cl",
                           block.rows, block.columns, of_tile, block.rows * block.tile.rows_of_lane,
                           block.columns * block.tile.columns_of_lane);
    }
    std::string sums_by_ones() const {
        std::string text;
        if (zeros.right >= 0)
            text += fmt::format(
                "#pragma unroll\n            for (int i = 0; i < {}; ++i) MULTIPLY(sum_a[i], x + i * {}, ones);\n",
                block.rows, block.tile.left_words());
        if (zeros.left >= 0)
            text += fmt::format(
                "#pragma unroll\n            for (int j = 0; j < {}; ++j) MULTIPLY(sum_b[j], ones, y + j * {});\n",
                block.columns, block.tile.right_words());
        return text;
    }
    std::string zeros_taken_off() const {
        if (!zeros.any()) return "";
        const Tile& t = block.tile;
        return fmt::format(
            R"cl(#pragma unroll
    for (int n = 0; n < {0} * {6}; ++n) {{
        const place i = min(first_row + warp_row + n / {6} * {7} + {8}, all_row - 1);
{2}    }}
#pragma unroll
    for (int n = 0; n < {1} * {9}; ++n) {{
        const place i = min(first_column + warp_column + n / {9} * {10} + {11}, all_column - 1);
{3}    }}
#pragma unroll
    for (int i = 0; i < {0}; ++i)
#pragma unroll
        for (int j = 0; j < {1}; ++j)
#pragma unroll
            for (int r = 0; r < {5}; ++r)
{4})cl",
            block.rows, block.columns, source_of_zero(view, left.pieces.side, zeros.left, "zero_a[n]"),
            source_of_zero(view, right.pieces.side, zeros.right, "zero_b[n]"),
            without_zeros(zeros, "sum[i][j][r]", "sum_a[i][r]", "sum_b[j][r]",
                          fmt::format("zero_a[i * {} + r / {}]", t.rows_of_lane, t.columns_of_lane),
                          fmt::format("zero_b[j * {0} + r % {0}]", t.columns_of_lane)),
            t.results(), t.rows_of_lane, t.rows, t.row(fmt::format("n % {}", t.rows_of_lane)), t.columns_of_lane,
            t.columns, t.column(fmt::format("n % {}", t.columns_of_lane)));
    }
    // Results of a row and eight more, so that the eight rows that a warp stores begin at different banks.
    int64_t totals_pitch() const { return block.all_columns() + 8; }
    // Through local memory, a tile of every warp's rows at a time, so that neighbours store neighbours and the program
    // stands in a loop.
    std::string outer() const {
        const Tile& t = block.tile;
        const std::string_view vector = t.columns_of_lane == 2 ? "2" : "";
        return fmt::format(
            R"cl(    local {0}* const totals = (local {0}*)tile;
#pragma unroll
    for (int s = 0; s < {1}; ++s) {{
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int j = 0; j < {2}; ++j)
#pragma unroll
            for (int r = 0; r < {3}; r += {4})
                *(local {0}{5}*)(totals + (warp / {6} * {7} + {8}) * {9} + warp_column + j * {10} + {11}) =
                    ({0}{5})(sum[s][j][r]{12});
        barrier(CLK_LOCAL_MEM_FENCE);
{13}    }}
}}
)cl",
            view.value(), block.rows, block.columns, t.results(), t.columns_of_lane, vector, block.across, t.rows,
            t.row(fmt::format("r / {}", t.columns_of_lane)), totals_pitch(), t.columns, t.column("0"),
            vector.empty() ? "" : ", sum[s][j][r + 1]",
            source_of_results(view, {block.down * t.rows, block.all_columns(), totals_pitch(), block.lanes(), "totals",
                                     fmt::format("r / {0} * {1} + s * {0} + r % {0}", t.rows, block.rows * t.rows)}));
    }
    int64_t local_bytes() const {
        return std::max(stages() * (left.bytes() + right.bytes()), block.down * block.tile.rows * totals_pitch() * 4);
    }
};

} // namespace

std::optional<Launch> launch_on_tensors(const ProductView& given) {
    const auto tile = tile_of(given.row);
    if (!tile) return std::nullopt;
    ProductView view = given;
    const Zeros zeros = take_zeros(view);
    const auto forms = common_forms(view, *tile);
    const auto block = tensor_block_of(view.row, *tile, extents_of(view));
    if (!forms || !block) return std::nullopt;
    const TensorPrinter p{view, *block, zeros, factor_of(view, *block, forms->left, true),
                          factor_of(view, *block, forms->right, false)};
    Launch launch =
        begun(view, {block->all_rows(), block->all_columns(), block->lanes()},
              source_of_fragments(view.row, *tile, forms->left, forms->right, p.copies()) + functions_of_results(view),
              fmt::format("    local uchar tile[{}] __attribute__((aligned(128)));\n", p.local_bytes()),
              attribute_of_fragments(view.row, *tile));
    launch.source += source_of_exchange(view.row, *tile, block->lanes()) + p.sums() + p.outer();
    return launch;
}

} // namespace tessera::gpu
