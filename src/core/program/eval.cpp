// SPDX-License-Identifier: Apache-2.0
#include "core/program/program.hpp"

#include <bit>
#include <cmath>

#include "core/stack_array.hpp"

namespace tessera {

namespace {

// One value of any type; the type of its operation says which member is active.
struct Value {
    float f32;
    int32_t s32;
    double f64;
    int64_t s64;
    uint64_t bits;
};

template <typename T> T arithmetic(OpCode code, T a, T b) {
    if constexpr (std::is_integral_v<T>) { // two's complement, wrapping
        using U = std::make_unsigned_t<T>;
        switch (code) {
        case OpCode::add:
            return T(U(a) + U(b));
        case OpCode::sub:
            return T(U(a) - U(b));
        case OpCode::mul:
            return T(U(a) * U(b));
        case OpCode::min:
            return a < b ? a : b;
        case OpCode::max:
            return a > b ? a : b;
        case OpCode::mulhi:
            return T(uint64_t(uint32_t(a)) * uint32_t(b) >> 32);
        case OpCode::bit_and:
            return T(U(a) & U(b));
        case OpCode::bit_or:
            return T(U(a) | U(b));
        case OpCode::bit_xor:
            return T(U(a) ^ U(b));
        case OpCode::shl:
            return T(U(a) << (U(b) & (8 * sizeof(T) - 1)));
        case OpCode::shr:
            return T(U(a) >> (U(b) & (8 * sizeof(T) - 1)));
        default:
            return b == 0 ? T(0) : b == T(-1) ? T(U(0) - U(a)) : T(a / b);
        }
    } else {
        switch (code) {
        case OpCode::add:
            return a + b;
        case OpCode::sub:
            return a - b;
        case OpCode::mul:
            return a * b;
        case OpCode::min:
            return a < b ? a : b;
        case OpCode::max:
            return a > b ? a : b;
        default:
            return a / b;
        }
    }
}

// All bits or none.
template <typename T> int32_t compare(OpCode code, T a, T b) {
    const bool holds = code == OpCode::lt ? a < b : code == OpCode::le ? a <= b : a == b;
    return holds ? -1 : 0;
}

// std::nearbyint follows the rounding mode; adding and taking away 2^23 does too. This does not.
float nearest_even(float x) {
    if (!(std::fabs(x) < 8388608.f)) return x; // integers already, infinities, NaN
    const float down = std::floor(x), rest = x - down;
    const bool up = rest > 0.5f || (rest == 0.5f && std::fmod(down, 2.f) != 0);
    return std::copysign(up ? down + 1 : down, x);
}

Value convert(const Value& v, ValueType from, ValueType to) {
    // By way of the stored type of the same name, so that the rules of convert.hpp apply.
    auto store_as = [&](DataType type) {
        uint64_t cell = 0;
        switch (from) {
        case ValueType::f32:
            write<float>(type, &cell, 0, v.f32);
            break;
        case ValueType::s32:
            write<int32_t>(type, &cell, 0, v.s32);
            break;
        case ValueType::f64:
            write<double>(type, &cell, 0, v.f64);
            break;
        default:
            write<int64_t>(type, &cell, 0, v.s64);
            break;
        }
        return cell;
    };
    Value r{};
    uint64_t cell;
    switch (to) {
    case ValueType::f32:
        cell = store_as(DataType::f32), r.f32 = read<float>(DataType::f32, &cell, 0);
        break;
    case ValueType::s32:
        cell = store_as(DataType::s32), r.s32 = read<int32_t>(DataType::s32, &cell, 0);
        break;
    case ValueType::f64:
        cell = store_as(DataType::f64), r.f64 = read<double>(DataType::f64, &cell, 0);
        break;
    default:
        cell = store_as(DataType::s64), r.s64 = read<int64_t>(DataType::s64, &cell, 0);
        break;
    }
    return r;
}

} // namespace

void eval(const Program& p, std::span<const DataType> types, std::span<void* const> pointers,
          std::span<const int64_t> elements) {
    StackArray<Value, 64> values(p.ops.size()); // eval is called once a point
    for (size_t i = 0; i < p.ops.size(); ++i) {
        const Op& op = p.ops[i];
        Value& v = values[i] = {};
        const auto o = size_t(op.operand);
        const Value& a = op.a >= 0 ? values[size_t(op.a)] : v;
        const Value& b = op.b >= 0 ? values[size_t(op.b)] : v;
        const Value& c = op.c >= 0 ? values[size_t(op.c)] : v;
        switch (op.code) {
        case OpCode::load:
            switch (op.type) {
            case ValueType::f32:
                v.f32 = read<float>(types[o], pointers[o], elements[o]);
                break;
            case ValueType::s32:
                v.s32 = read<int32_t>(types[o], pointers[o], elements[o]);
                break;
            case ValueType::f64:
                v.f64 = read<double>(types[o], pointers[o], elements[o]);
                break;
            case ValueType::s64:
                v.s64 = read<int64_t>(types[o], pointers[o], elements[o]);
                break;
            case ValueType::bits:
                v.bits = read_bits(types[o], pointers[o], elements[o]);
                break;
            }
            break;
        case OpCode::store:
            switch (op.type) {
            case ValueType::f32:
                write<float>(types[o], pointers[o], elements[o], a.f32);
                break;
            case ValueType::s32:
                write<int32_t>(types[o], pointers[o], elements[o], a.s32);
                break;
            case ValueType::f64:
                write<double>(types[o], pointers[o], elements[o], a.f64);
                break;
            case ValueType::s64:
                write<int64_t>(types[o], pointers[o], elements[o], a.s64);
                break;
            case ValueType::bits:
                write_bits(types[o], pointers[o], elements[o], a.bits);
                break;
            }
            break;
        case OpCode::index:
            v.s32 = int32_t(uint32_t(elements[o]));
            break;
        case OpCode::constant:
            v.f32 = float(op.constant), v.f64 = op.constant, v.s32 = int32_t(int64_t(op.constant)),
            v.s64 = int64_t(op.constant);
            break;
        case OpCode::cvt:
            v = convert(a, p.ops[size_t(op.a)].type, op.type);
            break;
        case OpCode::lt:
        case OpCode::le:
        case OpCode::eq:
            v.s32 = p.ops[size_t(op.a)].type == ValueType::f32 ? compare(op.code, a.f32, b.f32)
                                                               : compare(op.code, a.s32, b.s32);
            break;
        case OpCode::select:
            v = a.s32 ? b : c;
            break;
        case OpCode::as:
            if (op.type == ValueType::f32)
                v.f32 = std::bit_cast<float>(a.s32);
            else
                v.s32 = std::bit_cast<int32_t>(a.f32);
            break;
        case OpCode::fma:
            v.f32 = std::fma(a.f32, b.f32, c.f32);
            break;
        case OpCode::sqrt:
            v.f32 = std::sqrt(a.f32);
            break;
        case OpCode::round:
            v.f32 = nearest_even(a.f32);
            break;
        default:
            switch (op.type) {
            case ValueType::f32:
                v.f32 = arithmetic(op.code, a.f32, b.f32);
                break;
            case ValueType::s32:
                v.s32 = arithmetic(op.code, a.s32, b.s32);
                break;
            case ValueType::f64:
                v.f64 = arithmetic(op.code, a.f64, b.f64);
                break;
            default:
                v.s64 = arithmetic(op.code, a.s64, b.s64);
                break;
            }
        }
    }
}

} // namespace tessera
