#include "core/plan/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera {

std::string_view name(StepKind kind) {
    constexpr std::string_view names[] = {"fill", "map", "reduce", "product", "interpolate", "sparse"};
    return names[size_t(kind)];
}

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

std::string values_text(const Plan& plan, const Interpolation& i) {
    const auto named = [&](int o) { return plan.operands[size_t(o)].name; };
    std::string text;
    for (const auto& [left, right] : i.values)
        text += fmt::format("{}({}, {})", text.empty() ? "" : ", ", named(left), named(right));
    return text + (i.weight < 0 ? fmt::format(" by {}", i.same) : " by " + named(i.weight));
}

std::string factor_text(const Plan& plan, const Factor& f) {
    const auto named = [&](int o) { return plan.operands[size_t(o)].name; };
    std::string text = f.zero < 0 ? named(f.operand) : fmt::format("({} - {})", named(f.operand), named(f.zero));
    return f.scale < 0 ? text : fmt::format("{} * {}", text, named(f.scale));
}

std::string product_text(const Plan& plan, const Step& step) {
    const Space& space = step.product->space;
    std::string text, sum;
    for (size_t d = 0; d < space.dims.size(); ++d) {
        std::string& to = space.reduces(d) ? sum : text;
        to += fmt::format("{}{}", to.empty() ? "" : "x", space.dims[d]);
    }
    const Product& product = *step.product;
    text += fmt::format(" sum {}, {} * {} in {}{}, of", sum, factor_text(plan, product.a), factor_text(plan, product.b),
                        product.type == ValueType::f32 ? "f32" : "s32", space.bf16_factors ? " (as bf16)" : "");
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
    if (bool(product) != bool(other.product) || (product && !(*product == *other.product))) return false;
    if (bool(sparse) != bool(other.sparse) || (sparse && !(*sparse == *other.sparse))) return false;
    if (bool(interpolation) != bool(other.interpolation) ||
        (interpolation && !(*interpolation == *other.interpolation)))
        return false;
    return kind == other.kind && nest == other.nest && program == other.program && fill_operand == other.fill_operand &&
           together == other.together;
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
        if (step.kind != StepKind::fill && step.kind != StepKind::sparse)
            if (auto ok = verify_program(plan, step); !ok) return ok;
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
        const std::string_view before = step.together ? "& " : "  ";
        if (step.kind == StepKind::fill)
            text += fmt::format("{}fill {:<8} loops({}){}\n", before, plan.operands[size_t(step.fill_operand)].name,
                                to_string(step.nest, operands), bases);
        else if (step.sparse)
            text += fmt::format("{}sparse {}\n", before, step.sparse->text());
        else if (step.product)
            text += fmt::format("{}product {}  p{}\n", before, product_text(plan, step), step.program);
        else if (step.interpolation)
            text += fmt::format("{}interpolate {}  loops({}){}  p{}\n", before, values_text(plan, *step.interpolation),
                                to_string(step.nest, operands), bases, step.program);
        else
            text += fmt::format("{}{:<13} loops({}){}  p{}\n", before, name(step.kind), to_string(step.nest, operands),
                                bases, step.program);
    }
    for (size_t i = 0; i < plan.programs.size(); ++i)
        text += fmt::format("  p{}: {}\n", i, to_string(plan.programs[i], names));
    return text;
}

} // namespace tessera
