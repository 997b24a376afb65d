// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/ask.hpp"

#include "core/plan/rewrite/local_step.hpp"
#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

namespace {

// A part that is at fault is split off, and what is left is looked at again.
DotAnswer ask(const Plan& plan, const Step& step, const Matrices& matrices, const jit::Target& target,
              const Context& context, DotParts first) {
    DotAnswer answer{.taken = false, .parts = first, .why_not = {}};
    const auto look = [&]() -> std::optional<DotFault> {
        if (!answer.parts.any()) {
            Seen seen(plan, step, matrices, target, context);
            return seen.see();
        }
        const auto rest = product_within(plan, step, matrices, answer.parts);
        if (!rest || rest->operands.size() > job_operands) return DotFault{DotPart::none, answer.why_not};
        const LocalStep local = local_step(*rest, rest->steps[0]);
        const auto own = matrices_of(local.plan, local.plan.steps[0]);
        Seen seen(local.plan, local.plan.steps[0], *own, target, context);
        return seen.see();
    };
    while (auto fault = look()) {
        answer.why_not = std::move(fault->why);
        DotParts& parts = answer.parts;
        // A single column of sums in scratch memory is a row of them, so the factors have changed places.
        const bool exchanged = parts.epilogue && matrices.n.empty();
        bool* const part = fault->part == DotPart::left       ? &(exchanged ? parts.right : parts.left)
                           : fault->part == DotPart::right    ? &(exchanged ? parts.left : parts.right)
                           : fault->part == DotPart::epilogue ? &parts.epilogue
                                                              : nullptr;
        if (!part || *part) return answer;
        *part = true;
    }
    answer.taken = true, answer.why_not.clear();
    return answer;
}

} // namespace

DotAnswer ask_dot(const Plan& plan, const Step& step, const Matrices& matrices, const jit::Target& target,
                  const Context& context) {
    DotAnswer answer = ask(plan, step, matrices, target, context, {});
    if (!matrices.n.empty() || (answer.taken && !answer.parts.any())) return answer;
    // With the factors the other way round, if that copies none of them or is the only way.
    constexpr DotParts sums{.epilogue = true};
    DotAnswer exchanged = ask(plan, step, matrices, target, context, sums);
    return exchanged.taken && (exchanged.parts == sums || !answer.taken) ? exchanged : answer;
}

std::optional<DotPanels> panels_of(const Plan& plan, const Step& step, const Matrices& matrices,
                                   const jit::Target& target, const Context& context) {
    const MatrixFactor& right = matrices.right;
    if (matrices.batches != 1 || matrices.n.size() != 1 || matrices.k.size() != 1 || right.operand < 0 ||
        right.zero >= 0)
        return std::nullopt;
    Seen seen(plan, step, matrices, target, context);
    if (seen.see() || seen.way != ProductWay::blocks || seen.type_of(right.operand) != seen.b_type) return std::nullopt;
    const DotChoice choice = choose_dot(seen.shape, seen.kind, target, context);
    const bool packs = choice.b == DotSource::packed;
    if (!packs && seen.shape.b_pitch == 0) return std::nullopt;
    return DotPanels{vnni_factor(seen.kind), packs, matrices.n[0], matrices.k[0]};
}

} // namespace tessera::cpu
