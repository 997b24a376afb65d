// SPDX-License-Identifier: Apache-2.0
#include "core/program/program.hpp"

#include <algorithm>

namespace tessera {

namespace {

constexpr size_t usual_operations = 16; // room for them is asked for once

int append(Program& p, Op op) {
    if (p.ops.empty()) p.ops.reserve(usual_operations);
    p.ops.push_back(op);
    return int(p.ops.size()) - 1;
}

bool is_comparison(OpCode code) { return code == OpCode::lt || code == OpCode::le || code == OpCode::eq; }

// Whether the operation computes in that type, from ops.def.
bool computes(OpCode code, ValueType type) {
    constexpr unsigned f32 = 1u << unsigned(ValueType::f32), s32 = 1u << unsigned(ValueType::s32);
    constexpr unsigned both = f32 | s32, any = ~0u;
    switch (code) {
#define OP(name, values, types, meaning)                                                                               \
    case OpCode::name:                                                                                                 \
        return types >> unsigned(type) & 1;
#include "core/program/ops.def"
#undef OP
    }
    return false;
}

} // namespace

int Program::load(int operand, ValueType type) { return append(*this, {OpCode::load, type, operand}); }

int Program::index(int operand) { return append(*this, {OpCode::index, ValueType::s32, operand}); }

int Program::constant(double value, ValueType type) {
    return append(*this, {OpCode::constant, type, -1, -1, -1, -1, value});
}

int Program::unary(OpCode code, int a) {
    ValueType type = ops[size_t(a)].type;
    if (code == OpCode::as) type = type == ValueType::f32 ? ValueType::s32 : ValueType::f32;
    return append(*this, {code, type, -1, a});
}

int Program::binary(OpCode code, int a, int b) {
    return append(*this, {code, is_comparison(code) ? ValueType::s32 : ops[size_t(a)].type, -1, a, b});
}

int Program::ternary(OpCode code, int a, int b, int c) {
    return append(*this, {code, ops[size_t(b)].type, -1, a, b, c});
}

int Program::total(ValueType type) { return append(*this, {OpCode::total, type}); }

int Program::lerp(int value) { return append(*this, {OpCode::lerp, ValueType::f32, -1, -1, -1, -1, double(value)}); }

int Program::reduce(OpCode code, int a, int b) { return append(*this, {code, ops[size_t(a)].type, -1, a, b}); }

int Program::second(int reduction) {
    const bool number = ops[size_t(reduction)].code == OpCode::reduce_max_at;
    return append(*this, {OpCode::second, number ? ValueType::s32 : ValueType::f32, -1, reduction});
}

int Program::cvt(int a, ValueType type) { return append(*this, {OpCode::cvt, type, -1, a}); }

void Program::store(int operand, int a) { append(*this, {OpCode::store, ops[size_t(a)].type, operand, a}); }

bool is_conversion(const Program& p) {
    return p.ops.size() == 2 && p.ops[0].code == OpCode::load && p.ops[1].code == OpCode::store && p.ops[1].a == 0;
}

bool is_copy(const Program& p) { return is_conversion(p) && p.ops[0].type == ValueType::bits; }

bool is_counted(const Program& p, int operand) {
    return std::any_of(p.ops.begin(), p.ops.end(),
                       [=](const Op& op) { return op.code == OpCode::index && op.operand == operand; });
}

bool is_reduction(OpCode code) {
    return code == OpCode::reduce_add || code == OpCode::reduce_mul || code == OpCode::reduce_max ||
           code == OpCode::reduce_min || code == OpCode::reduce_max_at || code == OpCode::reduce_moments;
}

int arguments_of(OpCode code) {
    switch (code) {
#define OP(name, values, types, meaning)                                                                               \
    case OpCode::name:                                                                                                 \
        return values;
#include "core/program/ops.def"
#undef OP
    }
    return 0;
}

Result<void> verify(const Program& p, int operand_count) {
    auto wrong = [](size_t i, const char* what) { return runtime_error("program: operation {}: {}", i, what); };
    int reductions = 0;
    bool stored_per_point = false;
    for (size_t i = 0; i < p.ops.size(); ++i) {
        const Op& op = p.ops[i];
        const bool moves = op.code == OpCode::load || op.code == OpCode::store;
        const bool names_operand = moves || op.code == OpCode::index;
        if (names_operand && (op.operand < 0 || op.operand >= operand_count)) return wrong(i, "no such operand");
        const int values[] = {op.a, op.b, op.c};
        for (int k = 0; k < arguments_of(op.code); ++k) {
            const int value = values[k];
            if (value < 0 || size_t(value) >= i || p.ops[size_t(value)].code == OpCode::store)
                return wrong(i, "its value is not defined before it");
            const ValueType type = p.ops[size_t(value)].type;
            const ValueType wanted = is_comparison(op.code)                            ? p.ops[size_t(op.a)].type
                                     : op.code == OpCode::select && k == 0             ? ValueType::s32
                                     : op.code == OpCode::reduce_max_at && k == 1      ? ValueType::s32
                                     : op.code == OpCode::cvt || op.code == OpCode::as ? type
                                     : op.code == OpCode::second                       ? type
                                                                                       : op.type;
            if (type != wanted) return wrong(i, k ? "its values have different types" : "its value has another type");
        }
        if ((op.code == OpCode::shl || op.code == OpCode::shr) && p.ops[size_t(op.b)].code != OpCode::constant)
            return wrong(i, "a shift by what is no constant");
        if (op.type == ValueType::bits && !moves) return wrong(i, "arithmetic on bits");
        const ValueType computed = is_comparison(op.code) ? p.ops[size_t(op.a)].type : op.type;
        if (!computes(op.code, computed)) return wrong(i, "there is no such operation for this type of value");
        if (op.code == OpCode::as && p.ops[size_t(op.a)].type == op.type) return wrong(i, "bits that keep their type");
        if (op.code == OpCode::second) {
            const OpCode of = p.ops[size_t(op.a)].code;
            if (of != OpCode::reduce_max_at && of != OpCode::reduce_moments)
                return wrong(i, "the second value of what is no reduction by pairs");
            if (op.type != (of == OpCode::reduce_max_at ? ValueType::s32 : ValueType::f32))
                return wrong(i, "its value has another type");
        }
        reductions += is_reduction(op.code);
        if (reductions > 1) return wrong(i, "a second reduction; one is possible");
        if (reductions == 0) stored_per_point = stored_per_point || op.code == OpCode::store;
        if (reductions && stored_per_point) return wrong(i, "a reduction behind a store");
    }
    return {};
}

} // namespace tessera
