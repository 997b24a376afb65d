#include "cpu/select/tile.hpp"

#include <algorithm>

namespace tessera::cpu {

namespace {

// The loop along which the operand's elements touch; null if there is none, or if it has offset tables.
const Loop* dense_loop(const Nest& nest, size_t operand) {
    for (size_t k = nest.loops.size(); k-- > 0;) {
        const Loop& loop = nest.loops[k];
        if (!loop.table[operand] && loop.extent > 1 && loop.stride[operand] == 1)
            return loop.indexed() ? nullptr : &loop;
    }
    return nullptr;
}

} // namespace

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
    const Loop* const src = dense_loop(step.nest, size_t(first->operand));
    const Loop* const dst = dense_loop(step.nest, size_t(ops.back().operand));
    return src && dst && src != dst ? Tile::transpose : Tile::map;
}

} // namespace tessera::cpu
