// SPDX-License-Identifier: Apache-2.0
// The way of a factor into local memory on a GPU, a chunk of k at a time. A chunk is cut into pieces, neighbours along
// k or along the rows, which the work-items of a group share. A piece is read into registers as it is stored, so that
// reading the next chunk goes on under the products of this one, and is converted on its way into local memory.
//
//   read       uint words[]: a piece as one vector where it lies so in memory, element by element otherwise
//   written    the elements of each piece one by one, and where it belongs: r, c of the block
//
// Rows beyond the end are the last row again: what they give is not stored.
#pragma once

#include <string>

#include "gpu/products/view.hpp"

namespace tessera::gpu {

struct Pieces {
    const ProductView& view;
    Side side;
    int64_t lanes;      // work-items
    int64_t chunk;      // points of k
    int64_t width;      // elements of a piece
    bool along_rows;    // a piece is neighbours along rows, not along k
    bool rows_go_first; // neighbouring work-items have pieces of neighbouring rows

    int code_bits() const;                                     // of an element in words: 4 bits take a byte
    int64_t words() const { return width * code_bits() / 32; } // of a piece, a whole number
    int64_t of_block() const { return side.rows * chunk / width; }
    int64_t of_lane() const;

    std::string declared() const; // what a work-item keeps of a chunk, and whether pieces are vectors in memory
    std::string read(std::string_view first_k) const;
    // Instead of both, whole pieces of 16 bytes as they are stored, to `at` in local memory (fragments.hpp).
    std::string copied(std::string_view first_k, std::string_view at) const;
    bool may_be_vectors() const;
    // Each piece is a vector in memory, and none crosses an end. Kernels of such factors have no second way to read,
    // which cost 40 of 166 registers: with 128 two groups of 256 share a unit.
    bool are_whole() const;
    // A piece is begun by `start`; `each` sees its element d in s0, and whether that is `inside` of k; `whole` ends it.
    std::string written(std::string_view first_k, std::string_view start, std::string_view each,
                        std::string_view whole) const;

private:
    std::string each_whole(std::string_view first_k, const std::string& vector) const;
    std::string each(std::string_view first_k, const std::string& vector, std::string_view start,
                     std::string_view element, std::string_view end) const;
    std::string place_of_piece() const;
    std::string past_the_end() const;
};

} // namespace tessera::gpu
