#include "core/plan/rewrite/operands.hpp"

namespace tessera {

Program whole_program(const Plan& plan, const Step& step) {
    const Program& own = plan.programs[size_t(step.program)];
    return step.product         ? with_sum(*step.product, own)
           : step.interpolation ? with_values(*step.interpolation, own)
                                : own;
}

size_t dense_loop(const Nest& nest, size_t operand) {
    size_t k = nest.loops.size();
    while (k-- > 0)
        if (!nest.loops[k].table[operand] && nest.loops[k].extent > 1 && nest.loops[k].stride[operand] == 1) return k;
    return nest.loops.size();
}

} // namespace tessera
