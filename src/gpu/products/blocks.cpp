// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/blocks.hpp"

#include <algorithm>
#include <cmath>

#include "core/division.hpp"

namespace tessera::gpu {

namespace {

// The larger a work-item's block, the fewer values it reads for each product; small blocks and narrow ones are for
// matrices that would leave most of a large one empty, or units without a group.
constexpr RegisterBlock register_blocks[] = {
    {16, 16, 8, 8}, {16, 16, 4, 8}, {16, 16, 4, 4}, {16, 16, 2, 2}, {4, 64, 4, 4}, {64, 4, 4, 4},
    {8, 32, 4, 4},  {8, 8, 8, 8},   {8, 8, 4, 4},   {8, 8, 2, 2},   {4, 8, 4, 4},  {2, 64, 4, 4},
    {64, 2, 4, 4},  {2, 32, 4, 4},  {32, 2, 4, 4},  {1, 64, 4, 2},  {64, 1, 2, 4},
};

constexpr TensorBlock tensor_blocks[] = {
    {2, 4, 4, 4}, {2, 2, 4, 4}, {2, 2, 2, 4}, {2, 4, 1, 4}, {4, 2, 2, 2},
    {2, 2, 1, 2}, {1, 2, 2, 4}, {1, 1, 1, 2}, {4, 1, 2, 2}, {1, 4, 1, 4},
};

// Of sub-groups, which have registers for 64 results of a work-item and its factors.
constexpr Tile of_16 = sub_group_tile_16, of_8 = sub_group_tile_8;
constexpr TensorBlock blocks_of_16[] = {
    {4, 4, 4, 2, of_16}, {4, 2, 4, 2, of_16}, {2, 2, 4, 2, of_16}, {2, 1, 4, 2, of_16}, {1, 2, 2, 1, of_16},
};
constexpr TensorBlock blocks_of_8[] = {
    {4, 8, 4, 2, of_8}, {4, 4, 4, 2, of_8}, {2, 4, 4, 2, of_8}, {2, 2, 4, 2, of_8}, {1, 4, 2, 1, of_8},
};

// Of blocks of rows x columns by so many work-items, whose ways to and from local memory take `reads` times as long as
// their products: how long a term of each sum takes, in products of a unit.
double predicted(const DeviceRow& row, std::span<const Extents> products, int64_t rows, int64_t columns, int64_t lanes,
                 double reads) {
    double groups = 0;
    for (const Extents& p : products)
        groups += double(p.batches) * double(ceil_div(p.rows, rows)) * double(ceil_div(p.columns, columns));
    const double turns = std::ceil(groups / double(row.units)); // groups of the unit that has most
    const double time = turns * double(rows * columns) * (1 + reads);
    // A unit is busy where it has as many work-items as a full group.
    return time / std::min(1., turns * double(lanes) / double(row.lanes));
}

template <typename Block, typename Reads, typename Fits>
const Block* best_of(std::span<const Block> blocks, const DeviceRow& row, std::span<const Extents> products,
                     Reads reads, Fits fits) {
    const auto time = [&](const Block& b) {
        return predicted(row, products, b.all_rows(), b.all_columns(), b.lanes(), reads(b));
    };
    const Block* best = nullptr;
    for (const Block& b : blocks)
        if (b.lanes() <= row.lanes && fits(b) && (!best || time(b) < time(*best))) best = &b;
    return best;
}

} // namespace

RegisterBlock register_block_of(const DeviceRow& row, std::span<const Extents> products) {
    // A vector of four takes 32 work-items two cycles of local memory or more, in which they have eight products each;
    // on its way there a value takes three instructions.
    const auto reads = [](const RegisterBlock& b) {
        return 8 * double(b.rows + b.columns) / 4 / double(b.rows * b.columns) +
               3 * double(b.all_rows() + b.all_columns()) / double(b.all_rows() * b.all_columns());
    };
    return *best_of<RegisterBlock>(register_blocks, row, products, reads, [](const RegisterBlock&) { return true; });
}

std::optional<TensorBlock> tensor_block_of(const DeviceRow& row, const Tile& tile, std::span<const Extents> products) {
    // 16 lines of 32 bytes are read in the time of 128 products of them.
    const auto reads = [](const TensorBlock& b) {
        const int64_t rows = b.rows * b.tile.rows, columns = b.columns * b.tile.columns;
        return 8 * double(rows + columns) / double(rows * columns);
    };
    const auto fits = [&](const TensorBlock& b) {
        return 2 * (b.all_rows() + b.all_columns()) * chunk_bytes <= row.local_bytes;
    };
    std::span<const TensorBlock> blocks = tensor_blocks;
    if (tile == sub_group_tile_16) blocks = blocks_of_16;
    if (tile == sub_group_tile_8) blocks = blocks_of_8;
    const TensorBlock* const best = best_of<TensorBlock>(blocks, row, products, reads, fits);
    return best ? std::optional(*best) : std::nullopt;
}

} // namespace tessera::gpu
