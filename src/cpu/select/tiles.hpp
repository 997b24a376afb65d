// SPDX-License-Identifier: Apache-2.0
// The table of tiles: who may run a step, and at what cost.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/plan/steps/matrices.hpp"
#include "cpu/executor/job.hpp"

namespace tessera::cpu {

// A step, alone in its plan, and what the table asks about it.
struct Asked {
    Asked(const Plan& plan, const Matrices* matrices, int64_t zeros, const jit::Target& target, const Machine& machine);
    const Plan& plan;
    const Step& step;
    const Matrices* matrices; // of a product
    const int64_t zeros;      // that another step writes behind its rows (core/plan/rewrite/padding.hpp)
    const jit::Target& target;
    const Machine& machine;
    bool is_map = false;       // a map step
    bool may_share = false;    // src and dst may be one buffer: no point is computed twice
    bool long_rows = false;    // rows long enough for the map tile to be the fastest
    int64_t table_rows = 0;    // bytes of a row, dense on both sides, where rows lie anywhere; else 0
    bool gather_first = false; // short runs that the gather tile permutes faster than the transpose tile turns them
};

struct TileRow {
    std::string_view name;
    // Relative to a pass over long rows, for ordering alone; not_taken: it does not take such a step.
    double (*cost)(const Asked&);
    std::unique_ptr<Job> (*make)(const Asked&); // null where it turns out that it does not take this one
    bool writes_zeros = false;                  // Asked::zeros, too
};
inline constexpr double not_taken = 0;

std::span<const TileRow> tiles();

} // namespace tessera::cpu
