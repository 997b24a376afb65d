// SPDX-License-Identifier: Apache-2.0
// Products in blocks of tiles.
#pragma once

#include "cpu/products/run/blocked.hpp"
#include "cpu/tiles/amx/tiles.hpp"

namespace tessera::cpu {

class TilesJob final : public BlockedJob {
public:
    TileKernels tiles;

    std::vector<const jit::Kernel*> kernels() const override;

private:
    void blocks(Unit& unit, DotArgs& args, const RowBlock& rows) const override;
    void whole_products(Unit& unit, int64_t products) const override;
    void leave(const Unit& unit) const override { tiles.leave(unit.configured); }
};

} // namespace tessera::cpu
