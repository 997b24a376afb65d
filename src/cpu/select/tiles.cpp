// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/tiles.hpp"

#include "cpu/select/tile.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t short_row_bytes = 256; // shorter rows are moved by whole tiles: no tails, several rows a turn

constexpr int64_t least_table_row = 16; // bytes; of shorter ones other tiles store several at once

// A store of the gather tile costs a load and a permute a window: up to 4 it beats the transpose tile on short loops,
// up to 16 the map tile's short rows and the portable loops.
constexpr int windows_of_choice = 4, windows_at_most = 16;

// Operand 0 and dst lie alike and are equally wide, so that they may be one buffer. Tiles that move a point twice at
// the end of a loop would then compute it twice.
bool shares(const Plan& plan, const Step& step) {
    const Program& program = plan.programs[0];
    if (is_copy(program) || plan.operands.size() < 2) return false;
    const auto written = size_t(program.ops.back().operand);
    for (const Op& op : program.ops) {
        const auto o = size_t(op.operand);
        if (op.code != OpCode::load || o == written || bits(plan.operands[o].type) != bits(plan.operands[written].type))
            continue;
        bool alike = step.nest.base[o] == step.nest.base[written];
        for (const Loop& loop : step.nest.loops)
            alike &= !loop.table[o] && !loop.table[written] && loop.stride[o] == loop.stride[written];
        if (alike) return true;
    }
    return false;
}

// Whole vectors that are stored again and again, one behind the other: nothing to transpose. bf16 nChw16c 16x2048x7x7
// from 1x1, two threads, 0.35 of oneDNN 3.2 by the transpose tile.
bool repeats(const Plan& plan, const Step& step, const jit::Target& target) {
    const auto& loops = step.nest.loops;
    if (loops.size() < 2 || loops.back().extent % (target.vector_bytes / 4)) return false;
    const Loop &columns = loops.back(), &rows = loops[loops.size() - 2];
    if (columns.indexed() || rows.indexed()) return false;
    for (const Op& op : plan.programs[0].ops) {
        if (op.operand < 0) continue;
        const auto o = size_t(op.operand);
        const int64_t apart = op.code == OpCode::store ? columns.extent : 0;
        if (columns.stride[o] != 1 || rows.stride[o] != apart) return false;
    }
    return !is_copy(plan.programs[0]);
}

// Channels that a table moves as one: nearest resampling of nhwc and of blocked layouts.
int64_t rows_by_table(const Plan& plan, const Step& step) {
    const auto& loops = step.nest.loops;
    if (loops.size() < 2 || loops.back().indexed() || !loops[loops.size() - 2].indexed()) return 0;
    for (const Op& op : plan.programs[0].ops) {
        if (op.operand < 0) continue;
        const int64_t stride = loops.back().stride[size_t(op.operand)];
        if (stride != 1 && (stride != 0 || op.code == OpCode::store)) return 0;
    }
    return loops.back().extent * bits(plan.operands[size_t(plan.programs[0].ops.back().operand)].type) / 8;
}

constexpr auto of_kind = [](const Asked& a, StepKind kind) { return a.step.kind == kind ? 1. : not_taken; };

} // namespace

Asked::Asked(const Plan& one, const Matrices* own, int64_t behind, const jit::Target& on, const Machine& row)
    : plan(one), step(one.steps[0]), matrices(own), zeros(behind), target(on), machine(row) {
    is_map = step.kind == StepKind::map && step.nest.points() > 0;
    if (!is_map) return;
    const auto written = size_t(plan.programs[0].ops.back().operand);
    may_share = shares(plan, step);
    long_rows = step.nest.loops.empty() || (tile_of(plan, step) == Tile::map && plan.operands.size() > 2) ||
                may_share || repeats(plan, step, target) ||
                step.nest.loops.back().extent * bits(plan.operands[written].type) / 8 >= short_row_bytes;
    table_rows = rows_by_table(plan, step);
    gather_first = !may_share && prefers_gather(plan, step, target);
}

std::span<const TileRow> tiles() {
    static constexpr TileRow rows[] = {
        {"fill", [](const Asked& a) { return of_kind(a, StepKind::fill); },
         [](const Asked& a) { return make_fill_job(a.plan, a.step, a.target); }},
        {"dot", [](const Asked& a) { return of_kind(a, StepKind::product); },
         [](const Asked& a) { return make_dot_job(a.plan, a.step, *a.matrices, a.target, a.machine); }},
        {"lerp", [](const Asked& a) { return a.zeros ? .5 * of_kind(a, StepKind::interpolate) : not_taken; },
         [](const Asked& a) { return make_lerp_job(a.plan, a.step, a.target, a.machine, a.zeros); }, true},
        {"lerp", [](const Asked& a) { return of_kind(a, StepKind::interpolate); },
         [](const Asked& a) { return make_lerp_job(a.plan, a.step, a.target, a.machine); }},
        {"scatter", [](const Asked& a) { return a.step.kind == StepKind::reduce && a.step.in_order ? 0.5 : not_taken; },
         [](const Asked& a) { return make_scatter_job(a.plan, a.step, a.target, a.machine); }},
        {"reduce",
         [](const Asked& a) { return a.step.kind == StepKind::reduce && a.step.nest.points() > 0 ? 1. : not_taken; },
         [](const Asked& a) { return make_reduce_job(a.plan, a.step, a.target, a.machine); }},
        {"windows", [](const Asked& a) { return a.is_map && are_windows_of_one(a.plan, a.step) ? 0.5 : not_taken; },
         [](const Asked& a) { return make_reduce_job(a.plan, a.step, a.target, a.machine); }},
        {"map", [](const Asked& a) { return a.is_map && a.zeros ? 0.2 : not_taken; },
         [](const Asked& a) { return make_held_job(a.plan, a.step, a.target, a.machine, a.zeros); }, true},
        {"gather",
         [](const Asked& a) { return a.is_map && a.zeros && !a.may_share && !a.table_rows ? 0.3 : not_taken; },
         [](const Asked& a) {
             return make_gather_job(a.plan, a.step, a.target, a.machine, windows_of_choice, a.zeros);
         },
         true},
        {"map",
         [](const Asked& a) {
             return !a.is_map                         ? not_taken
                    : a.long_rows                     ? 1
                    : a.table_rows >= least_table_row ? 1.5
                    : a.table_rows                    ? 2.5
                                                      : 5;
         },
         [](const Asked& a) { return make_map_job(a.plan, a.step, a.target, a.machine); }},
        {"pick", [](const Asked& a) { return a.is_map ? 1.7 : not_taken; },
         [](const Asked& a) { return make_pick_job(a.plan, a.step, a.target, a.machine); }},
        {"gather", [](const Asked& a) { return a.is_map && a.gather_first ? 2 : not_taken; },
         [](const Asked& a) { return make_gather_job(a.plan, a.step, a.target, a.machine, windows_of_choice); }},
        {"transpose", [](const Asked& a) { return a.is_map ? 3 : not_taken; },
         [](const Asked& a) { return make_transpose_job(a.plan, a.step, a.target, a.machine); }},
        {"gather", [](const Asked& a) { return a.is_map && !a.may_share ? 4 : not_taken; },
         [](const Asked& a) { return make_gather_job(a.plan, a.step, a.target, a.machine, windows_at_most); }},
        {"map through a buffer", [](const Asked& a) { return a.is_map ? 6 : not_taken; },
         [](const Asked& a) { return make_packed_job(a.plan, a.step, a.target); }},
    };
    return rows;
}

} // namespace tessera::cpu
