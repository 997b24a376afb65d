// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/padding.hpp"

#include "core/plan/rewrite/operands.hpp"

namespace tessera {

namespace {

// What a nest visits of one operand: a row, and where rows are.
struct Rows {
    int64_t base = 0, row = 1;
    Nest nest;      // of that operand alone, in order
    bool ok = true; // no tables, no reduce loops
};

Rows rows_of(const Nest& nest, size_t operand) {
    Rows rows;
    rows.base = nest.base[operand];
    const size_t dense = dense_loop(nest, operand);
    if (dense < nest.loops.size()) rows.row = nest.loops[dense].extent;
    for (size_t k = 0; k < nest.loops.size(); ++k) {
        const Loop& loop = nest.loops[k];
        rows.ok &= !loop.table[operand] && loop.kind == LoopKind::map;
        if (k == dense) continue;
        Loop& own = rows.nest.loops.emplace_back();
        own.extent = loop.extent;
        own.stride.set(0, loop.stride[operand]);
    }
    rows.nest = coalesce(order(rows.nest, 1, 0), 1);
    return rows;
}

} // namespace

int64_t zeros_behind(const Plan& plan, const Step& map, const Step& fill) {
    if ((map.kind != StepKind::map && map.kind != StepKind::interpolate) || fill.kind != StepKind::fill) return 0;
    int stored = -1;
    for (const Op& op : plan.programs[size_t(map.program)].ops) {
        if (op.code != OpCode::store) continue;
        if (stored >= 0) return 0;
        stored = op.operand;
    }
    if (stored != fill.fill_operand || is_sub_byte(plan.operands[size_t(stored)].type)) return 0;
    const Rows rows = rows_of(map.nest, size_t(stored)), zeros = rows_of(fill.nest, size_t(stored));
    if (!rows.ok || !zeros.ok || zeros.base != rows.base + rows.row || rows.nest.loops != zeros.nest.loops) return 0;
    return zeros.row;
}

} // namespace tessera
