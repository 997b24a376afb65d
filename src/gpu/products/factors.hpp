// SPDX-License-Identifier: Apache-2.0
// How a factor of a product lies in local memory for instructions that multiply matrices, a chunk of k at a time, and
// how it gets there and from there. In a chunk the elements of a row are side by side along k, or, of 16 bits and dense
// along rows in global memory, the rows of a point of k, which are transposed when they are read:
//
//   k is dense    line 0 = row 0   k 0 .. 31        READ_MATRICES
//   rows are      line 0 = k 0     row 0 .. 127     READ_TRANSPOSED
//
// Eight lines from a multiple of 8 are read at once, 16 bytes of each, which must lie in different banks: the pieces of
// 16 bytes of line n change places with those whose number differs by n % 8 in its bits (by n % 8 / 2 of lines of 64
// bytes, two of which fill the banks). Lines with a gap of 16 bytes would do, too, but three stages of 128 x 128
// results would take 60 KiB in place of the 48 that there are.
#pragma once

#include "gpu/products/blocks.hpp"
#include "gpu/products/fragments.hpp"
#include "gpu/products/pieces.hpp"

namespace tessera::gpu {

struct TensorFactor {
    Pieces pieces;
    Form form;
    Tile tile;
    bool left;       // A, else B
    bool stored;     // in its form
    bool copied;     // past the registers, chunks ahead; else it is read a chunk ahead, converted, and written
    bool transposed; // when it is read from local memory
    int64_t pitch;   // bytes of a line in local memory: of a row, or of a point of k where `transposed`
    int64_t tiles;   // of a warp

    static TensorFactor of(const ProductView& view, const Side& side, int64_t lanes, Form form, const Tile& tile,
                           int64_t tiles);
    int64_t bytes() const { return pitch * (transposed ? pieces.chunk : pieces.side.rows); } // of a chunk

    std::string read() const;                           // of the chunk at next_k
    std::string written() const;                        // of the chunk at first_k
    std::string copies(std::string_view to) const;      // of the chunk at far_k
    std::string fragments(std::string_view name) const; // of a warp's tiles at byte kk of a chunk

private:
    std::string at(std::string_view in, std::string_view line, std::string_view piece, std::string_view low) const;
    std::string place_of_piece(std::string_view in) const; // the piece at r, c
    std::string converted() const;
    std::string fragments_of_warp(std::string_view name) const;
    std::string fragments_of_sub_group(std::string_view name) const;
    int64_t words() const { return left ? tile.left_words() : tile.right_words(); }
};

} // namespace tessera::gpu
