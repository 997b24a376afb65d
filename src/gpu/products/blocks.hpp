// SPDX-License-Identifier: Apache-2.0
// How many results of a product a group computes, chosen from a list by predicted time: facts of the device and the
// sizes of the product decide, nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gpu/products/fragments.hpp"

namespace tessera::gpu {

// Results of a product; those of all products of a kernel run at the same time.
struct Extents {
    int64_t batches, rows, columns;
};

// A group is `down` x `across` work-items, each with `rows` x `columns` results in registers.
struct RegisterBlock {
    int64_t down, across, rows, columns;
    int64_t all_rows() const { return down * rows; }
    int64_t all_columns() const { return across * columns; }
    int64_t lanes() const { return down * across; }
    bool operator==(const RegisterBlock&) const = default;
};
RegisterBlock register_block_of(const DeviceRow& row, std::span<const Extents> products);

// A group is `down` x `across` warps, or sub-groups, each with `rows` x `columns` tiles.
struct TensorBlock {
    int64_t down, across, rows, columns; // columns: even
    Tile tile = warp_tile;
    int64_t all_rows() const { return down * rows * tile.rows; }
    int64_t all_columns() const { return across * columns * tile.columns; }
    int64_t lanes() const { return down * across * tile.lanes; }
    bool operator==(const TensorBlock&) const = default;
};
// Two chunks of k fit into local memory. No result: nothing fits.
std::optional<TensorBlock> tensor_block_of(const DeviceRow& row, const Tile& tile, std::span<const Extents> products);
inline constexpr int64_t chunk_bytes = 64; // of a row

} // namespace tessera::gpu
