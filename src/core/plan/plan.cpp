#include "core/plan/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera {

std::string_view name(Tile tile) {
    constexpr std::string_view names[] = {"map", "transpose", "reduce"};
    return names[size_t(tile)];
}

Result<void> verify(const Plan& plan) {
    const int operands = int(plan.operands.size());
    for (const Program& p : plan.programs) {
        if (auto ok = verify(p, operands); !ok) return ok;
        for (const Op& op : p.ops)
            if (op.operand >= 0 && plan.operands[size_t(op.operand)].counted != (op.code == OpCode::index))
                return runtime_error("plan: {} {}", plan.operands[size_t(op.operand)].name,
                                     op.code == OpCode::index ? "has memory, and an index is asked for"
                                                              : "has no memory to read or write");
    }
    for (const Step& step : plan.steps) {
        if (step.kind == StepKind::run && (step.program < 0 || size_t(step.program) >= plan.programs.size()))
            return runtime_error("plan: a step without a program");
        if (step.kind == StepKind::run) {
            const auto& ops = plan.programs[size_t(step.program)].ops;
            const bool reduces =
                std::any_of(ops.begin(), ops.end(), [](const Op& op) { return op.code == OpCode::reduce_add; });
            if (reduces != (step.tile == Tile::reduce))
                return runtime_error("plan: a step of tile {} whose program {}", name(step.tile),
                                     reduces ? "reduces" : "does not reduce");
        }
        if (step.kind == StepKind::fill && (step.fill_operand < 0 || step.fill_operand >= operands))
            return runtime_error("plan: a fill without an operand");
        for (const Loop& loop : step.nest.loops) {
            if (loop.extent < 1) return runtime_error("plan: a loop of extent {}", loop.extent);
            for (size_t o = 0; o < loop.table.operands(); ++o)
                if (const Table& t = loop.table[o]; t && int64_t(t->size()) != loop.extent)
                    return runtime_error("plan: a table of {} entries for a loop of {}", t->size(), loop.extent);
        }
    }
    return {};
}

std::string to_string(const Plan& plan) {
    std::vector<std::string> names;
    for (const Operand& o : plan.operands) names.push_back(fmt::format("{}:{}", o.name, tessera::name(o.type)));
    const int operands = int(names.size());
    std::string text = fmt::format("plan {}\n  operands {}\n", plan.title, fmt::join(names, ", "));
    for (const Step& step : plan.steps) {
        std::string bases;
        for (size_t o = 0; o < names.size(); ++o)
            if (step.nest.base[o]) bases += fmt::format(" {}+{}", plan.operands[o].name, step.nest.base[o]);
        if (step.kind == StepKind::fill)
            text += fmt::format("  fill {:<14} loops({}){}\n", plan.operands[size_t(step.fill_operand)].name,
                                to_string(step.nest, operands), bases);
        else
            text += fmt::format("  run  tile={:<9} loops({}){} p{}\n", name(step.tile), to_string(step.nest, operands),
                                bases, step.program);
    }
    for (size_t i = 0; i < plan.programs.size(); ++i)
        text += fmt::format("  p{}: {}\n", i, to_string(plan.programs[i], names));
    return text;
}

} // namespace tessera
