// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/steps/asked.hpp"

#include <utility>

#include "cpu/products/see/seen.hpp"
#include "cpu/select/tile.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t short_row_bytes = 256; // shorter rows are moved by whole tiles: no tails, several rows a turn

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

} // namespace

Asked::Asked(const Plan& one, const Surroundings& beside, const jit::Target& on, const Context& row)
    : plan(one), step(one.steps[0]), around(beside), target(on), context(row),
      matrices(step.product ? matrices_of(plan, step) : std::nullopt),
      makes_jobs(plan.operands.size() <= job_operands && (step.group || step.nest.points() < Nest::most)),
      is_map(makes_jobs && step.kind == StepKind::map && step.nest.points() > 0) {
    if (!is_map) return;
    const auto written = size_t(plan.programs[0].ops.back().operand);
    may_share = shares(plan, step);
    long_rows = step.nest.loops.empty() || (tile_of(plan, step) == Tile::map && plan.operands.size() > 2) ||
                may_share || repeats(plan, step, target) ||
                step.nest.loops.back().extent * bits(plan.operands[written].type) / 8 >= short_row_bytes;
    table_rows = rows_by_table(plan, step);
    gather_first = !may_share && prefers_gather(plan, step, target);
}

Asked::~Asked() = default;

Seen* Asked::seen() const {
    if (std::exchange(looked_, true) || !matrices || !makes_jobs) return seen_.get();
    seen_ = std::make_unique<Seen>(plan, step, *matrices, target, context);
    if (seen_->see()) seen_.reset();
    return seen_.get();
}

const DotAnswer& Asked::products() const {
    if (!products_) products_ = ask_dot(plan, step, *matrices, target, context);
    return *products_;
}

} // namespace tessera::cpu
