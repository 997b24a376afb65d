#include "core/program/program.hpp"

#include <algorithm>

namespace tessera {

namespace {

int append(Program& p, Op op) {
    p.ops.push_back(op);
    return int(p.ops.size()) - 1;
}

} // namespace

int Program::load(int operand, ValueType type) { return append(*this, {OpCode::load, type, operand}); }

int Program::constant(double value, ValueType type) {
    return append(*this, {OpCode::constant, type, -1, -1, -1, value});
}

int Program::binary(OpCode code, int a, int b) { return append(*this, {code, ops[size_t(a)].type, -1, a, b}); }

int Program::reduce_add(int a) { return append(*this, {OpCode::reduce_add, ops[size_t(a)].type, -1, a}); }

int Program::cvt(int a, ValueType type) { return append(*this, {OpCode::cvt, type, -1, a}); }

void Program::store(int operand, int a) { append(*this, {OpCode::store, ops[size_t(a)].type, operand, a}); }

bool is_conversion(const Program& p) {
    return p.ops.size() == 2 && p.ops[0].code == OpCode::load && p.ops[1].code == OpCode::store && p.ops[1].a == 0;
}

bool is_copy(const Program& p) { return is_conversion(p) && p.ops[0].type == ValueType::bits; }

Result<void> verify(const Program& p, int operand_count) {
    auto wrong = [](size_t i, const char* what) { return runtime_error("program: operation {}: {}", i, what); };
    for (size_t i = 0; i < p.ops.size(); ++i) {
        const Op& op = p.ops[i];
        const bool moves = op.code == OpCode::load || op.code == OpCode::store;
        if (moves && (op.operand < 0 || op.operand >= operand_count)) return wrong(i, "no such operand");
        const bool takes_a = op.code != OpCode::load && op.code != OpCode::constant;
        const bool takes_b =
            takes_a && op.code != OpCode::cvt && op.code != OpCode::reduce_add && op.code != OpCode::store;
        for (int value : {takes_a ? op.a : 0, takes_b ? op.b : 0}) {
            if (!takes_a) break;
            if (value < 0 || size_t(value) >= i || p.ops[size_t(value)].code == OpCode::store)
                return wrong(i, "its value is not defined before it");
            const ValueType type = p.ops[size_t(value)].type;
            if (op.code != OpCode::cvt && type != op.type && value == op.a)
                return wrong(i, "its value has another type");
            if (takes_b && value == op.b && type != op.type) return wrong(i, "its values have different types");
        }
        if (op.type == ValueType::bits && !moves) return wrong(i, "arithmetic on bits");
        if (op.code == OpCode::reduce_add && (i != 1 || p.ops[0].code != OpCode::load))
            return wrong(i, "a reduction is the second operation, after its load");
    }
    return {};
}

} // namespace tessera
