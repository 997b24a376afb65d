// SPDX-License-Identifier: Apache-2.0
// The AMX kinds of products (tiles/dot/kernel/contract.hpp says what they compute; its functions call these), and the
// configuration that their kernels need.
#pragma once

#include "cpu/tiles/dot/kernel/contract.hpp"

namespace tessera::cpu {

bool can_build_tiles(const jit::Target& target, const DotSpec& spec);
jit::Code build_tiles(const jit::Target& target, const DotSpec& spec);

// What a thread configures before it calls AMX kernels: the shapes of 8 tiles (ldtilecfg), 53 ns, and nothing (57 ns)
// before other code runs. Blocks with all their rows and columns have the same configuration.
struct DotTiles {
    uint8_t palette = 1, start_row = 0;
    uint8_t unused[14] = {};
    uint16_t row_bytes[16] = {};
    uint8_t rows[16] = {};
    bool operator==(const DotTiles&) const = default;
};
static_assert(sizeof(DotTiles) == 64);

// Rows of the last 16: 1..spec.rows with one tile, 17..32 with two. Columns of the last panel: 1..16. Groups: of 4
// bytes of k in every step, 1..16.
DotTiles dot_tiles(const DotSpec& spec, int rows, int columns, int groups = 16);
jit::Code build_configure_tiles(const jit::Target& target); // void(const DotTiles*)
jit::Code build_release_tiles(const jit::Target& target);   // its argument is not read

} // namespace tessera::cpu
