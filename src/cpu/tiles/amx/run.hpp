// SPDX-License-Identifier: Apache-2.0
// Jobs on tiles: products in blocks of tiles, and of tiles whose rows are B's columns.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "cpu/jit/kernel.hpp"
#include "cpu/products/run/blocked.hpp"
#include "cpu/tiles/amx/contract.hpp"

namespace tessera::cpu {

// The kernels of a job, and the configuration that each needs of the thread that calls it.
struct TileKernels {
    BlockedJob::Kernels kernel; // null where the shape has none of the blocks
    std::array<DotTiles, BlockedJob::variants> tiles;
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

class TilesJob final : public BlockedJob {
public:
    TileKernels tiles;

private:
    void blocks(Unit& unit, DotArgs& args, const RowBlock& rows) const override;
    void whole_products(Unit& unit, int64_t products) const override;
    void leave(const Unit& unit) const override { tiles.leave(unit.configured); }
};

struct TurnedChoice {
    DotSpec spec;      // of a full block
    KParts parts;      // of k; what is packed of A for one stays in L2
    int64_t chunk = 0; // of k at a time, whose B stays in L1; 0: a part
    int64_t unit_columns = 0, column_units = 1;
};

// Few rows read B but once, and packing it would take longer than everything else: where B is dense along k its columns
// are the rows of tiles, as they lie, and A's rows, packed as panels, their columns. The sums are transposed.
class TurnedJob final : public ProductJob {
public:
    TurnedChoice choice;
    TileKernels tiles;
    DotPacks transposes; // sums of some columns to rows
    DotPairs pairs;      // B, where it is computed

    void run(const Bases& bases, int64_t first, int64_t last) const override;
    void prepare(int64_t products_of_byte) override;

    // Elements between rows of sums, or of dst where they go there.
    int64_t row_of_sums() const { return v.direct ? v.c.row : round_up(choice.unit_columns, 16) + 16; }
    // Whose sums are transposed at a time, so that finished sums are still in L1.
    int64_t columns_at_once() const;
    int64_t panel_bytes(int64_t part) const {
        return packed_panel(part, v.depth, choice.spec.kind, bits(choice.spec.b));
    }

private:
    struct Unit : ProductUnit {
        char *a, *c, *part, *rows, *zeros; // scratch; rows: of B as bf16
        int configured = -1;
    };
    void product(Unit& unit) const;
    void sums(Unit& unit, int64_t first, int64_t wide, KPart k) const;
    void transpose(const Unit& unit, int64_t first, int64_t wide) const;

    int64_t bytes_a_ = 0, bytes_c_ = 0, bytes_part_ = 0, bytes_rows_ = 0, bytes_zeros_ = 0;
};
std::unique_ptr<Job> make_turned_job(Seen& seen);

} // namespace tessera::cpu
