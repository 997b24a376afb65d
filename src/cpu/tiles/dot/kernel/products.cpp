// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/dot/kernel/products.hpp"

#include <algorithm>

namespace tessera::cpu {

using namespace jit;

namespace {

int64_t size_of(DataType t) { return bits(t) / 8; }

// Registers of a conversion beyond that of its result: none without constants.
int temporaries_of(const Target& target, DataType t) {
    if (t == DataType::f32) return 0;
    Code scratch(target, "");
    Codec codec(scratch);
    codec.prepare(t, ValueType::f32, true, false);
    return codec.constants() ? codec.constants() + 4 : 0;
}

} // namespace

bool Products::supports(const Target& target, const DotSpec& spec) {
    switch (spec.kind) {
    case DotKind::f32:
        return Codec::supports(spec.a, ValueType::f32) && Codec::supports(spec.b, ValueType::f32);
    case DotKind::bf16:
        return target.bf16 && spec.a == DataType::bf16 && spec.b == DataType::bf16;
    case DotKind::bf16_fma:
        return (spec.a == DataType::f32 || spec.a == DataType::bf16) && spec.b == DataType::bf16;
    case DotKind::u8s8:
        return target.vnni && is_byte(spec.a) && spec.b == DataType::s8;
    case DotKind::s8_exact:
        return is_byte(spec.a) && is_byte(spec.b) && (spec.a_dense || !spec.a_words);
    default:
        return false;
    }
}

int Products::temporaries(const Target& target, const DotSpec& spec) {
    switch (spec.kind) {
    case DotKind::f32:
        return std::max(temporaries_of(target, spec.a), temporaries_of(target, spec.b));
    case DotKind::u8s8:
        return spec.a == DataType::s8; // the bits to flip
    case DotKind::bf16_fma:
        return 1; // the bits of odd elements
    case DotKind::s8_exact:
        return 1; // products before they are added
    default:
        return 0;
    }
}

int64_t Products::a_bytes(const DotSpec& spec) {
    if (spec.kind == DotKind::bf16_fma) return 2 * size_of(spec.a);
    if (spec.a_words) return 8;
    return spec.kind == DotKind::f32 ? size_of(spec.a) : 4;
}

bool Products::can_be_short(const DotSpec& spec) {
    const bool of_4 = spec.kind == DotKind::u8s8 || spec.kind == DotKind::s8_exact || spec.a == DataType::bf16;
    const bool whole = spec.a_short % int(size_of(spec.a)) == 0;
    return of_4 && spec.kind != DotKind::f32 && whole && spec.a_dense && !spec.a_words && spec.loops == 1 &&
           spec.a_short > 0 && spec.a_short < 4;
}

int64_t Products::b_bytes(const Target& target, const DotSpec& spec) {
    return spec.kind == DotKind::f32 ? target.vector_bytes / 4 * size_of(spec.b) : target.vector_bytes;
}

void Products::prepare() {
    if (spec_.kind == DotKind::f32) {
        codec_.prepare(spec_.a, ValueType::f32, true, false);
        codec_.prepare(spec_.b, ValueType::f32, true, false);
    }
    if (spec_.kind == DotKind::bf16_fma) codec_.prepare_u32(0xffff0000);
    if (flips_a(spec_) || spec_.shifts_b) codec_.prepare_u32(signs);
}

Vec Products::a(Mem m, int phase, int bytes_short) {
    if (spec_.kind == DotKind::f32) return codec_.same(spec_.a, ValueType::f32, m);
    if ((spec_.kind == DotKind::bf16_fma && spec_.a == DataType::f32) || spec_.a_words)
        return c_.broadcast({m.base, m.disp + 4 * phase, m.index, m.scale}, 4);
    Vec x = c_.broadcast({m.base, m.disp - bytes_short, m.index, m.scale}, 4);
    if (bytes_short) x = c_.shift(VOp::shr, x, 8 * bytes_short);
    if (spec_.kind == DotKind::bf16_fma) return values(x, phase);
    if (spec_.kind == DotKind::s8_exact) return words(x, spec_.a, phase);
    return flips_a(spec_) ? c_.op2(VOp::ixor, x, flips()) : x;
}

Vec Products::b(Mem m, int phase, int lanes, const Mask* tail) {
    if (spec_.kind == DotKind::f32) return codec_.load(spec_.b, ValueType::f32, m, lanes, tail);
    const Vec x = tail ? c_.load_masked(m, *tail, 4) : c_.load(m);
    if (spec_.kind == DotKind::bf16_fma) return values(x, phase);
    if (spec_.shifts_b) return shifted(x);
    return spec_.kind == DotKind::s8_exact ? words(x, spec_.b, phase) : x;
}

// The even elements of bf16, or the odd ones.
Vec Products::values(Vec pairs, int phase) {
    return phase == 0 ? c_.shift(VOp::shl, pairs, 16) : c_.op2(VOp::iand, pairs, codec_.u32(0xffff0000));
}

// Every other byte as a word.
Vec Products::words(Vec bytes, DataType type, int phase) {
    const Vec upper = phase == 0 ? c_.shift(VOp::shl, bytes, 8, 2) : bytes;
    return c_.shift(type == DataType::s8 ? VOp::sar : VOp::shr, upper, 8, 2);
}

void Products::add(Vec sum, Vec a, Vec b) {
    switch (spec_.kind) {
    case DotKind::bf16:
        return c_.dot_into(VOp::dot_bf16, sum, a, b);
    case DotKind::u8s8:
        return spec_.shifts_b ? c_.dot_into(VOp::dot_u8s8, sum, b, a) : c_.dot_into(VOp::dot_u8s8, sum, a, b);
    case DotKind::s8_exact:
        return add(sum, c_.op2(VOp::dot_s16, a, b));
    default:
        return c_.fma_into(sum, a, b);
    }
}

void Products::add(Vec sum, Vec more) {
    const bool integers = spec_.kind == DotKind::u8s8 || spec_.kind == DotKind::s8_exact;
    c_.op2_into(integers ? VOp::iadd : VOp::fadd, sum, sum, more);
}

} // namespace tessera::cpu
