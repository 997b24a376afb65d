// SPDX-License-Identifier: Apache-2.0
#include "core/program/program.hpp"

#include <algorithm>
#include <cmath>

#include "core/stack_array.hpp"

namespace tessera {

namespace {

// Whether dividing by the constant is multiplying by its reciprocal, bit by bit: a power of two whose reciprocal is no
// denormal. A division takes a vector as long as ten multiplications.
bool is_power_of_two(const Op& op) {
    constexpr int most = 126;
    int exponent = 0;
    const double fraction = std::frexp(op.constant, &exponent); // of 2^k it is 0.5, and k + 1
    return op.code == OpCode::constant && op.type == ValueType::f32 && std::abs(fraction) == 0.5 &&
           std::abs(exponent - 1) <= most;
}

} // namespace

Program simplify(const Program& p) {
    // New number of each old value.
    StackArray<int, 64> renamed(p.ops.size());
    Program kept;
    kept.ops.reserve(p.ops.size());
    auto is_constant = [&](int value, double number) {
        const Op& op = kept.ops[size_t(value)];
        return op.code == OpCode::constant && op.constant == number && !std::signbit(op.constant);
    };
    for (size_t i = 0; i < p.ops.size(); ++i) {
        Op op = p.ops[i];
        if (op.a >= 0) op.a = renamed[size_t(op.a)];
        if (op.b >= 0) op.b = renamed[size_t(op.b)];
        if (op.c >= 0) op.c = renamed[size_t(op.c)];
        // x * 1, x / 1, x - 0 keep every bit of x, signed zeros included; x + 0 and x - -0 turn -0 into +0 and stay.
        if ((op.code == OpCode::mul || op.code == OpCode::div) && is_constant(op.b, 1)) {
            renamed[i] = op.a;
        } else if (op.code == OpCode::mul && is_constant(op.a, 1)) {
            renamed[i] = op.b;
        } else if (op.code == OpCode::sub && is_constant(op.b, 0)) {
            renamed[i] = op.a;
        } else if (op.code == OpCode::cvt && kept.ops[size_t(op.a)].type == op.type) {
            renamed[i] = op.a;
        } else {
            if (op.code == OpCode::div && is_power_of_two(kept.ops[size_t(op.b)])) {
                op.code = OpCode::mul;
                op.b = kept.constant(1 / kept.ops[size_t(op.b)].constant, ValueType::f32);
            }
            kept.ops.push_back(op);
            renamed[i] = int(kept.ops.size()) - 1;
        }
    }
    // Drop values that nothing uses.
    StackArray<bool, 64> used(kept.ops.size());
    std::ranges::fill(std::span<bool>(used), false);
    for (size_t i = kept.ops.size(); i-- > 0;) {
        const Op& op = kept.ops[i];
        used[i] = used[i] || op.code == OpCode::store;
        if (!used[i]) continue;
        if (op.a >= 0) used[size_t(op.a)] = true;
        if (op.b >= 0) used[size_t(op.b)] = true;
        if (op.c >= 0) used[size_t(op.c)] = true;
    }
    Program result;
    result.ops.reserve(kept.ops.size());
    StackArray<int, 64> place(kept.ops.size());
    for (size_t i = 0; i < kept.ops.size(); ++i) {
        if (!used[i]) continue;
        Op op = kept.ops[i];
        if (op.a >= 0) op.a = place[size_t(op.a)];
        if (op.b >= 0) op.b = place[size_t(op.b)];
        if (op.c >= 0) op.c = place[size_t(op.c)];
        place[i] = int(result.ops.size());
        result.ops.push_back(op);
    }
    return result;
}

} // namespace tessera
