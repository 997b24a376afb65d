// SPDX-License-Identifier: Apache-2.0
// Panels of weights: 16 columns of a product side by side, so that a step of k is one vector of 64 bytes: a row of f32,
// a pair of rows of bf16, a quad of rows of bytes (VNNI). Which dims are rows and columns, and which weights stay
// plain, is the rule of each primitive.
//
//   {.outer = "a", .n = 'c', .k = "b"}                                  aCb16c         f32, batch x K x N
//   {.outer = "a", .n = 'c', .k = "b", .rows = tile_steps, .vnni = 2}   aCB16b16c2b    the same of bf16
//   {.n = 'a', .k = "cdb", .vnni = 4}                                   AcdB16a4b      bytes, taps c and d, channels b
#pragma once

#include <string>

#include "core/types/types.hpp"

namespace tessera::ops {

inline constexpr int64_t panel_columns = 16;
inline constexpr int64_t tile_steps = 16; // of k in an AMX tile, which are 1 KiB of a panel

struct Panels {
    std::string outer = {}; // letters of the dims outside of the panels
    char n = 0;             // the dim of the columns
    std::string k = {};     // the dims of the rows, outermost first
    char blocked = 0;       // the one of them that steps are cut from; 0: the last
    int64_t rows = 1;       // steps of k in a block, one behind the other
    int64_t vnni = 1;       // rows of k in a step
};
std::string tag_of(const Panels& panels);

// VNNI factor: rows of k that share a lane of 32 bits, 2 of bf16, 4 of bytes, else 1. Pairs of f16 are convolutions'
// alone; matmul and inner product keep rows of f16 apart, which vectors read in place.
int64_t vnni_factor(DataType type, bool pairs_of_f16);

// Weights that panels are not worth: they stay in L1 whatever their layout, or do not fill a panel.
bool are_few(int64_t rows, int64_t columns);

} // namespace tessera::ops
