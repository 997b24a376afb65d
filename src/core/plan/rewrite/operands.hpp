// SPDX-License-Identifier: Apache-2.0
// What rewrites ask of the operands of a step, whatever its kind.
#pragma once

#include <span>

#include "core/plan/plan.hpp"

namespace tessera {

// All that a step computes as one program: with the factors of a product and the neighbours of an interpolation. Of
// steps that have a program.
Program whole_program(const Plan& plan, const Step& step);

// What a step reads and writes, by number.
std::vector<int> used_operands(const Plan& plan, const Step& step);

// The loop along which the operand is dense: no table, more than one element, stride 1. loops.size() if there is none.
size_t dense_loop(const Nest& nest, size_t operand);

// A map step that stores operand 1 alone, from what it loads of operand 0; other operands that it loads hold one
// element for all points, and none of them is memory of operand 1.
bool only_moves(const Plan& plan, const Step& step);

// f(step), then for the steps in it, which may be changed.
template <typename F> void each_step(Step& step, const F& f) {
    f(step);
    if (!step.group) return;
    Group own = *step.group;
    for (Step& inner : own.steps) each_step(inner, f);
    step.group = std::make_shared<const Group>(std::move(own));
}

// The operand `from` of one plan is `to` in another.
struct Renaming {
    int from, to;
};
// A step with its operands renamed; `operands`: how many the other plan has. What no renaming names is dropped. The
// numbers of programs stay as they are.
Nest renamed(const Nest& nest, std::span<const Renaming> names);
Step renamed(const Step& step, std::span<const Renaming> names, size_t operands);
Program renamed(Program program, std::span<const Renaming> names);

} // namespace tessera
