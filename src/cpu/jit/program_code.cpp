#include "cpu/jit/program_code.hpp"

#include <algorithm>
#include <bit>

namespace tessera::cpu::jit {

namespace {

bool is_arithmetic(OpCode code) {
    return code == OpCode::add || code == OpCode::sub || code == OpCode::mul || code == OpCode::div;
}

VOp instruction(OpCode code, ValueType type) {
    const bool f = type == ValueType::f32;
    switch (code) {
    case OpCode::add:
        return f ? VOp::fadd : VOp::iadd;
    case OpCode::sub:
        return f ? VOp::fsub : VOp::isub;
    case OpCode::mul:
        return f ? VOp::fmul : VOp::imul;
    default:
        return VOp::fdiv;
    }
}

uint32_t lane_of(const Op& constant) {
    if (constant.type == ValueType::f32) return std::bit_cast<uint32_t>(float(constant.constant));
    return uint32_t(int32_t(int64_t(constant.constant)));
}

} // namespace

bool can_emit(const Program& program, std::span<const DataType> types) {
    return std::all_of(program.ops.begin(), program.ops.end(), [&](const Op& op) {
        if (op.type != ValueType::f32 && op.type != ValueType::s32) return false;
        if (op.code == OpCode::load || op.code == OpCode::store)
            return Codec::supports(types[size_t(op.operand)], op.type);
        if (op.code == OpCode::div) return op.type == ValueType::f32;
        return op.code == OpCode::constant || op.code == OpCode::cvt || is_arithmetic(op.code);
    });
}

bool normal_values(DataType stored) {
    switch (stored) {
    case DataType::f16:
    case DataType::s32:
    case DataType::s8:
    case DataType::u8:
    case DataType::boolean:
    case DataType::f8_e5m2:
    case DataType::f8_e4m3:
        return true;
    default:
        return false;
    }
}

bool is_byte_clamp(const Program& program, std::span<const DataType> types) {
    if (!is_conversion(program) || is_copy(program)) return false;
    const DataType from = types[size_t(program.ops[0].operand)], to = types[size_t(program.ops[1].operand)];
    return (from == DataType::s8 && to == DataType::u8) || (from == DataType::u8 && to == DataType::s8);
}

bool is_table(const Program& program, std::span<const DataType> types, const Target& target) {
    if (!target.byte_permute || target.vector_bytes != 64 || !is_conversion(program) || is_copy(program)) return false;
    const DataType from = types[size_t(program.ops[0].operand)], to = types[size_t(program.ops[1].operand)];
    if (bits(from) != 8) return false;
    // Results of these do not follow the rounding mode. 64 elements cost 8 shuffles; through f32 16 operations or more.
    return to == DataType::f16 || to == DataType::bf16 || to == DataType::f8_e5m2 || to == DataType::f8_e4m3;
}

void prepare_clamp(Codec& codec, DataType to) { codec.prepare_u32(to == DataType::s8 ? 0x7f7f7f7f : 0); }

Vec clamp_bytes(Codec& codec, Code& code, DataType to, Vec src, int bytes) {
    return to == DataType::s8 ? code.op2(VOp::umin, src, codec.u32(0x7f7f7f7f), 1, bytes)
                              : code.op2(VOp::imax, src, codec.u32(0), 1, bytes);
}

ProgramCode::ProgramCode(Code& code, Codec& codec, const Program& program, std::span<const DataType> types)
    : code_(code), codec_(codec), program_(program) {
    if (is_conversion(program)) {
        const DataType from = types[size_t(program.ops[0].operand)];
        if (from == DataType::s8 || from == DataType::u8 || from == DataType::boolean) codec.promise_short_values();
        if (normal_values(from)) codec.promise_normal_values();
    }
    for (const Op& op : program.ops) {
        if (op.code == OpCode::load) codec.prepare(types[size_t(op.operand)], op.type, true, false);
        if (op.code == OpCode::store) codec.prepare(types[size_t(op.operand)], op.type, false, true);
        if (op.code == OpCode::constant) codec.prepare_u32(lane_of(op));
        if (op.code == OpCode::cvt) codec.prepare(DataType::s32, ValueType::f32, false, true);
    }
}

void ProgramCode::emit(const Load& load, const Store& store) const {
    std::vector<Vec> values(program_.ops.size());
    for (size_t i = 0; i < values.size(); ++i) {
        const Op& op = program_.ops[i];
        const Vec a = op.a >= 0 ? values[size_t(op.a)] : Vec{}, b = op.b >= 0 ? values[size_t(op.b)] : Vec{};
        switch (op.code) {
        case OpCode::load:
            values[i] = load(op.operand, op.type);
            break;
        case OpCode::constant:
            values[i] = codec_.u32(lane_of(op));
            break;
        case OpCode::store:
            store(op.operand, op.type, a);
            break;
        case OpCode::cvt: {
            const ValueType from = program_.ops[size_t(op.a)].type;
            values[i] = from == op.type ? a : op.type == ValueType::f32 ? codec_.to_f32(a) : codec_.to_s32(a);
            break;
        }
        default:
            values[i] = code_.op2(instruction(op.code, op.type), a, b);
        }
    }
}

} // namespace tessera::cpu::jit
