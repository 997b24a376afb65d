// SPDX-License-Identifier: Apache-2.0
// tiling: which points of a nest are a tile of the transpose kernel. A pure function of (nest, elements, target,
// machine).
//
//   line     the contiguous run of dst that fills a register: 16, 32 or 64 bytes
//   piece    the contiguous run of src that is loaded at once: as long as the registers allow
//   unroll   tiles of one or two registers take more of the same along another loop
//
//   nchw -> nhwc f32, 64 x 3136, 64-byte vectors: line = 16 rows, piece = 8 columns (32 bytes)
#pragma once

#include <optional>
#include <vector>

#include "core/machine.hpp"
#include "core/plan/nest.hpp"
#include "cpu/tiles/transpose/kernel/contract.hpp"

namespace tessera::cpu {

inline constexpr int64_t line_bytes = 64, page = 4096; // a way of L1 is a page on every x86

struct Tiling {
    TransposeSpec spec;
    std::vector<size_t> loops; // of the nest, for each of spec.loops
};

// No result when no tile fits.
std::optional<Tiling> tiling_of(const Nest& nest, const TransposeSpec& base, const jit::Target& target,
                                const Machine& machine);

// Whether so many lines that lie `step_bytes` apart fall into so few sets of L1 that its ways do not hold them.
bool lines_collide(const Machine& machine, int64_t step_bytes, int64_t lines);

// Whether the tiles load whole lines of src: each of it is fetched once, and as many lines of dst are in flight.
bool loads_lines(const TransposeSpec& spec);

// Loops from the one whose points lie closest on either side: neighbouring lines first, so that runs get longer.
// Indexed ones are left out.
std::vector<size_t> by_distance(const Nest& nest);

} // namespace tessera::cpu
