// SPDX-License-Identifier: Apache-2.0
// The steps of a work-item, an access each, printed in batches whose loads all come before the first store.
#pragma once

#include <string>
#include <vector>

#include "gpu/maps/view.hpp"

namespace tessera::gpu {

// Where step `first + k` is. `rows` defines the first column of the access, c, and for each operand o row{o}, its
// element number in column 0; of a staged operand in_tile, the element of the tile. Steps that a work-item does not
// have read what its last one does, since a load that depends on nothing can go ahead of all others.
struct Steps {
    int64_t count;         // of a work-item
    std::string any;       // condition that this work-item has steps; empty: each one that comes here has
    std::string number;    // statements that `condition` and `rows` need
    std::string condition; // that this work-item has the step
    std::string clamped;   // like `number`, of a step that it has
    std::string rows;
    std::vector<bool> held; // operands that are at the same place in every step
};
std::string source_of_batches(const MapView& view, const Steps& steps);
// `body` for batches of `count` steps; one alone needs no loop.
std::string source_of_loop(int64_t count, int64_t batch, std::string_view body);

// What stands in front of a kernel: also codes of stored types, where accesses pack them.
std::string source_in_front_of_map(const MapView& view, bool wide);
// "const bool aligned = ...": whether all operands lie where vectors of them may.
std::string source_of_alignments(const MapView& view);

} // namespace tessera::gpu
