// The plan, point by point: the definition of what steps mean.
#include "core/plan/plan.hpp"

#include <functional>

namespace tessera {

namespace {

using Elements = std::array<int64_t, max_operands>;

// Calls `body` for each point of loops [first, last).
void each(const Nest& nest, size_t first, size_t last, Elements at, const std::function<void(const Elements&)>& body) {
    if (first == last) return body(at);
    const Loop& loop = nest.loops[first];
    for (int64_t i = 0; i < loop.extent; ++i) {
        Elements next = at;
        for (int o = 0; o < max_operands; ++o) next[size_t(o)] += loop.offset(o, i);
        each(nest, first + 1, last, next, body);
    }
}

// Reductions sum in the value's type; only integer sums exist so far, so the order does not matter.
void reduce_point(const Program& p, const Nest& nest, size_t first, const Elements& at, std::span<const DataType> types,
                  std::span<void* const> pointers) {
    int64_t sum = 0;
    each(nest, first, nest.loops.size(), at, [&](const Elements& inner) {
        sum += read<int32_t>(types[size_t(p.ops[0].operand)], pointers[size_t(p.ops[0].operand)],
                             inner[size_t(p.ops[0].operand)]);
    });
    // The rest of the program on the sum: load and reduce_add become a constant.
    Program rest = p;
    rest.ops[0] = {OpCode::constant, p.ops[0].type, -1, -1, -1, double(sum)};
    eval(rest, types, pointers, at);
}

} // namespace

void interpret(const Plan& plan, std::span<void* const> pointers) {
    std::vector<DataType> types;
    for (const Operand& o : plan.operands) types.push_back(o.type);
    for (const Step& step : plan.steps) {
        if (step.kind == StepKind::fill) {
            const auto o = size_t(step.fill_operand);
            each(step.nest, 0, step.nest.loops.size(), step.nest.base,
                 [&](const Elements& at) { write_bits(types[o], pointers[o], at[o], 0); });
            continue;
        }
        const Program& p = plan.programs[size_t(step.program)];
        size_t outer = 0;
        while (outer < step.nest.loops.size() && step.nest.loops[outer].kind != LoopKind::reduce) ++outer;
        each(step.nest, 0, outer, step.nest.base, [&](const Elements& at) {
            if (step.tile == Tile::reduce)
                reduce_point(p, step.nest, outer, at, types, pointers);
            else
                eval(p, types, pointers, at);
        });
    }
}

} // namespace tessera
