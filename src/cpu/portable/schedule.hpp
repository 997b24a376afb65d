// SPDX-License-Identifier: Apache-2.0
// schedule: how the portable engine walks a step. A pure function of (step, operand types, machine).
//
// The two innermost loops become the tile, `rows` and `columns`, and are cut into blocks; the others are outer loops. A
// unit is one block at one point of the outer loops; threads take units in chunks.
//
//   map        columns = the loop with the smallest dst stride, rows = the next one
//   transpose  columns = the loop dense in src, rows = the loop dense in dst
//   fill       as map; reduce: one unit is one outer point, columns = the innermost reduce loop
//
// Loops too short for a tile are joined into an indexed one (calls for 3 x 2 tiles would cost more than their work).
#pragma once

#include <span>
#include <string>

#include "core/machine.hpp"
#include "core/plan/plan.hpp"
#include "cpu/select/tile.hpp"

namespace tessera::cpu {

struct Schedule {
    Tile tile;
    Nest nest;        // outer loops, then (rows, columns); of reduce: outer, then reduce loops
    size_t outer = 0; // how many loops are outside of the tile
    int64_t block_rows = 1, block_columns = 1;
    int64_t units = 0, units_per_chunk = 0;
    bool parallel = false; // worth waking the other threads
};

Schedule schedule(const Step& step, const Plan& plan, const Context& context);

// "transpose 64x16 of loops(...), 392 units in 16 chunks" or "... on one thread".
std::string to_string(const Schedule& schedule, int operands);

} // namespace tessera::cpu
