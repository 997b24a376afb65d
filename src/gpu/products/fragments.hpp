// SPDX-License-Identifier: Apache-2.0
// Instructions that multiply matrices: work-items that run together, the tile's lanes, multiply a tile of rows of A by
// columns of B, 32 bytes of k at a time. Each has fragments of the three, words of A and B, numbers of C.
//
// NVIDIA's tensor cores: a warp of 32 has 16 rows and 8 columns. Numbered as in the PTX ISA (mma.m16n8k16 for bf16 and
// f16, .m16n8k8 for tf32, .m16n8k32 for bytes), g = in_warp / 4, t = in_warp % 4:
//
//   A    word w: row g + 8 (w % 2), bytes 4t .. 4t + 3 of the half w / 2 of those 32
//   B    word w: column g, bytes 4t .. of the half w
//   C    number i: row g + 8 (i / 2), column 2t + i % 2
//
// Sub-groups of OpenCL with cl_intel_subgroup_matrix_multiply_accumulate: 16 have 8 rows and 16 columns, 8 have 8 and
// 8, as that extension numbers them, bf16 and f16 by k16, bytes by k32:
//
//   A    16: halves of words: half h is bytes 2 in_warp .. of row h;   8: word w is bytes 4 in_warp .. of row w
//   B    word w: bytes 4w .. of column in_warp
//   C    number i: row i, column in_warp
//
// The functions, whose text is inline PTX, the extension's functions or, where that is emulated, OpenCL C in which
// work-items exchange what they have:
//
//   MULTIPLY(c, a, b)             c += a * b
// Of warps:
//   READ_MATRICES(to, at)         four matrices of 8 rows of 16 bytes: work-item 8 m + r says where row r of matrix m
//                                 is and gets in to[m] bytes 4t .. of its row g
//   READ_TRANSPOSED(to, at)       elements of 16 bits: in to[m] elements 2t and 2t + 1 of its column g
//   COPY16(to, from, inside)      16 bytes from global to local memory, some time later, or zeros where not `inside`
//   COPIES_END()                  those since the last such end are a group
//   COPIED(groups)                waits for the work-item's own copies of all groups but the last ones
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/device_row.hpp"

namespace tessera::gpu {

// What an element is for these instructions.
enum class Form { bf16, f16, tf32, s8, u8 };
constexpr int bytes_of(Form form) { return form == Form::tf32 ? 4 : form == Form::s8 || form == Form::u8 ? 1 : 2; }
std::string_view name(Form form); // as PTX has it

struct Tile {
    int64_t lanes, rows, columns;          // work-items, results
    int64_t rows_of_lane, columns_of_lane; // of which a work-item has the results
    bool is_warp() const { return lanes == 32; }
    int64_t results() const { return rows_of_lane * columns_of_lane; } // of a work-item, row by row
    int64_t left_words() const { return rows * 8 / lanes; }
    int64_t right_words() const { return columns * 8 / lanes; }
    // The number in the tile of the work-item's row, or column, n.
    std::string row(std::string_view n) const;
    std::string column(std::string_view n) const;
    bool operator==(const Tile&) const = default;
};
inline constexpr Tile warp_tile = {32, 16, 8, 2, 2}, sub_group_tile_16 = {16, 8, 16, 8, 1},
                      sub_group_tile_8 = {8, 8, 8, 8, 1};
std::optional<Tile> tile_of(const DeviceRow& row);
bool takes(const Tile& tile, Form form);

// In front of kernels, for factors of these forms: equal ones, or s8 and u8. A work-item has so many copies on their
// way at most.
std::string source_of_fragments(const DeviceRow& row, const Tile& tile, Form left, Form right, int64_t copies);
// The kernel's attribute, in front of `kernel void`.
std::string attribute_of_fragments(const DeviceRow& row, const Tile& tile);
// What the kernel declares for them, with so many work-items: in_warp, warp, and what an emulation needs.
std::string source_of_exchange(const DeviceRow& row, const Tile& tile, int64_t lanes);

} // namespace tessera::gpu
