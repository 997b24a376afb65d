#include "ops/moves.hpp"

#include <algorithm>

#include "core/layout/boxes.hpp"

namespace tessera::ops {

void add_padding(const MemoryDesc& md, int operand, Plan& plan) {
    const Layout layout = layout_of(md);
    // The padding of dimension k: earlier dimensions cover their elements, later ones also their padding, so that the
    // regions are disjoint.
    for (size_t k = 0; k < size_t(md.ndims); ++k) {
        if (md.padded_dims[k] == md.dims[k]) continue;
        std::vector<Dimension> dims;
        for (size_t d = 0; d < size_t(md.ndims); ++d) {
            Dimension dim{std::vector<Modes>(size_t(operand) + 1, Modes{{1, 0}}), 0, 0};
            dim.views.back() = layout.dims[d];
            dim.begin = d == k ? md.dims[d] : 0;
            dim.end = d < k ? md.dims[d] : md.padded_dims[d];
            dims.push_back(std::move(dim));
        }
        for (Nest nest : boxes(dims)) {
            nest.base[size_t(operand)] += layout.offset;
            Step step;
            step.kind = StepKind::fill;
            step.fill_operand = operand;
            step.nest = coalesce(order(coalesce(nest, operand + 1), operand + 1, operand), operand + 1);
            plan.steps.push_back(std::move(step));
        }
    }
}

// All elements, as if they were padding.
void add_zeros(const MemoryDesc& md, int operand, Plan& plan) {
    if (md.has_zero_dim()) return;
    MemoryDesc empty = md;
    empty.dims = md.padded_dims;
    empty.dims[0] = 0;
    add_padding(empty, operand, plan);
}

int add_program(const Program& program, Plan& plan) {
    const auto known = std::ranges::find(plan.programs, program);
    const auto number = int(known - plan.programs.begin());
    if (known == plan.programs.end()) plan.programs.push_back(program);
    return number;
}

std::vector<int> operands_of(const Program& program) {
    std::vector<int> operands;
    for (const Op& op : program.ops)
        if (op.operand >= 0 && std::ranges::find(operands, op.operand) == operands.end())
            operands.push_back(op.operand);
    return operands;
}

} // namespace tessera::ops
