// tiling: which points of a nest are a tile of the transpose kernel. A pure function of (nest, elements, target).
//
//   line     the contiguous run of dst that fills a register: 16, 32 or 64 bytes
//   piece    the contiguous run of src that is loaded at once: as long as the registers allow
//   unroll   tiles of one or two registers take more of the same along another loop
//
//   nchw -> nhwc f32, 64 x 3136, 64-byte vectors: line = 16 rows, piece = 8 columns (32 bytes)
#pragma once

#include <optional>
#include <vector>

#include "core/plan/nest.hpp"
#include "cpu/tiles/transpose/kernel/contract.hpp"

namespace tessera::cpu {

struct Tiling {
    TransposeSpec spec;
    std::vector<size_t> loops; // of the nest, for each of spec.loops
};

// No result when no tile fits.
std::optional<Tiling> tiling_of(const Nest& nest, const TransposeSpec& base, const jit::Target& target);

// Loops from the one whose points lie closest on either side: neighbouring lines first, so that runs get longer.
// Indexed ones are left out.
std::vector<size_t> by_distance(const Nest& nest);

} // namespace tessera::cpu
