// SPDX-License-Identifier: Apache-2.0
// The kernels of a job on tiles, and the configuration that each needs of the thread that calls it.
#pragma once

#include <array>
#include <memory>

#include "cpu/jit/kernel.hpp"
#include "cpu/products/see/seen.hpp"
#include "cpu/tiles/amx/contract.hpp"

namespace tessera::cpu {

struct TileKernels {
    static constexpr size_t variants = 4;                            // full blocks, fewer columns, fewer rows, both
    std::array<std::shared_ptr<const jit::Kernel>, variants> kernel; // null where the shape has none of the blocks
    std::array<DotTiles, variants> tiles;
    std::shared_ptr<const jit::Kernel> configure, release;

    bool make_configuring(const jit::Target& target); // false where memory is short

    // `configured`: the variant whose configuration the thread has, or -1.
    void run(int& configured, size_t variant, DotArgs& args) const {
        if (configured != int(variant)) {
            if (configured < 0 || !(tiles[size_t(configured)] == tiles[variant]))
                (*configure)(const_cast<DotTiles*>(&tiles[variant]));
            configured = int(variant);
        }
        (*kernel[variant])(&args);
    }
    void leave(int configured) const { // before other code runs on the thread
        if (configured >= 0) (*release)(nullptr);
    }
};

} // namespace tessera::cpu
