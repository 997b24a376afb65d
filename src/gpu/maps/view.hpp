// SPDX-License-Identifier: Apache-2.0
// A fill or a map as kernels of GPUs see it. A work-item has some accesses, each of `width` neighbouring columns of one
// row: it reads those of a batch before it stores the first, since what a GPU reads at a time is what its work-items
// wait for together, and a load that is stored before the next one is asked for has the device wait for memory.
//
// An access is one vector of up to 16 bytes where an operand is dense along the columns and each of its rows begins at
// a multiple of the width, so that bytes and halves take no more instructions than floats, and elements of 4 bits are
// stored by whole bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/header.hpp"
#include "gpu/source.hpp"

namespace tessera::gpu {

// How a work-item reads what an access needs of an operand, before any program runs.
enum class Loading : uint8_t {
    inside, // by the program itself: counted, or behind a store
    vector, // `width` elements at once
    one,    // an element for all columns
    each    // element by element
};

struct MapView {
    const DeviceRow& row;
    const Plan& plan;
    const Program* program = nullptr; // null: a fill
    int stored = 0;                   // the last operand that is stored, which accesses are shaped for
    Nest nest = {};                   // has a loop
    size_t columns = 0;               // number of the loop along which neighbours are
    int staged = -1;                  // the operand that comes through a tile
    int64_t width = 1;
    std::vector<Loading> loadings = {}; // of operands that are read

    size_t operands() const { return plan.operands.size(); }
    int width_bits(size_t o) const { return bits(plan.operands[o].type); }
    const Loop& column_loop() const { return nest.loops[columns]; }
    bool packs() const { return width > 1; } // what is stored goes to memory as one vector
    bool only_copies() const;                // vectors, without a look at their elements
    int64_t most_points() const;             // of a work-item
    int64_t points() const;                  // fewer where there would not be two groups for each unit
};
MapView view_of(const DeviceRow& row, const Plan& plan, const Step& step, Nest nest, int stored);
// The staged operand, if any, the width, `widest` at most, and how operands are read.
void set_loadings(MapView& view, int staged, int64_t widest);
// The most columns of an access for which `operand` and the loops allow a vector.
int64_t widest_of(const MapView& view, size_t operand);

// Operands that a program loads before it stores any: what it loads then may be what it has stored.
std::vector<bool> loaded_first(const Program& program, size_t operands);
int64_t statements_of(const MapView& view); // of the program
constexpr int64_t most_statements = 1024;   // printed for a batch, of which a compiler makes as many instructions

// Whether each row of an operand along the columns begins at a multiple of `width` elements, and ends at one.
bool has_whole(const Nest& nest, size_t operand, size_t columns, int64_t width);
// The loop along which operand 0 is dense, if that is not the columns, along which it has a stride: through a tile it
// can be read along that loop. No result: it has to be read where it is stored to, or lies otherwise.
std::optional<size_t> rows_of_tile(const Plan& plan, const Program* program, const Nest& nest, size_t columns);

Launch launch_on_gpu(MapView view); // one of these
Launch launch_of_points(const MapView& view);
Launch launch_of_tile(const MapView& view);
// The operand that is better read through a tile, or -1.
int staged_on_gpu(const MapView& view);

} // namespace tessera::gpu
