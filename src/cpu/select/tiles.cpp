// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/tiles.hpp"

#include <array>

#include <fmt/format.h>

#include "core/plan/rewrite/in_nests.hpp"
#include "core/plan/rewrite/split_product.hpp"
#include "core/sort_few.hpp"
#include "cpu/products/see/seen.hpp"
#include "cpu/tiles/rows/run.hpp"
#include "cpu/tiles/sparse/run.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t least_table_row = 16; // bytes; of shorter ones other tiles store several at once

// A store of the gather tile costs a load and a permute a window: up to 4 it beats the transpose tile on short loops,
// up to 16 the map tile's short rows and the portable loops.
constexpr int windows_of_choice = 4, windows_at_most = 16;

constexpr auto of_kind = [](const Asked& a, StepKind kind) { return a.step.kind == kind ? 1. : not_taken; };
constexpr auto of_product = [](const Asked& a, double cost) { return a.matrices ? cost : not_taken; };

// Products of one tile, as they are.
constexpr auto of_tile = [](const Asked& a, ProductTile tile) {
    const Seen* const seen = a.seen();
    return seen && seen->tile() == tile ? 1. : not_taken;
};

std::string why_no_product(const Asked& a) {
    return a.products().taken ? "a tile takes it, but one of its kernels or packs could not be made: an error of ours"
                              : a.products().why_not;
}

constexpr TileRow table[] = {
    {.name = "fill",
     .cost = [](const Asked& a) { return of_kind(a, StepKind::fill); },
     .make = [](const Asked& a) { return make_fill_job(a.plan, a.step, a.target); }},

    {.name = "sum in parts",
     .cost = [](const Asked& a) { return of_product(a, .1); },
     .rewrite = [](const Asked& a) { return split_depth(a.plan, a.step, *a.matrices, a.around.products); }},
    {.name = "map of one product",
     .cost = [](const Asked& a) { return of_product(a, .2); },
     .rewrite = [](const Asked& a) { return without_sum(a.plan, a.step, *a.matrices); }},
    {.name = "few",
     .cost = [](const Asked& a) { return of_tile(a, ProductTile::few); },
     .make = [](const Asked& a) { return make_few_job(*a.seen()); }},
    {.name = "amx",
     .cost = [](const Asked& a) { return of_tile(a, ProductTile::amx); },
     .make = [](const Asked& a) { return make_amx_job(*a.seen()); }},
    {.name = "dot",
     .cost = [](const Asked& a) { return of_tile(a, ProductTile::dot); },
     .make = [](const Asked& a) { return make_dot_job(*a.seen()); }},
    {.name = "parts apart",
     .cost = [](const Asked& a) { return of_product(a, 2); },
     .rewrite =
         [](const Asked& a) {
             return a.products().taken && a.products().parts.any()
                        ? split_dot(a.plan, a.step, *a.matrices, a.products().parts)
                        : std::nullopt;
         }},
    {.name = "zero points apart",
     .cost = [](const Asked& a) { return of_product(a, 3); },
     .rewrite =
         [](const Asked& a) { return a.products().taken ? std::nullopt : split_zeros(a.plan, a.step, *a.matrices); },
     .why_not = why_no_product},

    {.name = "sparse",
     .cost = [](const Asked& a) { return a.around.whole ? of_kind(a, StepKind::sparse) : not_taken; },
     .compile = [](const Asked& a) { return make_sparse(a.around.whole, a.context); },
     .why_not =
         [](const Asked&) {
             return std::string("the list has fewer elements than the dense factor, whose rows are apart, has rows");
         }},

    {.name = "rows",
     .cost = [](const Asked& a) { return of_kind(a, StepKind::group); },
     .make = [](const Asked& a) { return make_rows_job(a.plan, a.step, a.around.local, a.target, a.context); }},

    {.name = "lerp",
     .cost = [](const Asked& a) { return a.around.zeros ? .5 * of_kind(a, StepKind::interpolate) : not_taken; },
     .make = [](const Asked& a) { return make_lerp_job(a.plan, a.step, a.target, a.context, a.around.zeros); },
     .writes_zeros = true},
    {.name = "lerp",
     .cost = [](const Asked& a) { return of_kind(a, StepKind::interpolate); },
     .make = [](const Asked& a) { return make_lerp_job(a.plan, a.step, a.target, a.context); }},
    {.name = "map between neighbours",
     .cost = [](const Asked& a) { return 2 * of_kind(a, StepKind::interpolate); },
     .rewrite = [](const Asked& a) { return std::optional(as_map(a.plan, a.step)); }},

    {.name = "scatter",
     .cost = [](const Asked& a) { return a.step.in_order ? .5 * of_kind(a, StepKind::reduce) : not_taken; },
     .make = [](const Asked& a) { return make_scatter_job(a.plan, a.step, a.target, a.context); }},
    {.name = "reduce",
     .cost = [](const Asked& a) { return a.step.nest.points() > 0 ? of_kind(a, StepKind::reduce) : not_taken; },
     .make = [](const Asked& a) { return make_reduce_job(a.plan, a.step, a.target, a.context); }},
    {.name = "windows",
     .cost = [](const Asked& a) { return a.is_map && are_windows_of_one(a.plan, a.step) ? .5 : not_taken; },
     .make = [](const Asked& a) { return make_reduce_job(a.plan, a.step, a.target, a.context); }},

    {.name = "map",
     .cost = [](const Asked& a) { return a.is_map && a.around.zeros ? .2 : not_taken; },
     .make = [](const Asked& a) { return make_held_job(a.plan, a.step, a.target, a.context, a.around.zeros); },
     .writes_zeros = true},
    {.name = "gather",
     .cost =
         [](const Asked& a) { return a.is_map && a.around.zeros && !a.may_share && !a.table_rows ? .3 : not_taken; },
     .make =
         [](const Asked& a) {
             return make_gather_job(a.plan, a.step, a.target, a.context, windows_of_choice, a.around.zeros);
         },
     .writes_zeros = true},
    {.name = "map",
     .cost =
         [](const Asked& a) {
             return !a.is_map                         ? not_taken
                    : a.long_rows                     ? 1
                    : a.table_rows >= least_table_row ? 1.5
                    : a.table_rows                    ? 2.5
                                                      : 5;
         },
     .make = [](const Asked& a) { return make_map_job(a.plan, a.step, a.target, a.context); }},
    {.name = "pick",
     .cost = [](const Asked& a) { return a.is_map ? 1.7 : not_taken; },
     .make = [](const Asked& a) { return make_pick_job(a.plan, a.step, a.target, a.context); }},
    {.name = "gather",
     .cost = [](const Asked& a) { return a.is_map && a.gather_first ? 2 : not_taken; },
     .make = [](const Asked& a) { return make_gather_job(a.plan, a.step, a.target, a.context, windows_of_choice); }},
    {.name = "transpose",
     .cost = [](const Asked& a) { return a.is_map ? 3 : not_taken; },
     .make = [](const Asked& a) { return make_transpose_job(a.plan, a.step, a.target, a.context); }},
    {.name = "gather",
     .cost = [](const Asked& a) { return a.is_map && !a.may_share ? 4 : not_taken; },
     .make = [](const Asked& a) { return make_gather_job(a.plan, a.step, a.target, a.context, windows_at_most); }},
    {.name = "map through a buffer",
     .cost = [](const Asked& a) { return a.is_map ? 6 : not_taken; },
     .make = [](const Asked& a) { return make_packed_job(a.plan, a.step, a.target); }},
};

struct Candidate {
    double cost;
    const TileRow* row;
};

// Whether the row takes the step.
bool takes(const TileRow& row, const Asked& asked, Answer& answer) {
    if (row.rewrite) return (answer.parts = row.rewrite(asked)).has_value();
    if (row.compile) return bool(answer.choice.executable = row.compile(asked));
    return bool(answer.choice.job = row.make(asked));
}

} // namespace

std::span<const TileRow> tiles() { return table; }

Answer ask_tiles(const Asked& asked) {
    std::array<Candidate, std::size(table)> all;
    size_t count = 0;
    for (const TileRow& row : table)
        if (const double cost = row.cost(asked); cost != not_taken && (asked.makes_jobs || !row.make))
            all[count++] = {cost, &row};
    const std::span<Candidate> candidates(all.data(), count);
    sort_few(candidates.begin(), candidates.end(), [](const auto& x, const auto& y) { return x.cost < y.cost; });
    Answer answer;
    for (const auto& [cost, row] : candidates) {
        if (takes(*row, asked, answer)) {
            answer.row = row, answer.choice.tile = row->name;
            return answer;
        }
        std::string& tried = answer.choice.tried;
        if (!row->rewrite) tried += fmt::format("{}{}", tried.empty() ? "" : ", ", row->name);
    }
    for (const TileRow& row : table)
        if (row.why_not && row.cost(asked) != not_taken) answer.why_not = row.why_not(asked);
    return answer;
}

} // namespace tessera::cpu
