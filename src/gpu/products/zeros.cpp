// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/zeros.hpp"

#include <fmt/format.h>

namespace tessera::gpu {

namespace {

bool is_whole(const ProductView& view, const MatrixFactor& f) {
    const DataType type = view.plan.operands[size_t(f.factor.operand)].type;
    return f.operand >= 0 && f.factor.scale < 0 && bits(type) <= 8 && is_integer(type);
}

// Loads an operand in place of the factor.
Program load_of(const ProductView& view, int operand) {
    Program p;
    p.store(view.matrices.sum, p.load(operand, view.matrices.type));
    return p;
}

} // namespace

Zeros take_zeros(ProductView& view) {
    Matrices& m = view.matrices;
    if (m.type != ValueType::s32 || !is_whole(view, m.left) || !is_whole(view, m.right)) return {};
    const Zeros zeros{m.left.factor.zero, m.right.factor.zero};
    for (MatrixFactor* f : {&m.left, &m.right})
        f->factor.zero = f->zero = -1, f->program = load_of(view, f->factor.operand);
    return zeros;
}

std::string source_of_zero(const ProductView& view, const Side& side, int zero, std::string_view to) {
    if (zero < 0) return "";
    return fmt::format(
        "        {{\n    const place e{0} = in_batch{0}{1};\n    int s0;\n{2}        {3} = (uint)s0;\n        }}\n",
        zero, along(side.ways, side.name, "i", size_t(zero)), source_of_program(load_of(view, zero), view.plan, "z"),
        to);
}

std::string without_zeros(const Zeros& zeros, std::string_view sum, std::string_view sum_of_a,
                          std::string_view sum_of_b, std::string_view zero_of_a, std::string_view zero_of_b) {
    std::string text = fmt::format("        {} -= 0", sum);
    if (zeros.left >= 0) text += fmt::format(" + {} * {}", zero_of_a, sum_of_b);
    if (zeros.right >= 0) text += fmt::format(" + {} * {}", zero_of_b, sum_of_a);
    if (zeros.left >= 0 && zeros.right >= 0) text += fmt::format(" - (uint)depth * {} * {}", zero_of_a, zero_of_b);
    return text + ";\n";
}

} // namespace tessera::gpu
