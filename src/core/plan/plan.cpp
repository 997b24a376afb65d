// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan.hpp"

#include <algorithm>

namespace tessera {

namespace {

bool has(const Program& p, OpCode code) {
    return std::any_of(p.ops.begin(), p.ops.end(), [=](const Op& op) { return op.code == code; });
}

Result<void> verify_product(const Step& step, const Program& epilogue) {
    const Product& product = *step.product;
    const Space& space = product.space;
    std::vector<int> used;
    for (const Factor& f : {product.a, product.b}) {
        if (f.operand < 0) return runtime_error("plan: a product of a factor without an operand");
        for (const int o : {f.operand, f.zero, f.scale})
            if (o >= 0) used.push_back(o);
    }
    for (const Op& op : epilogue.ops) {
        if (op.operand >= 0) used.push_back(op.operand);
        if (op.code == OpCode::total && op.type != product.type)
            return runtime_error("plan: a product in one type whose epilogue takes the sum in another");
    }
    for (const int o : used)
        if (size_t(o) >= space.layouts.size() || space.layouts[size_t(o)].dims.size() != space.dims.size())
            return runtime_error("plan: a space of {} dims without a layout of operand {} over them", space.dims.size(),
                                 o);
    for (const int64_t extent : space.dims)
        if (extent < 1) return runtime_error("plan: a space of extent {}", extent);
    return {};
}

Result<void> verify_values(const Plan& plan, const Interpolation& i, const Program& p) {
    const auto exists = [&](int o) { return o >= 0 && size_t(o) < plan.operands.size(); };
    for (const auto& [left, right] : i.values)
        if (!exists(left) || !exists(right))
            return runtime_error("plan: neighbours {} and {}: no such operands", left, right);
    if (i.weight >= 0 && (!exists(i.weight) || plan.operands[size_t(i.weight)].constant < 0))
        return runtime_error("plan: weights of an interpolation that are no constant of the plan");
    for (const Op& op : p.ops)
        if (op.code == OpCode::lerp && (op.constant < 0 || op.constant >= double(i.values.size())))
            return runtime_error("plan: value {} of {} interpolations", op.constant, i.values.size());
    return {};
}

Result<void> verify_program(const Plan& plan, const Step& step) {
    if (step.program < 0 || size_t(step.program) >= plan.programs.size())
        return runtime_error("plan: a step ({}) without a program", name(step.kind));
    const Program& p = plan.programs[size_t(step.program)];
    const bool reduces = std::any_of(p.ops.begin(), p.ops.end(), [](const Op& op) { return is_reduction(op.code); });
    const bool takes_total = has(p, OpCode::total);
    const bool interpolates = has(p, OpCode::lerp);
    if (reduces != (step.kind == StepKind::reduce))
        return runtime_error("plan: a step ({}) whose program {}", name(step.kind),
                             reduces ? "reduces" : "does not reduce");
    if (takes_total != (step.kind == StepKind::product))
        return runtime_error("plan: a step ({}) whose program {} a total", name(step.kind),
                             takes_total ? "takes" : "does not take");
    if (bool(step.product) != (step.kind == StepKind::product))
        return runtime_error("plan: a step ({}) {} factors", name(step.kind), step.product ? "with" : "without");
    if (interpolates != (step.kind == StepKind::interpolate) || interpolates != bool(step.interpolation))
        return runtime_error("plan: a step ({}) whose program {}", name(step.kind),
                             interpolates ? "interpolates" : "does not interpolate");
    if (interpolates)
        if (auto ok = verify_values(plan, *step.interpolation, p); !ok) return ok;
    return step.product ? verify_product(step, p) : Result<void>{};
}

Result<void> verify_loops(const Nest& nest) {
    for (const Loop& loop : nest.loops) {
        if (loop.extent < 1) return runtime_error("plan: a loop of extent {}", loop.extent);
        for (size_t o = 0; o < loop.table.operands(); ++o)
            if (const Table& t = loop.table[o]; t && int64_t(t->size()) != loop.extent)
                return runtime_error("plan: a table of {} entries for a loop of {}", t->size(), loop.extent);
    }
    return {};
}

Result<void> verify_step(const Plan& plan, const Step& step);

Result<void> verify_group(const Plan& plan, const Step& group) {
    const bool repeats = group.kind == StepKind::repeat;
    if (bool(group.group) != (repeats || group.kind == StepKind::group))
        return runtime_error("plan: a step ({}) {} steps of its own", name(group.kind),
                             group.group ? "with" : "without");
    if (!group.group) return {};
    for (const Loop& loop : group.nest.loops) {
        if (loop.kind == LoopKind::reduce)
            return runtime_error("plan: a {} whose steps share a reduction", name(group.kind));
        if (repeats && loop.indexed()) return runtime_error("plan: a repeat along an indexed loop");
    }
    for (const Step& step : group.group->steps) {
        if (repeats ? step.kind == StepKind::sparse
                    : step.kind != StepKind::fill && step.kind != StepKind::map && step.kind != StepKind::reduce)
            return runtime_error("plan: a {} with a step ({}); it may have {}", name(group.kind), name(step.kind),
                                 repeats ? "all but sparse products" : "fills, maps and reductions");
        if (auto ok = verify_step(plan, step); !ok) return ok;
    }
    for (size_t o = 0; o < plan.operands.size(); ++o) {
        const auto whole = [&](int64_t elements) { return elements * bits(plan.operands[o].type) % 8 == 0; };
        bool bytes = whole(group.nest.base[o]);
        for (const Loop& loop : group.nest.loops) {
            if (!loop.table[o]) bytes &= whole(loop.stride[o]);
            for (size_t i = 0; loop.table[o] && i < loop.table[o]->size(); ++i) bytes &= whole((*loop.table[o])[i]);
        }
        if (!bytes)
            return runtime_error("plan: a {} along which {} moves by parts of bytes", name(group.kind),
                                 plan.operands[o].name);
        bool moves = group.nest.base[o] != 0;
        for (const Loop& loop : group.nest.loops) moves |= loop.table[o] || loop.stride[o] != 0;
        if (moves && (plan.operands[o].counted || plan.operands[o].constant >= 0))
            return runtime_error("plan: a {} along which {} moves, which is no memory of the caller", name(group.kind),
                                 plan.operands[o].name);
    }
    return {};
}

Result<void> verify_step(const Plan& plan, const Step& step) {
    const bool bare = step.kind == StepKind::fill || step.kind == StepKind::sparse || step.group;
    if (!bare)
        if (auto ok = verify_program(plan, step); !ok) return ok;
    if ((step.kind == StepKind::sparse) != bool(step.sparse))
        return runtime_error("plan: a step {} a sparse product", step.sparse ? "with" : "without");
    if (auto ok = verify_group(plan, step); !ok) return ok;
    if (step.kind == StepKind::fill && (step.fill_operand < 0 || size_t(step.fill_operand) >= plan.operands.size()))
        return runtime_error("plan: a fill without an operand");
    return verify_loops(step.nest);
}

} // namespace

bool Step::operator==(const Step& other) const {
    if (bool(product) != bool(other.product) || (product && !(*product == *other.product))) return false;
    if (bool(sparse) != bool(other.sparse) || (sparse && !(*sparse == *other.sparse))) return false;
    if (bool(interpolation) != bool(other.interpolation) ||
        (interpolation && !(*interpolation == *other.interpolation)))
        return false;
    if (bool(group) != bool(other.group) || (group && !(*group == *other.group))) return false;
    return kind == other.kind && nest == other.nest && program == other.program && fill_operand == other.fill_operand &&
           in_order == other.in_order && together == other.together;
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
    for (const Step& step : plan.steps)
        if (auto ok = verify_step(plan, step); !ok) return ok;
    return {};
}

} // namespace tessera
