#include "core/plan/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera {

std::string_view name(Tile tile) {
    constexpr std::string_view names[] = {"map", "transpose", "reduce", "dot"};
    return names[size_t(tile)];
}

namespace {

Result<void> verify_space(const Step& step, const Program& program) {
    if ((step.tile == Tile::dot) != bool(step.space))
        return runtime_error("plan: a step of tile {} {} a space", name(step.tile), step.space ? "with" : "without");
    if (!step.space) return {};
    for (const Op& op : program.ops)
        if (op.operand >= 0 && (size_t(op.operand) >= step.space->layouts.size() ||
                                step.space->layouts[size_t(op.operand)].dims.size() != step.space->dims.size()))
            return runtime_error("plan: a space of {} dims without a layout of operand {} over them",
                                 step.space->dims.size(), op.operand);
    for (const int64_t extent : step.space->dims)
        if (extent < 1) return runtime_error("plan: a space of extent {}", extent);
    return {};
}

std::string space_text(const Plan& plan, const Space& space) {
    std::string text, sum;
    for (size_t d = 0; d < space.dims.size(); ++d) {
        std::string& to = space.reduces(d) ? sum : text;
        to += fmt::format("{}{}", to.empty() ? "" : "x", space.dims[d]);
    }
    text += fmt::format(" sum {} of{}", sum, space.bf16_factors ? " (as bf16)" : "");
    for (size_t o = 0; o < space.layouts.size(); ++o) {
        if (space.layouts[o].dims.empty()) continue;
        text += fmt::format(" {}:{}", plan.operands[o].name, to_string(space.layouts[o]));
        if (space.layouts[o].offset) text += fmt::format("+{}", space.layouts[o].offset);
    }
    return text;
}

} // namespace

std::string SparseProduct::text() const {
    return fmt::format("{}x{} sum {} of {} elements of {} ({})", rows, columns, depth, elements,
                       is_src ? "src" : "weights", has_pointers ? "csr" : "coo");
}

bool Step::operator==(const Step& other) const {
    if (bool(space) != bool(other.space) || (space && !(*space == *other.space))) return false;
    if (bool(sparse) != bool(other.sparse) || (sparse && !(*sparse == *other.sparse))) return false;
    return kind == other.kind && tile == other.tile && nest == other.nest && program == other.program &&
           fill_operand == other.fill_operand;
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
            if (auto ok = verify_space(step, plan.programs[size_t(step.program)]); !ok) return ok;
            if (reduces != (step.tile == Tile::reduce || step.tile == Tile::dot))
                return runtime_error("plan: a step of tile {} whose program {}", name(step.tile),
                                     reduces ? "reduces" : "does not reduce");
        }
        if ((step.kind == StepKind::sparse) != bool(step.sparse))
            return runtime_error("plan: a step {} a sparse product", step.sparse ? "with" : "without");
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
        else if (step.sparse)
            text += fmt::format("  sparse {}\n", step.sparse->text());
        else if (step.space)
            text +=
                fmt::format("  run  tile={:<9} {} p{}\n", name(step.tile), space_text(plan, *step.space), step.program);
        else
            text += fmt::format("  run  tile={:<9} loops({}){} p{}\n", name(step.tile), to_string(step.nest, operands),
                                bases, step.program);
    }
    for (size_t i = 0; i < plan.programs.size(); ++i)
        text += fmt::format("  p{}: {}\n", i, to_string(plan.programs[i], names));
    return text;
}

} // namespace tessera
