// SPDX-License-Identifier: Apache-2.0
// Values of a program written as formulas: operators append operations, numbers become constants (each once).
//
//   Expression x{&program, value}, above = fma(x, x, 1), y = above / (x + 2);
//   v1=constant 1  v2=fma v0 v0 v1  v3=constant 2  v4=add v0 v3  v5=div v2 v4
//
// At most one argument of a call may append operations: the order in which C++ evaluates arguments is unspecified, and
// the order of operations is part of a program (golden texts, keys of kernels). That is why `above` has a name.
#pragma once

#include <cmath>
#include <span>

#include "core/program/program.hpp"

namespace tessera {

struct Expression {
    Program* program;
    int value;

    Expression number(double constant, ValueType type) const {
        for (size_t i = 0; i < program->ops.size(); ++i) {
            const Op& op = program->ops[i];
            if (op.code == OpCode::constant && op.type == type && op.constant == constant &&
                std::signbit(op.constant) == std::signbit(constant))
                return {program, int(i)};
        }
        return {program, program->constant(constant, type)};
    }
    // Of this value's type.
    Expression number(double constant) const { return number(constant, program->ops[size_t(value)].type); }
    Expression binary(OpCode code, Expression b) const { return {program, program->binary(code, value, b.value)}; }
    Expression unary(OpCode code) const { return {program, program->unary(code, value)}; }
};

inline Expression operator+(Expression a, Expression b) { return a.binary(OpCode::add, b); }
inline Expression operator-(Expression a, Expression b) { return a.binary(OpCode::sub, b); }
inline Expression operator*(Expression a, Expression b) { return a.binary(OpCode::mul, b); }
inline Expression operator/(Expression a, Expression b) { return a.binary(OpCode::div, b); }
inline Expression operator+(Expression a, double b) { return a + a.number(b); }
inline Expression operator-(Expression a, double b) { return a - a.number(b); }
inline Expression operator*(Expression a, double b) { return a * a.number(b); }
inline Expression operator/(Expression a, double b) { return a / a.number(b); }
inline Expression operator-(double a, Expression b) { return b.number(a) - b; }
inline Expression operator/(double a, Expression b) { return b.number(a) / b; }

inline Expression fma(Expression a, Expression b, Expression c) {
    return {a.program, a.program->ternary(OpCode::fma, a.value, b.value, c.value)};
}
inline Expression fma(Expression a, double b, Expression c) { return fma(a, a.number(b), c); }
inline Expression fma(Expression a, Expression b, double c) { return fma(a, b, a.number(c)); }
inline Expression fma(Expression a, double b, double c) {
    const Expression factor = a.number(b);
    return fma(a, factor, a.number(c));
}

// A NaN in x stays: of min and max the second argument is the result where either is NaN.
inline Expression at_most(Expression x, double bound) { return x.number(bound).binary(OpCode::min, x); }
inline Expression at_least(Expression x, double bound) { return x.number(bound).binary(OpCode::max, x); }

inline Expression float_of_integer(Expression x) { return {x.program, x.program->cvt(x.value, ValueType::f32)}; }

inline Expression less(Expression a, Expression b) { return a.binary(OpCode::lt, b); }
inline Expression less(Expression a, double b) { return less(a, a.number(b)); }
inline Expression less(double a, Expression b) { return less(b.number(a), b); }
inline Expression equal(Expression a, double b) { return a.binary(OpCode::eq, a.number(b)); }
inline Expression select(Expression where, Expression a, Expression b) {
    return {a.program, a.program->ternary(OpCode::select, where.value, a.value, b.value)};
}

// Bits of f32 as s32 and back; NaN is no constant of a program (programs are compared, and NaN == NaN fails).
inline Expression bits_of(Expression x) { return x.unary(OpCode::as); }
inline Expression float_of(Expression bits) { return bits.unary(OpCode::as); }
inline Expression with_bits(Expression x, OpCode code, int64_t mask) {
    return float_of(bits_of(x).binary(code, x.number(double(mask), ValueType::s32)));
}
inline Expression magnitude(Expression x) { return with_bits(x, OpCode::bit_and, 0x7fffffff); }
inline Expression negative_magnitude(Expression x) { return with_bits(x, OpCode::bit_or, 0x80000000); }
inline Expression shifted(Expression bits, OpCode code, int by) { return bits.binary(code, bits.number(by)); }
inline Expression nan_like(Expression x) { return float_of(x.number(0x7fc00000, ValueType::s32)); }

// c[0] + c[1] x + .. by Horner's rule: one fma a coefficient.
inline Expression polynomial(Expression x, std::span<const float> c) {
    Expression y = x.number(c.back());
    for (size_t i = c.size() - 1; i-- > 0;) y = fma(y, x, c[i]);
    return y;
}

} // namespace tessera
