// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/tile.hpp"

#include <algorithm>

#include "core/plan/rewrite/operands.hpp"

namespace tessera::cpu {

std::string_view name(Tile tile) {
    constexpr std::string_view names[] = {"map", "transpose", "reduce"};
    return names[size_t(tile)];
}

Tile tile_of(const Plan& plan, const Step& step) {
    if (step.kind == StepKind::reduce) return Tile::reduce;
    if (step.kind != StepKind::map) return Tile::map;
    const auto& ops = plan.programs[size_t(step.program)].ops;
    const auto first = std::find_if(ops.begin(), ops.end(), [](const Op& op) { return op.code == OpCode::load; });
    if (first == ops.end()) return Tile::map;
    const auto& loops = step.nest.loops;
    const size_t src = dense_loop(step.nest, size_t(first->operand));
    const size_t dst = dense_loop(step.nest, size_t(ops.back().operand));
    const bool apart = src != dst && src < loops.size() && dst < loops.size();
    return apart && !loops[src].indexed() && !loops[dst].indexed() ? Tile::transpose : Tile::map;
}

} // namespace tessera::cpu
