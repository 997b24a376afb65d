// SPDX-License-Identifier: Apache-2.0
#include "core/program/reduction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tessera {

namespace {

float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t as_bits(float x) { return std::bit_cast<uint32_t>(x); }

template <typename T> T combined_values(OpCode combine, T a, T b) {
    switch (combine) {
    case OpCode::reduce_mul:
        return Mul::of(a, b);
    case OpCode::reduce_max:
        return Max::of(a, b);
    case OpCode::reduce_min:
        return Min::of(a, b);
    default:
        return Add::of(a, b);
    }
}

Partial combined_moments(const Partial& a, const Partial& b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const auto n = float(a.count + b.count), na = float(a.count), nb = float(b.count);
    const float mean = as_float(a.value), difference = as_float(b.value) - mean;
    const float squares = as_float(a.second) + as_float(b.second);
    return {as_bits(mean + difference * (nb / n)), as_bits(squares + difference * difference * (na * (nb / n))),
            a.count + b.count};
}

Partial larger(ValueType type, const Partial& a, const Partial& b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const auto exceeds = [floats = type == ValueType::f32](uint32_t x, uint32_t y) {
        if (!floats) return int32_t(x) > int32_t(y);
        return as_float(x) > as_float(y) || (std::isnan(as_float(x)) && !std::isnan(as_float(y)));
    };
    const bool above = exceeds(b.value, a.value), below = exceeds(a.value, b.value);
    const bool takes_b = above || (!below && int32_t(b.second) < int32_t(a.second));
    return {takes_b ? b.value : a.value, takes_b ? b.second : a.second, a.count + b.count};
}

} // namespace

ReductionParts split_reduction(const Program& p, int sums) {
    const auto reduce = std::find_if(p.ops.begin(), p.ops.end(), [](const Op& o) { return is_reduction(o.code); });
    ReductionParts parts{reduce->code, reduce->type, {}, p};
    parts.point.ops.assign(p.ops.begin(), reduce);
    parts.point.store(sums, reduce->a);
    if (reduce->code == OpCode::reduce_max_at) parts.point.store(sums + 1, reduce->b);
    parts.outer.ops[size_t(reduce - p.ops.begin())] = {OpCode::load, reduce->type, sums};
    for (Op& op : parts.outer.ops)
        if (op.code == OpCode::second) op = {OpCode::load, op.type, sums + 1};
    parts.point = simplify(parts.point), parts.outer = simplify(parts.outer); // drops what only the other part needs
    return parts;
}

Partial of_nothing(OpCode combine, ValueType type) {
    const bool floats = type == ValueType::f32;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    switch (combine) {
    case OpCode::reduce_mul:
        return {floats ? as_bits(1.f) : 1u};
    case OpCode::reduce_max:
    case OpCode::reduce_max_at:
        return {floats ? as_bits(-infinity) : 0x80000000u};
    case OpCode::reduce_min:
        return {floats ? as_bits(infinity) : 0x7fffffffu};
    default:
        return {};
    }
}

Partial combined(OpCode combine, ValueType type, const Partial& a, const Partial& b) {
    if (combine == OpCode::reduce_moments) return combined_moments(a, b);
    if (combine == OpCode::reduce_max_at) return larger(type, a, b);
    const int64_t count = a.count + b.count;
    if (type == ValueType::f32)
        return {as_bits(combined_values(combine, as_float(a.value), as_float(b.value))), 0, count};
    const bool compares = combine == OpCode::reduce_max || combine == OpCode::reduce_min;
    if (compares) return {uint32_t(combined_values(combine, int32_t(a.value), int32_t(b.value))), 0, count};
    return {combined_values(combine, a.value, b.value), 0, count};
}

} // namespace tessera
