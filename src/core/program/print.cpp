// SPDX-License-Identifier: Apache-2.0
#include "core/program/program.hpp"

#include <fmt/format.h>

namespace tessera {

namespace {

const char* name_of(OpCode code) {
    switch (code) {
#define OP(name, values, types, meaning)                                                                               \
    case OpCode::name:                                                                                                 \
        return #name;
#include "core/program/ops.def"
#undef OP
    }
    return "?";
}

const char* name_of(ValueType type) {
    constexpr const char* names[] = {"f32", "s32", "f64", "s64", "bits"};
    return names[size_t(type)];
}

} // namespace

std::string to_string(const Program& p, std::span<const std::string> operand_names) {
    std::string text;
    for (size_t i = 0; i < p.ops.size(); ++i) {
        const Op& op = p.ops[i];
        if (i) text += "  ";
        if (op.code != OpCode::store) text += 'v', text += fmt::format_int(i).c_str(), text += '=';
        text += name_of(op.code);
        if (op.operand >= 0) text += ' ', text += operand_names[size_t(op.operand)];
        if (op.code == OpCode::constant || op.code == OpCode::lerp) text += fmt::format(" {}", op.constant);
        for (const int value : {op.a, op.b, op.c}) // a key of a kernel: fmt::format took thrice as long
            if (value >= 0) text += " v", text += fmt::format_int(value).c_str();
        // Constants of f32 are the rule. All other types follow from these: equal texts are equal programs.
        const bool typed = op.code == OpCode::load || op.code == OpCode::cvt || op.code == OpCode::total ||
                           (op.code == OpCode::constant && op.type != ValueType::f32);
        if (typed) text += ':', text += name_of(op.type);
    }
    return text;
}

} // namespace tessera
