// SPDX-License-Identifier: Apache-2.0
#include "core/plan/steps/interpolation.hpp"

namespace tessera {

Program with_values(const Interpolation& interpolation, const Program& p) {
    Program result;
    int w = -1, rest = -1; // behind the first load, which is src
    std::vector<int> renamed, values(interpolation.values.size(), -1);
    const auto value = [&](size_t i) {
        const auto& [left, right] = interpolation.values[i];
        const int a = result.load(left, ValueType::f32), b = result.load(right, ValueType::f32);
        if (w < 0) {
            const auto constant = [&](float x) { return result.constant(x, ValueType::f32); };
            w = interpolation.weight < 0 ? constant(interpolation.same)
                                         : result.load(interpolation.weight, ValueType::f32);
            rest = interpolation.weight < 0 ? constant(1.f - interpolation.same)
                                            : result.binary(OpCode::sub, constant(1), w);
        }
        return result.ternary(OpCode::fma, w, b, result.binary(OpCode::mul, rest, a));
    };
    for (Op op : p.ops) {
        for (int* v : {&op.a, &op.b, &op.c})
            if (*v >= 0) *v = renamed[size_t(*v)];
        if (op.code == OpCode::lerp) {
            int& known = values[size_t(op.constant)];
            renamed.push_back(known >= 0 ? known : known = value(size_t(op.constant)));
            continue;
        }
        result.ops.push_back(op);
        renamed.push_back(int(result.ops.size()) - 1);
    }
    return result;
}

} // namespace tessera
