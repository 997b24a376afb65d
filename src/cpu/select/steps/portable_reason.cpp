// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/steps/portable_reason.hpp"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include "core/plan/rewrite/operands.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/jit/codec.hpp"

namespace tessera::cpu {

namespace {

// The types that kernels do not load or store, "f64 and s64"; "" if there are none.
std::string foreign_types(const Plan& plan) {
    std::set<std::string> names;
    const Step& step = plan.steps[0];
    if (step.program < 0) return "";
    const Program program = whole_program(plan, step);
    for (const Op& op : program.ops) {
        if (op.code != OpCode::load && op.code != OpCode::store) continue;
        const DataType type = plan.operands[size_t(op.operand)].type;
        if (is_copy(program) ? is_sub_byte(type) : !jit::Codec::supports(type, ValueType::f32))
            names.emplace(name(type));
    }
    return fmt::format("{}", fmt::join(names, " and "));
}

bool computes_wide(const Plan& plan) {
    const auto wide = [](const Op& op) { return op.type != ValueType::f32 && op.type != ValueType::s32; };
    return std::ranges::any_of(plan.programs, [&](const Program& p) { return std::ranges::any_of(p.ops, wide); });
}

std::string reason(const Plan& plan, const std::string& tile) {
    const Step& step = plan.steps[0];
    if (plan.operands.size() > job_operands)
        return fmt::format("{} operands; kernels take up to {}", plan.operands.size(), job_operands);
    if (const std::string types = foreign_types(plan); !types.empty()) return "no kernels of " + types;
    if (step.kind == StepKind::fill && is_sub_byte(plan.operands[size_t(step.fill_operand)].type))
        return fmt::format("no kernels fill {}", name(plan.operands[size_t(step.fill_operand)].type));
    if (computes_wide(plan)) return "kernels compute in f32 and s32, this takes wider values";
    if (!tile.empty()) return tile;
    if (step.kind == StepKind::product) return "no kernel multiplies operands of these types and layouts";
    return "no kernel covers the loops " + to_string(step.nest, int(plan.operands.size()));
}

} // namespace

std::string why_portable(const Plan& plan, int number, const std::string& tile) {
    const Step& step = plan.steps[0];
    return fmt::format("step {} ({}): {}", number, name(step.kind), reason(plan, tile));
}

} // namespace tessera::cpu
