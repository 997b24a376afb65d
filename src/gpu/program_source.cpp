// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include <fmt/format.h>

#include "gpu/source.hpp"

namespace tessera::gpu {

namespace {

std::string_view short_name(ValueType type) {
    constexpr std::string_view names[] = {"f32", "s32", "f64", "s64", "bits"};
    return names[size_t(type)];
}
// The type that an element is read in before it is converted.
ValueType natural(DataType type) {
    if (type == DataType::f64) return ValueType::f64;
    if (type == DataType::s64) return ValueType::s64;
    return is_integer(type) || type == DataType::boolean ? ValueType::s32 : ValueType::f32;
}

std::string constant(const Op& op) {
    switch (op.type) {
    case ValueType::f32:
        return fmt::format("as_float(0x{:08x}u)", std::bit_cast<uint32_t>(float(op.constant)));
    case ValueType::f64:
        return fmt::format("as_double(0x{:016x}ul)", std::bit_cast<uint64_t>(op.constant));
    case ValueType::s32:
        return fmt::format("(int)0x{:08x}u", uint32_t(int32_t(int64_t(op.constant))));
    default:
        return fmt::format("(long)0x{:016x}ul", uint64_t(int64_t(op.constant)));
    }
}

// Operands behind those of the plan: what a reduction combines, in variables of the work-item.
std::string variable(const Op& op, const Plan& plan) {
    return fmt::format("s{}", size_t(op.operand) - plan.operands.size());
}
bool is_variable(const Op& op, const Plan& plan) { return size_t(op.operand) >= plan.operands.size(); }

std::string load(const Op& op, const Plan& plan, const Access& access) {
    if (is_variable(op, plan)) return variable(op, plan);
    const DataType type = plan.operands[size_t(op.operand)].type;
    const std::string from = op.operand == access.staged    ? std::string(access.code)
                             : access.is_loaded(op.operand) ? access.loaded[size_t(op.operand)]
                             : access.is_local(op.operand)  ? fmt::format("o{0}[e{0}]", op.operand)
                                                            : source_of_code(op.operand, type);
    if (op.type == ValueType::bits) return from;
    return fmt::format("{}_of_{}(read_{}({}))", short_name(op.type), short_name(natural(type)), name(type), from);
}
std::string store(const Op& op, const Plan& plan, const std::string& value, const Access& access) {
    if (is_variable(op, plan)) return fmt::format("{} = {}", variable(op, plan), value);
    const DataType type = plan.operands[size_t(op.operand)].type;
    if (access.is_local(op.operand))
        return fmt::format("o{0}[e{0}] = {1}", op.operand,
                           op.type == ValueType::bits ? value : fmt::format("as_uint({})", value));
    if (bits(type) == 4 || op.operand == access.packed) {
        const std::string_view word = bits(type) == 64 ? "ulong" : "uint";
        const std::string stored = op.type == ValueType::bits
                                       ? fmt::format("({}){}", word, value)
                                       : fmt::format("code_{}_{}({})", name(type), short_name(op.type), value);
        if (op.operand == access.packed) return fmt::format(fmt::runtime(access.pack), stored);
        if (op.operand == access.paired) return fmt::format("codes |= {} << (4 * half_of_byte)", stored);
        return fmt::format("put_nibble(o{0}, e{0}, {1})", op.operand, stored);
    }
    if (op.type == ValueType::bits) return fmt::format("put_bits_{0}(o{1}, e{1}, {2})", bits(type), op.operand, value);
    return fmt::format("write_{0}_{1}(o{2}, e{2}, {3})", name(type), short_name(op.type), op.operand, value);
}

// Integers wrap: computed without sign.
std::string integers(OpCode code, ValueType type, const std::string& a, const std::string& b) {
    const bool wide = type == ValueType::s64;
    const std::string_view t = wide ? "long" : "int", u = wide ? "ulong" : "uint";
    const auto without_sign = [&](std::string_view sign) {
        return fmt::format("({})(({}){} {} ({}){})", t, u, a, sign, u, b);
    };
    switch (code) {
    case OpCode::add:
        return without_sign("+");
    case OpCode::sub:
        return without_sign("-");
    case OpCode::mul:
        return without_sign("*");
    case OpCode::mulhi:
        return fmt::format("({})mul_hi((uint){}, (uint){})", t, a, b);
    case OpCode::bit_and:
        return fmt::format("{} & {}", a, b);
    case OpCode::bit_or:
        return fmt::format("{} | {}", a, b);
    case OpCode::bit_xor:
        return fmt::format("{} ^ {}", a, b);
    case OpCode::shl:
    case OpCode::shr:
        return fmt::format("({})(({}){} {} ({} & {}))", t, u, a, code == OpCode::shl ? "<<" : ">>", b, wide ? 63 : 31);
    case OpCode::div:
        return fmt::format("{2} == 0 ? 0 : {2} == -1 ? ({0})(({3})0 - ({3}){1}) : {1} / {2}", t, a, b, u);
    default:
        return fmt::format("{0} {2} {1} ? {0} : {1}", a, b, code == OpCode::min ? "<" : ">");
    }
}
std::string floats(OpCode code, const std::string& a, const std::string& b) {
    switch (code) {
    case OpCode::add:
        return fmt::format("{} + {}", a, b);
    case OpCode::sub:
        return fmt::format("{} - {}", a, b);
    case OpCode::mul:
        return fmt::format("{} * {}", a, b);
    case OpCode::div:
        return fmt::format("{} / {}", a, b);
    default:
        return fmt::format("{0} {2} {1} ? {0} : {1}", a, b, code == OpCode::min ? "<" : ">");
    }
}

} // namespace

std::string_view c_name(ValueType type) {
    constexpr std::string_view names[] = {"float", "int", "double", "long", "ulong"};
    return names[size_t(type)];
}

std::string_view c_name_of_bits(int bits) {
    return bits == 64 ? "ulong" : bits == 32 ? "uint" : bits == 16 ? "ushort" : "uchar";
}

std::string source_of_code(int operand, DataType type) {
    if (bits(type) == 4) return fmt::format("nibble(o{0}, e{0})", operand);
    return fmt::format("((global {}*)o{})[e{}]", c_name_of_bits(bits(type)), operand, operand);
}

std::string source_of_program(const Program& program, const Plan& plan, std::string_view prefix, const Access& access) {
    std::string text;
    const auto value = [&](int v) { return fmt::format("{}{}", prefix, v); };
    for (size_t i = 0; i < program.ops.size(); ++i) {
        const Op& op = program.ops[i];
        const std::string a = value(op.a), b = value(op.b), c = value(op.c);
        if (op.code == OpCode::store) {
            text += fmt::format("    {};\n", store(op, plan, a, access));
            continue;
        }
        const ValueType from = op.a >= 0 ? program.ops[size_t(op.a)].type : op.type;
        std::string is;
        switch (op.code) {
        case OpCode::load:
            is = load(op, plan, access);
            break;
        case OpCode::index:
            is = fmt::format("(int)(uint)e{}", op.operand);
            break;
        case OpCode::constant:
            is = constant(op);
            break;
        case OpCode::cvt:
            is = fmt::format("{}_of_{}({})", short_name(op.type), short_name(from), a);
            break;
        case OpCode::as:
            is = fmt::format("as_{}({})", c_name(op.type), a);
            break;
        case OpCode::fma:
            is = fmt::format("fma({}, {}, {})", a, b, c);
            break;
        case OpCode::sqrt:
            is = fmt::format("sqrt({})", a);
            break;
        case OpCode::round:
            is = fmt::format("rint({})", a);
            break;
        case OpCode::select:
            is = fmt::format("{} ? {} : {}", a, b, c);
            break;
        case OpCode::lt:
        case OpCode::le:
        case OpCode::eq:
            is = fmt::format("{} {} {} ? -1 : 0", a,
                             op.code == OpCode::lt   ? "<"
                             : op.code == OpCode::le ? "<="
                                                     : "==",
                             b);
            break;
        default:
            is = op.type == ValueType::f32 || op.type == ValueType::f64 ? floats(op.code, a, b)
                                                                        : integers(op.code, op.type, a, b);
        }
        text += fmt::format("    const {} {} = {};\n", c_name(op.type), value(int(i)), is);
    }
    return text;
}

} // namespace tessera::gpu
