// SPDX-License-Identifier: Apache-2.0
// choose: which tile and which blocks move a nest. A pure function of (nest, element size, target, machine).
//
// The tile is that of tiling.hpp. Loops longer than it are covered by whole tiles, the last one shifted back to end
// with the loop; shorter ones by a tile of which only a part exists. Tiles are walked by up to three loops of the
// kernel; a unit is what one call does, 16 to 256 KiB.
//
//   nchw -> nhwc f32, 64 x 3136, 64-byte vectors: tile 16 rows x 8 columns, 4 x 392 tiles
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/division.hpp"
#include "core/machine.hpp"
#include "core/plan/nest.hpp"
#include "cpu/tiles/transpose/kernel/contract.hpp"

namespace tessera::cpu {

// A loop of the nest, cut into tiles and these into blocks; one block of every loop is a unit.
struct TiledLoop {
    Loop loop;
    int64_t tile = 1, tiles = 1; // points of a tile, tiles of the loop
    int64_t block = 1;           // tiles of a block
    int index = -1;              // in TransposeSpec::loops
    int level = -1;              // the kernel's loop over the tiles of a block, 0 innermost; -1: block is 1
    int64_t blocks() const { return ceil_div(tiles, block); }
};

// Bytes of the buffers in L1 through which jobs move a block or a panel at a time; at most buffer_bytes, for they lie
// on the stack: 128 rows of 256 bytes and their padding.
struct TransposeBuffers {
    // Three quarters of L1 for the rows of a staged block and the padding between them, five eighths for the rows
    // alone; the rest is for what the tiles read and write. Zen 5 (48 KiB), one thread, 36 and 30 KiB against the 24
    // and 20 of 32 KiB: f32 binaries of unequal layouts 1.08 times as fast (0.96 to 1.27), bytes 1.05, bf16 and relu
    // level.
    int64_t staged = 0, staged_rows = 0;
    int64_t combined = 0; // three quarters, the rest is for lines of src
};
TransposeBuffers transpose_buffers(const Context& context);
inline constexpr int64_t buffer_bytes = 40 << 10;

struct TransposeChoice {
    TransposeSpec spec;
    std::vector<TiledLoop> loops; // outer to inner as in the nest
    int64_t units = 1;
};

// The nest with the loops of the contiguous run of src as one, whose places in dst are in a table: a chain of at least
// two of them, of which the first is no multiple of what a tile takes. None where there is no such chain, where it
// would be longer than `most` points, or where dst is dense along a part of it.
std::optional<Nest> with_chain(const Nest& nest, int64_t most);

// Operand 0 is read and operand 1 written; `base` gives the elements and the program, if any. No result when no tile
// fits.
std::optional<TransposeChoice> choose_transpose(const Nest& nest, const TransposeSpec& base, const jit::Target& target,
                                                const Context& context);

std::string to_string(const TransposeChoice& choice);

} // namespace tessera::cpu
