// What rewrites ask of the operands of a step, whatever its kind.
#pragma once

#include "core/plan/plan.hpp"

namespace tessera {

// All that a step computes as one program: with the factors of a product and the neighbours of an interpolation. Of
// steps that have a program.
Program whole_program(const Plan& plan, const Step& step);

// The loop along which the operand is dense: no table, more than one element, stride 1. loops.size() if there is none.
size_t dense_loop(const Nest& nest, size_t operand);

// Renames the operands of a product's factors and of an interpolation; number(-1) is not asked.
template <typename Number> void rename_operands(Product& product, const Number& number) {
    for (Factor* f : {&product.a, &product.b})
        for (int* o : {&f->operand, &f->zero, &f->scale})
            if (*o >= 0) *o = number(*o);
}
template <typename Number> void rename_operands(Interpolation& interpolation, const Number& number) {
    for (auto& [left, right] : interpolation.values) left = number(left), right = number(right);
    if (interpolation.weight >= 0) interpolation.weight = number(interpolation.weight);
}

} // namespace tessera
