// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include "core/plan/plan.hpp"

namespace tessera {

std::string_view name(StepKind kind) {
    constexpr std::string_view names[] = {"fill",        "map",    "reduce", "product",
                                          "interpolate", "sparse", "group",  "repeat"};
    return names[size_t(kind)];
}

namespace {

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

std::string_view rounding_text(FpmathMode mode) {
    constexpr std::string_view texts[] = {"", " (as bf16)", " (as f16)", " (as any)", " (as tf32)"};
    return texts[size_t(mode)];
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
                        product.type == ValueType::f32 ? "f32" : "s32", rounding_text(space.fpmath));
    for (size_t o = 0; o < space.layouts.size(); ++o) {
        if (space.layouts[o].dims.empty()) continue;
        text += fmt::format(" {}:{}", plan.operands[o].name, to_string(space.layouts[o]));
        if (space.layouts[o].offset) text += fmt::format("+{}", space.layouts[o].offset);
    }
    return text;
}

std::string step_text(const Plan& plan, const Step& step, const std::vector<std::string>& names,
                      std::string_view indent) {
    const int operands = int(names.size());
    std::string bases;
    for (size_t o = 0; o < names.size(); ++o)
        if (step.nest.base[o]) bases += fmt::format(" {}+{}", plan.operands[o].name, step.nest.base[o]);
    constexpr std::string_view signs[] = {"  ", "+ ", "& "}; // by Together
    const std::string before = fmt::format("{}{}", indent, signs[size_t(step.together)]);
    const std::string loops = fmt::format("loops({}){}", to_string(step.nest, operands), bases);
    if (step.kind == StepKind::fill)
        return fmt::format("{}fill {:<8} {}\n", before, plan.operands[size_t(step.fill_operand)].name, loops);
    if (step.sparse) return fmt::format("{}sparse {}\n", before, step.sparse->text());
    if (step.product) return fmt::format("{}product {}  p{}\n", before, product_text(plan, step), step.program);
    if (step.interpolation)
        return fmt::format("{}interpolate {}  {}  p{}\n", before, values_text(plan, *step.interpolation), loops,
                           step.program);
    if (!step.group)
        return fmt::format("{}{:<13} {}{}  p{}\n", before, name(step.kind), step.in_order ? "in order " : "", loops,
                           step.program);
    std::string text = fmt::format("{}{:<13} {}\n", before, name(step.kind), loops);
    for (const Step& inner : step.group->steps) text += step_text(plan, inner, names, before);
    return text;
}

} // namespace

std::string SparseProduct::text() const {
    return fmt::format("{}x{} sum {} of {} elements of {} ({})", rows, columns, depth, elements,
                       is_src ? "src" : "weights", has_pointers ? "csr" : "coo");
}

std::string to_string(const Plan& plan) {
    std::vector<std::string> names;
    for (const Operand& o : plan.operands) names.push_back(fmt::format("{}:{}", o.name, tessera::name(o.type)));
    std::string text = fmt::format("plan {}\n  operands {}\n", plan.title, fmt::join(names, ", "));
    for (const Step& step : plan.steps) text += step_text(plan, step, names, "");
    for (size_t i = 0; i < plan.programs.size(); ++i)
        text += fmt::format("  p{}: {}\n", i, to_string(plan.programs[i], names));
    return text;
}

} // namespace tessera
