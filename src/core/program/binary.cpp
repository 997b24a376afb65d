// SPDX-License-Identifier: Apache-2.0
#include "core/program/binary.hpp"

#include <cmath>

namespace tessera {

namespace {

// 1 where the comparison holds, 0 elsewhere; `negated`: the other way round.
int indicator(Program& p, OpCode code, int a, int b, bool negated = false) {
    const int holds = p.binary(code, a, b);
    const int one = p.constant(1, ValueType::f32), zero = p.constant(0, ValueType::f32);
    return negated ? p.ternary(OpCode::select, holds, zero, one) : p.ternary(OpCode::select, holds, one, zero);
}

// OpCode::max and min give b where either is NaN; a NaN in a has to be chosen.
int extreme(Program& p, OpCode code, int a, int b) {
    const int best = p.binary(code, a, b);
    return p.ternary(OpCode::select, p.binary(OpCode::eq, a, a), best, a);
}

} // namespace

bool is_binary(int alg) { return alg >= binary::add && alg <= binary::select; }

int binary_op(Program& p, int alg, int a, int b) {
    switch (alg) {
    case binary::add:
        return p.binary(OpCode::add, a, b);
    case binary::sub:
        return p.binary(OpCode::sub, a, b);
    case binary::mul:
        return p.binary(OpCode::mul, a, b);
    case binary::div:
        return p.binary(OpCode::div, a, b);
    case binary::max:
        return extreme(p, OpCode::max, a, b);
    case binary::min:
        return extreme(p, OpCode::min, a, b);
    case binary::ge:
        return indicator(p, OpCode::le, b, a);
    case binary::gt:
        return indicator(p, OpCode::lt, b, a);
    case binary::le:
        return indicator(p, OpCode::le, a, b);
    case binary::lt:
        return indicator(p, OpCode::lt, a, b);
    case binary::eq:
        return indicator(p, OpCode::eq, a, b);
    default:
        return indicator(p, OpCode::eq, a, b, true);
    }
}

int select_op(Program& p, int condition, int a, int b) {
    const int is_zero = p.binary(OpCode::eq, condition, p.constant(0, ValueType::f32));
    return p.ternary(OpCode::select, is_zero, b, a);
}

float binary_of(int alg, float a, float b) {
    switch (alg) {
    case binary::add:
        return a + b;
    case binary::sub:
        return a - b;
    case binary::mul:
        return a * b;
    case binary::div:
        return a / b;
    case binary::max:
        return a > b || std::isnan(a) ? a : b;
    case binary::min:
        return a < b || std::isnan(a) ? a : b;
    case binary::ge:
        return a >= b ? 1.f : 0.f;
    case binary::gt:
        return a > b ? 1.f : 0.f;
    case binary::le:
        return a <= b ? 1.f : 0.f;
    case binary::lt:
        return a < b ? 1.f : 0.f;
    case binary::eq:
        return a == b ? 1.f : 0.f;
    default:
        return a != b ? 1.f : 0.f;
    }
}

} // namespace tessera
