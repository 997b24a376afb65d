// schedule: how the portable engine walks a step. A pure function of (step, operand types, machine).
//
// The two innermost loops become the tile, `rows` and `columns`, and are cut into blocks; everything else, and the
// counting of blocks, is outside. One block at one outer point is a unit; units are dealt to threads in chunks.
//
//   map        columns = the loop with the smallest dst stride, rows = the next one
//   transpose  columns = the loop dense in src, rows = the loop dense in dst
//   fill       as map; reduce: one unit is one outer point, columns = the innermost reduce loop
//
// Loops too short for a tile are folded into one loop with offset tables (a 3 x 2 tile would cost more than its work).
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

Schedule schedule(const Step& step, const Plan& plan, const Machine& machine);

// "transpose 64x16 of loops(...), 392 units in 16 chunks" or "... on one thread".
std::string to_string(const Schedule& schedule, int operands);

} // namespace tessera::cpu
