// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/program_code.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace tessera::cpu::jit {

namespace {

bool is_comparison(OpCode code) { return code == OpCode::lt || code == OpCode::le || code == OpCode::eq; }
bool is_bit_operation(OpCode code) {
    return code == OpCode::bit_and || code == OpCode::bit_or || code == OpCode::bit_xor;
}
bool is_shift(OpCode code) { return code == OpCode::shl || code == OpCode::shr; }

// Of two values to one.
VOp instruction(OpCode code, ValueType type) {
    const bool f = type == ValueType::f32;
    switch (code) {
    case OpCode::add:
        return f ? VOp::fadd : VOp::iadd;
    case OpCode::sub:
        return f ? VOp::fsub : VOp::isub;
    case OpCode::mul:
        return f ? VOp::fmul : VOp::imul;
    case OpCode::min:
        return f ? VOp::fmin : VOp::imin;
    case OpCode::max:
        return f ? VOp::fmax : VOp::imax;
    case OpCode::bit_and:
        return VOp::iand;
    case OpCode::bit_or:
        return VOp::ior;
    case OpCode::bit_xor:
        return VOp::ixor;
    default:
        return VOp::fdiv;
    }
}

VOp mask_instruction(OpCode code) {
    return code == OpCode::bit_and ? VOp::mask_and : code == OpCode::bit_or ? VOp::mask_or : VOp::mask_xor;
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
        const bool of_step = is_reduction(op.code) || op.code == OpCode::total || op.code == OpCode::lerp;
        return !of_step && (op.code != OpCode::div || op.type == ValueType::f32);
    });
}

std::vector<std::string> names_in_key(std::span<const DataType> types, std::span<const int64_t> column) {
    std::vector<std::string> names;
    names.reserve(types.size());
    for (size_t o = 0; o < types.size(); ++o) {
        std::string& text = names.emplace_back(fmt::format_int(o).c_str());
        text += ':', text += name(types[o]), text += ':', text += fmt::format_int(column[o]).c_str();
    }
    return names;
}

bool is_byte_clamp(const Program& program, std::span<const DataType> types) {
    if (!is_conversion(program) || is_copy(program)) return false;
    const DataType from = types[size_t(program.ops[0].operand)], to = types[size_t(program.ops[1].operand)];
    return (from == DataType::s8 && to == DataType::u8) || (from == DataType::u8 && to == DataType::s8);
}

bool is_table(const Program& program, std::span<const DataType> types, const Target& target) {
    if (!target.byte_permute || target.vector_bytes != 64 || !is_conversion(program) || is_copy(program)) return false;
    const DataType from = types[size_t(program.ops[0].operand)], to = types[size_t(program.ops[1].operand)];
    if (bits(from) != 8 || program.ops[0].type != ValueType::f32) return false; // results by way of f32
    // Integers follow the rounding mode, and e8m0, which has no sign, is two operations from f32. To the other floats
    // 64 elements cost 8 shuffles; through f32 16 operations or more.
    return !is_integer(to) && has_sign(to) && bits(to) >= 8 && bits(to) <= 16;
}

void prepare_clamp(Codec& codec, DataType to) { codec.prepare_u32(to == DataType::s8 ? 0x7f7f7f7f : 0); }

Vec clamp_bytes(Codec& codec, Code& code, DataType to, Vec src, int bytes) {
    return to == DataType::s8 ? code.op2(VOp::umin, src, codec.u32(0x7f7f7f7f), 1, bytes)
                              : code.op2(VOp::imax, src, codec.u32(0), 1, bytes);
}

ProgramCode::ProgramCode(Code& code, Codec& codec, const Program& program, std::span<const DataType> types)
    : code_(code), codec_(codec), program_(program), is_used_(program.ops.size(), false),
      all_(program.ops.size(), true) {
    if (is_conversion(program)) {
        const DataType from = types[size_t(program.ops[0].operand)];
        if (is_integer(from) && bits(from) <= 8) codec.promise_short_values();
        if (is_normal_f32(from)) codec.promise_normal_values();
    } else {
        codec.computed_values();
    }
    for (const Op& op : program.ops) {
        if (op.code == OpCode::load) codec.prepare(types[size_t(op.operand)], op.type, true, false);
        if (op.code == OpCode::store) codec.prepare(types[size_t(op.operand)], op.type, false, true);
        if (op.code == OpCode::mulhi && high_halves_.id < 0) {
            constexpr uint8_t halves[] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
            high_halves_ = code.constant(halves);
        }
        if (op.code == OpCode::cvt) codec.prepare(DataType::s32, ValueType::f32, false, true);
        for (int value : {op.a, is_shift(op.code) ? -1 : op.b, op.c}) // the count of a shift is part of the instruction
            if (value >= 0 && program.ops[size_t(value)].code == OpCode::constant) {
                codec.prepare_u32(lane_of(program.ops[size_t(value)]));
                is_used_[size_t(value)] = true;
            }
    }
    find_masks();
}

// Comparisons, and bitwise operations on them, stay in mask registers as long as these suffice. Operations that need
// all bits of a lane convert the mask to a vector; select converts a vector to a mask.
void ProgramCode::find_masks() {
    const auto& ops = program_.ops;
    std::vector<size_t> last(ops.size(), 0);
    for (size_t i = 0; i < ops.size(); ++i)
        for (int value : {ops[i].a, ops[i].b, ops[i].c})
            if (value >= 0) last[size_t(value)] = i;
    is_mask_.assign(ops.size(), false);
    constexpr size_t most = 4; // of six: one for a tail, one for codecs
    std::vector<size_t> live;
    for (size_t i = 0; i < ops.size(); ++i) {
        const Op& op = ops[i];
        std::erase_if(live, [&](size_t value) { return last[value] < i; });
        const bool of_masks = is_bit_operation(op.code) && is_mask_[size_t(op.a)] && is_mask_[size_t(op.b)];
        is_mask_[i] = (is_comparison(op.code) || of_masks) && (!code_.target().masks || live.size() < most);
        if (is_mask_[i]) live.push_back(i);
        if (op.code == OpCode::select && !is_mask_[size_t(op.a)]) codec_.prepare_u32(0);
    }
}

// High halves of 32-bit products: even and odd lanes are multiplied to 8 bytes each; a constant serves both as it is.
Vec ProgramCode::high_product(Vec a, Vec b, bool b_is_constant) const {
    const Vec even = code_.op2(VOp::imul_wide, a, b, 8), odd_a = code_.shift(VOp::shr, a, 32, 8);
    const Vec odd = code_.op2(VOp::imul_wide, odd_a, b_is_constant ? b : code_.shift(VOp::shr, b, 32, 8), 8);
    const Vec low = code_.shift(VOp::shr, even, 32, 8);
    return code_.op2(VOp::ior, low, code_.op2(VOp::iand, odd, high_halves_));
}

void ProgramCode::find_quads(FunctionRef<bool(int operand)> is_same) {
    const auto& ops = program_.ops;
    kind_.assign(ops.size(), Kind::same);
    bool any = false;
    for (size_t i = 0; i < ops.size(); ++i) {
        const Op& op = ops[i];
        for (const int value : {op.a, op.b, op.c})
            if (value >= 0) kind_[i] = std::max(kind_[i], kind_[size_t(value)]);
        if (op.operand >= 0 && !is_same(op.operand)) kind_[i] = Kind::element;
        const bool whole_quads = op.code == OpCode::bit_and && ops[size_t(op.a)].code == OpCode::index &&
                                 ops[size_t(op.b)].code == OpCode::constant && lane_of(ops[size_t(op.b)]) % 4 == 0;
        if (whole_quads && kind_[i] == Kind::element) kind_[i] = Kind::quad;
        any |= kind_[i] == Kind::quad;
    }
    if (!any) return;
    // Handed over: values that the elements need of the others, unless they are masks or cheap to compute again.
    handed_.assign(ops.size(), false), quad_ops_.assign(ops.size(), false), other_ops_.assign(ops.size(), false);
    const auto is_cheap = [&](size_t i) {
        return ops[i].code == OpCode::load || ops[i].code == OpCode::constant ||
               (is_mask_[i] && kind_[i] != Kind::quad);
    };
    for (size_t i = ops.size(); i-- > 0;) {
        const Op& op = ops[i];
        other_ops_[i] = other_ops_[i] || op.code == OpCode::store;
        quad_ops_[i] = quad_ops_[i] || handed_[i];
        for (const int value : {op.a, op.b, op.c}) {
            if (value < 0) continue;
            const auto v = size_t(value);
            if (quad_ops_[i]) quad_ops_[v] = true;
            if (!other_ops_[i]) continue;
            if (kind_[v] == Kind::element || is_cheap(v))
                other_ops_[v] = true;
            else
                handed_[v] = true;
        }
    }
}

std::vector<Vec> ProgramCode::emit_quads(Load load) const {
    std::vector<Vec> values = emit(quad_ops_, {}, load, {});
    for (size_t i = 0; i < values.size(); ++i)
        if (!handed_[i]) values[i] = {};
    return values;
}

std::vector<Vec> ProgramCode::emit(const std::vector<bool>& needed, std::vector<Vec> vectors, Load load,
                                   Store store) const {
    vectors.resize(program_.ops.size());
    const bool any_masks = std::ranges::find(is_mask_, true) != is_mask_.end();
    std::vector<Mask> masks(any_masks ? program_.ops.size() : 0);
    const auto vec = [&](int value) {
        Vec& v = vectors[size_t(value)];
        if (v.id < 0) v = code_.mask_vector(masks[size_t(value)]);
        return v;
    };
    const auto mask = [&](int value) {
        const Mask k = any_masks ? masks[size_t(value)] : Mask{};
        return k.id >= 0 ? k : code_.icmp(vec(value), codec_.u32(0), 4); // 4: not equal
    };
    for (size_t i = 0; i < vectors.size(); ++i) {
        const Op& op = program_.ops[i];
        if (!needed[i] || vectors[i].id >= 0) continue;
        const ValueType from = op.a >= 0 ? program_.ops[size_t(op.a)].type : op.type;
        switch (op.code) {
        case OpCode::load:
        case OpCode::index:
            vectors[i] = load(op.operand, op.type);
            break;
        case OpCode::constant:
            if (is_used_[i]) vectors[i] = codec_.u32(lane_of(op));
            break;
        case OpCode::store:
            store(op.operand, op.type, vec(op.a));
            break;
        case OpCode::cvt:
            vectors[i] = from == op.type             ? vec(op.a)
                         : op.type == ValueType::f32 ? codec_.to_f32(vec(op.a))
                                                     : codec_.to_s32(vec(op.a));
            break;
        case OpCode::as:
            vectors[i] = vec(op.a);
            break;
        case OpCode::sqrt:
            vectors[i] = code_.unary(VOp::fsqrt, vec(op.a));
            break;
        case OpCode::round:
            vectors[i] = code_.unary(VOp::fround, vec(op.a));
            break;
        case OpCode::mulhi:
            vectors[i] = high_product(vec(op.a), vec(op.b), program_.ops[size_t(op.b)].code == OpCode::constant);
            break;
        case OpCode::fma:
            vectors[i] = code_.fma(vec(op.a), vec(op.b), vec(op.c));
            break;
        case OpCode::select:
            vectors[i] = code_.select(mask(op.a), vec(op.b), vec(op.c));
            break;
        case OpCode::lt:
        case OpCode::le:
        case OpCode::eq: {
            const int how = op.code == OpCode::eq ? 0 : op.code == OpCode::lt ? 1 : 2;
            const Mask k =
                from == ValueType::f32 ? code_.fcmp(vec(op.a), vec(op.b), how) : code_.icmp(vec(op.a), vec(op.b), how);
            if (is_mask_[i])
                masks[i] = k;
            else
                vectors[i] = code_.mask_vector(k);
            break;
        }
        case OpCode::shl:
        case OpCode::shr: {
            const auto count = int(lane_of(program_.ops[size_t(op.b)]) & 31);
            vectors[i] = code_.shift(op.code == OpCode::shl ? VOp::shl : VOp::shr, vec(op.a), count);
            break;
        }
        default:
            if (is_mask_[i])
                masks[i] = code_.mask_op(mask_instruction(op.code), mask(op.a), mask(op.b));
            else
                vectors[i] = code_.op2(instruction(op.code, op.type), vec(op.a), vec(op.b));
        }
        if (&needed == &quad_ops_ && handed_[i]) vec(int(i)); // masks are handed over as vectors
    }
    return vectors;
}

} // namespace tessera::cpu::jit
