// SPDX-License-Identifier: Apache-2.0
#include "ops/moves.hpp"

#include <algorithm>

namespace tessera::ops {

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
