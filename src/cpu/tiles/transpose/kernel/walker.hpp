// SPDX-License-Identifier: Apache-2.0
// Walker: addresses of tile points on one side, as base + constants + strides that are arguments.
//
// Points are numbered by one coordinate a tile loop. Quads of four points of the longest loop share a base register, so
// points asked for in the order of rank() cost one addition every four; any other order is right, but dearer.
//
//   Walker from(code, spec, false);       // loads the strides, before any loop
//   from.start(src);                      // once a tile
//   code.load(from(at(spec.piece, 5)), 16);
#pragma once

#include <array>
#include <vector>

#include "cpu/tiles/transpose/kernel/contract.hpp"

namespace tessera::cpu {

using Coordinates = std::array<int, tile_loops>;

// The point at which the bits of `index`, lowest first, are the tile bits that `bits` lists.
Coordinates at(const std::vector<TileBit>& bits, unsigned index);
Coordinates operator+(Coordinates a, const Coordinates& b);

// How many of the elements that `bits` enumerate from `c` on exist: they are a prefix.
int existing(const TransposeSpec& spec, const std::vector<TileBit>& bits, const Coordinates& c);

class Walker {
public:
    Walker(jit::Code& code, const TransposeSpec& spec, bool dst);
    // `table`: where TransposeSpec::scattered has the places of its loop.
    void start(jit::Gpr base, jit::Gpr table = {});
    jit::Mem operator()(const Coordinates& c);

    // Points are cheap when these ascend: the secondary loops first, then the primary one.
    Coordinates rank(const Coordinates& c) const;

private:
    int64_t constant(int loop) const; // stride in elements, or -1
    bool scattered(int loop) const { return dst_ && loop == spec_.scattered; }
    void start_quads(const Coordinates& secondary);

    jit::Code& code_;
    const TransposeSpec& spec_;
    bool dst_;
    int primary_ = -1; // the longest of the loops whose stride is an argument
    std::array<jit::Gpr, tile_loops> stride_{};
    jit::Gpr triple_; // three strides of the primary loop
    jit::Gpr base_;   // of the tile
    jit::Gpr table_;
    // The quad asked for last: its first point, its number, where it lies in the secondary loops.
    jit::Gpr quad_base_;
    int quad_ = -1;
    Coordinates last_{};
    bool fresh_ = true; // there was none yet
};

} // namespace tessera::cpu
