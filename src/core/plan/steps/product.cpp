// SPDX-License-Identifier: Apache-2.0
#include "core/plan/steps/product.hpp"

namespace tessera {

int append(Program& p, const Factor& factor, ValueType type) {
    int v = p.load(factor.operand, type);
    if (factor.zero >= 0) v = p.binary(OpCode::sub, v, p.load(factor.zero, type));
    return factor.scale < 0 ? v : p.binary(OpCode::mul, v, p.load(factor.scale, type));
}

std::vector<int> append(Program& to, const Program& from, int known, int value) {
    std::vector<int> renamed;
    for (Op op : from.ops) {
        for (int* v : {&op.a, &op.b, &op.c})
            if (*v >= 0) *v = renamed[size_t(*v)];
        if (value >= 0 && (known < 0 ? op.code == OpCode::total : op.code == OpCode::load && op.operand == known)) {
            renamed.push_back(value);
            continue;
        }
        to.ops.push_back(op);
        renamed.push_back(int(to.ops.size()) - 1);
    }
    return renamed;
}

Program with_sum(const Product& product, const Program& epilogue) {
    Program p;
    const int a = append(p, product.a, product.type), b = append(p, product.b, product.type);
    append(p, epilogue, -1, p.reduce_add(p.binary(OpCode::mul, a, b)));
    return p;
}

} // namespace tessera
