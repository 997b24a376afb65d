// SPDX-License-Identifier: Apache-2.0
// Few rows read B but once, and packing it would take longer than everything else: where B is dense along k its columns
// are the rows of tiles, as they lie, and A's rows, packed as panels, their columns. The sums are transposed.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "cpu/executor/job.hpp"
#include "cpu/products/choose/choose.hpp"
#include "cpu/products/pack/pairs.hpp"
#include "cpu/products/run/finish.hpp"
#include "cpu/tiles/amx/tiles.hpp"

namespace tessera::cpu {

struct TurnedChoice {
    DotSpec spec;      // of a full block
    KParts parts;      // of k; what is packed of A for one stays in L2
    int64_t chunk = 0; // of k at a time, whose B stays in L1; 0: a part
    int64_t unit_columns = 0, column_units = 1;
};
TurnedChoice choose_turned(const DotShape& s, DotKind kind, const Context& context);
std::string to_string(const TurnedChoice& choice);
std::unique_ptr<Job> make_turned_job(Seen& seen);

class TurnedJob final : public Job {
public:
    TurnedChoice choice;
    ProductViews v;
    SumsPass finish; // where sums do not go to dst
    TileKernels tiles;
    DotPacks pack_a, transposes; // transposes: sums of some columns to rows
    DotPairs pairs;              // B, where it is computed

    void run(const Bases& bases, int64_t first, int64_t last) const override;
    std::string text() const override;
    std::vector<const jit::Kernel*> kernels() const override;
    void prepare(int64_t products_of_byte); // units and scratch, when all else is set

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

    ProductUnits units_;
    int64_t bytes_a_ = 0, bytes_c_ = 0, bytes_part_ = 0, bytes_rows_ = 0, bytes_zeros_ = 0;
};

} // namespace tessera::cpu
