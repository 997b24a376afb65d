// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/lerp/pattern.hpp"

namespace tessera::cpu {

namespace {

// The operand of w if the operation is 1 - w, of constants of the plan; else -1.
int complement_of(const Plan& plan, const Program& p, const Op& o) {
    if (o.code != OpCode::sub || o.type != ValueType::f32) return -1;
    const Op &one = p.ops[size_t(o.a)], &w = p.ops[size_t(o.b)];
    const bool is_weight = w.code == OpCode::load && plan.operands[size_t(w.operand)].constant >= 0;
    return one.code == OpCode::constant && one.constant == 1 && is_weight ? w.operand : -1;
}

} // namespace

LerpPattern lerp_pattern(const Plan& plan, const Step& step) {
    const Interpolation& interpolation = *step.interpolation;
    const Program& program = plan.programs[size_t(step.program)];
    LerpPattern pattern{
        interpolation.values, interpolation.weight, 1.f - interpolation.same, interpolation.same, {}, {}};
    Program& rest = pattern.rest;
    std::vector<int> renamed;
    for (Op o : program.ops) {
        if (o.code == OpCode::lerp) {
            renamed.push_back(rest.load(pattern.members[size_t(o.constant)].left, ValueType::f32));
            continue;
        }
        const int weight = complement_of(plan, program, o);
        if (const size_t k = pattern.complements.size(); weight >= 0 && k < pattern.members.size()) {
            pattern.complements.push_back({pattern.members[k].right, weight});
            renamed.push_back(rest.load(pattern.members[k].right, ValueType::f32));
            continue;
        }
        for (int* argument : {&o.a, &o.b, &o.c})
            if (*argument >= 0) *argument = renamed[size_t(*argument)];
        rest.ops.push_back(o);
        renamed.push_back(int(rest.ops.size()) - 1);
    }
    rest = simplify(rest);
    return pattern;
}

} // namespace tessera::cpu
