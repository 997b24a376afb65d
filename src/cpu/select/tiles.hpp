// SPDX-License-Identifier: Apache-2.0
// The table of tiles: who may run a step, and at what cost. A row is a tile, which makes a job of the step or an
// executable, or a rewriting of the step into others, about which the table is asked again.
//
//   a product with few results and a long sum    "sum in parts" rewrites it; each part is "dot"
//   a product whose left factor is in blocks     "dot" makes no job; "parts apart" rewrites it: a map, and "dot"
//
// No row takes a repeat, nor a group that the rows tile refuses: the table is asked about their steps one by one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/engine.hpp"
#include "cpu/select/selection.hpp"
#include "cpu/select/steps/asked.hpp"

namespace tessera::cpu {

struct TileRow {
    std::string_view name;
    // Relative to a pass over long rows, for ordering alone; not_taken: it does not take such a step.
    double (*cost)(const Asked&);
    // A row has one of these three. They give nothing where it turns out that the row does not take the step.
    std::unique_ptr<Job> (*make)(const Asked&) = nullptr; // asked where Asked::makes_jobs
    std::optional<Plan> (*rewrite)(const Asked&) = nullptr;
    std::shared_ptr<const Executable> (*compile)(const Asked&) = nullptr;
    bool writes_zeros = false; // Surroundings::zeros, too
    // Where no row takes the step: what this one lacks, for people.
    std::string (*why_not)(const Asked&) = nullptr;
};
inline constexpr double not_taken = 0;

std::span<const TileRow> tiles();

// What the cheapest row that takes the step makes of it.
struct Answer {
    const TileRow* row = nullptr; // none takes it
    Choice choice;                // its tile, and a job or an executable; tried are tiles alone
    std::optional<Plan> parts;    // or operands of the step's plan, then some in scratch memory, and steps over these
    std::string why_not;          // where there is no row
};
Answer ask_tiles(const Asked& asked);

} // namespace tessera::cpu
