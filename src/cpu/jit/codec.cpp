// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/codec.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tessera::cpu::jit {

namespace {

enum Compare { eq = 0, lt = 1, unordered = 3, ne = 4, gt = 6 };

int size_of(DataType t) { return bits(t) / 8; }
bool is_stored_so(DataType stored, ValueType type) {
    return (stored == DataType::f32 && type == ValueType::f32) || (stored == DataType::s32 && type == ValueType::s32);
}
bool is_f8(DataType t) { return t == DataType::f8_e5m2 || t == DataType::f8_e4m3; }
bool is_f4(DataType t) { return t == DataType::f4_e2m1 || t == DataType::f4_e3m0; }

// Undoes the interleaving of packs, which work in lanes of 16 bytes: dword k of the result is dword table[k] of theirs.
std::vector<uint8_t> unpack_order(int width, int element_bytes) {
    const int lanes = width / 16, group = element_bytes; // dwords of one vector in a lane
    std::vector<uint8_t> table(size_t(width), 0);
    for (int k = 0; k < width / 4; ++k) {
        const int vector = k / (lanes * group), within = k % (lanes * group);
        table[size_t(k) * 4] = uint8_t(within / group * 4 + vector * group + within % group);
    }
    return table;
}

// From the packs of even and odd elements (pack_bytes) to the order of elements: one permute of bytes, or a shuffle
// within lanes and a permute of dwords. A lane holds 0 2 4 6 1 3 5 7 of eight elements of the first half, then of the
// second.
std::vector<std::vector<uint8_t>> split_order(const Code& code) {
    constexpr int place[8] = {0, 4, 1, 5, 2, 6, 3, 7}; // of element i within its eight
    const int width = code.width();
    std::vector<uint8_t> bytes(static_cast<size_t>(width)), lanes(static_cast<size_t>(width), 0);
    if (code.target().byte_permute) {
        for (int e = 0; e < width; ++e) {
            const int within = e % (width / 2);
            bytes[size_t(e)] = uint8_t(within / 8 * 16 + e / (width / 2) * 8 + place[within % 8]);
        }
        return {bytes};
    }
    for (int b = 0; b < width; ++b) bytes[size_t(b)] = uint8_t(b % 16 / 8 * 8 + place[b % 8]);
    for (int k = 0; k < width / 4; ++k) {
        const int within = k % (width / 8);
        lanes[size_t(4 * k)] = uint8_t(within / 2 * 4 + k / (width / 8) * 2 + within % 2);
    }
    return {bytes, lanes};
}

} // namespace

bool Codec::supports(DataType stored, ValueType type) {
    if (type != ValueType::f32 && type != ValueType::s32) return false;
    switch (stored) {
    case DataType::f32:
    case DataType::bf16:
    case DataType::f16:
    case DataType::s32:
    case DataType::s8:
    case DataType::u8:
    case DataType::boolean:
    case DataType::f8_e5m2:
    case DataType::f8_e4m3:
    case DataType::e8m0:
        return true;
    default:
        return false;
    }
}

bool Codec::loads(DataType stored, ValueType type) {
    const bool integers = stored == DataType::s4 || stored == DataType::u4;
    return supports(stored, type) || (integers && (type == ValueType::f32 || type == ValueType::s32)) ||
           (is_f4(stored) && type == ValueType::f32);
}

// Which constants a pair needs is known by those who use them: a run on a scratch Code collects them.
void Codec::prepare(DataType stored, ValueType type, bool loads, bool stores) {
    if (is_stored_so(stored, type)) return; // nothing to convert: the most frequent pair needs no look
    Code scratch(code_.target(), {}, 64);
    Codec probe(scratch);
    probe.probing_ = true;
    probe.short_values_ = short_values_, probe.normal_values_ = normal_values_;
    const Mem m{scratch.args()};
    const Vec v = scratch.vec();
    if (loads && !supports(stored, type))
        probe.load_nibbles(stored, type, m);
    else if (loads)
        probe.decode(stored, type, v), probe.same(stored, type, m);
    if (stores) {
        probe.encode(stored, type, v);
        probe.dense(stored, type, v);
        probe.store4(stored, type, m, {v, v, v, v});
    }
    for (const auto& constant : probe.kept_u32_) prepare_u32(constant.first);
    for (const auto& constant : probe.kept_) keep(constant.first);
}

void Codec::keep(const std::vector<uint8_t>& bytes) {
    const auto known = [&](const auto& k) { return k.first == bytes; };
    if (std::none_of(kept_.begin(), kept_.end(), known)) kept_.emplace_back(bytes, code_.constant(bytes));
}

Vec Codec::table(const std::vector<uint8_t>& bytes) {
    for (const auto& [known, vec] : kept_)
        if (known == bytes) return vec;
    const Vec v = code_.constant(bytes);
    if (probing_) kept_.emplace_back(bytes, v); // others may have been emitted inside of a branch
    return v;
}

Vec* Codec::kept(uint32_t value) {
    const auto at = std::ranges::find(kept_u32_, value, &std::pair<uint32_t, Vec>::first);
    return at == kept_u32_.end() ? nullptr : &at->second;
}
void Codec::prepare_u32(uint32_t value) {
    if (!kept(value)) kept_u32_.emplace_back(value, code_.constant_u32(value));
}
Vec Codec::u32(uint32_t value) {
    if (const Vec* known = kept(value)) return *known;
    const Vec v = code_.constant_u32(value);
    if (probing_) kept_u32_.emplace_back(value, v);
    return v;
}
Vec Codec::f32(float value) { return u32(std::bit_cast<uint32_t>(value)); }

// minps returns its second operand when one is NaN, so NaN passes; cvtps2dq then makes 0x80000000 of it, as of anything
// below -2^31.
Vec Codec::to_s32(Vec x) { return code_.unary(VOp::f32_to_s32, code_.op2(VOp::fmin, f32(2147483520.f), x)); }
Vec Codec::to_f32(Vec x) { return code_.unary(VOp::s32_to_f32, x); }

// Lanes to values: lanes of 4 bytes (s8 sign-extended, others zero-extended), or words in half a register for the
// floats that are decoded by way of f16.
static Vec finish(Code& c, Codec& k, DataType stored, ValueType type, Vec x) {
    bool integer = false;
    switch (stored) {
    case DataType::bf16:
        x = c.shift(VOp::shl, x, 16);
        break;
    case DataType::f16:
        x = c.unary(VOp::f16_to_f32, x);
        break;
    case DataType::f8_e5m2: // the upper byte of f16
        x = c.unary(VOp::f16_to_f32, c.shift(VOp::shl, x, 8, 2));
        break;
    case DataType::f8_e4m3: { // f16 of another bias: 2^8 less, subnormals included; 480 would be the code of NaN
        x = c.op2(VOp::iand, c.shift(VOp::shl, x, 7, 2), k.u32(0xbfffbfff));
        x = c.op2(VOp::fmul, c.unary(VOp::f16_to_f32, x), k.f32(256.f));
        const Vec magnitude = c.op2(VOp::iand, x, k.u32(0x7fffffff));
        const Vec nan = c.op2(VOp::ior, c.op2(VOp::ixor, x, magnitude), k.u32(0x7fc00000));
        x = c.select(c.icmp(magnitude, k.f32(480.f), eq), nan, x);
        break;
    }
    case DataType::e8m0: { // the exponent field; code 0 is 2^-127, a subnormal, 255 is NaN
        x = c.op2(VOp::imax, c.shift(VOp::shl, x, 23), k.u32(0x00400000));
        x = c.select(c.icmp(x, k.u32(0x7f800000), eq), k.u32(0x7fc00000), x);
        break;
    }
    case DataType::boolean:
        x = c.op2(VOp::umin, x, k.u32(1));
        integer = true;
        break;
    case DataType::f32:
        break;
    default:
        integer = true;
    }
    if (type == ValueType::f32) return integer ? k.to_f32(x) : x;
    return integer ? x : k.to_s32(x);
}

// Eight elements are one dword: it is copied to eight lanes, each shifts its own nibble to the top, and all shift down
// again. Floats are looked up by the three bits behind the sign.
Vec Codec::load_nibbles(DataType stored, ValueType type, Mem m) {
    const int width = code_.width();
    std::vector<uint8_t> dwords(size_t(width), 0), shifts(size_t(width), 0);
    for (int i = 0; i < lanes(); ++i)
        dwords[size_t(4 * i)] = uint8_t(i / 8), shifts[size_t(4 * i)] = uint8_t(28 - i % 8 * 4);
    Vec x = lanes() == 8 ? code_.broadcast(m, 4) : code_.permute(code_.load(m, lanes() / 2), table(dwords), 4);
    x = code_.op2(VOp::shlv, x, table(shifts));
    if (is_f4(stored)) {
        std::vector<uint8_t> sizes(size_t(width), 0);
        for (int i = 0; i < lanes(); ++i) {
            const auto code = uint8_t(i % 8);
            const float size = read<float>(stored, &code, 0);
            std::memcpy(&sizes[size_t(4 * i)], &size, sizeof size);
        }
        const Vec sign = code_.shift(VOp::shl, code_.shift(VOp::shr, x, 31), 31); // a mask costs a register
        return code_.op2(VOp::ior, code_.permute(table(sizes), code_.shift(VOp::shr, x, 28), 4), sign);
    }
    x = code_.shift(stored == DataType::s4 ? VOp::sar : VOp::shr, x, 28);
    return type == ValueType::f32 ? to_f32(x) : x;
}

Vec Codec::load(DataType stored, ValueType type, Mem m, int count, const Mask* tail) {
    if (!supports(stored, type)) return load_nibbles(stored, type, m);
    const int size = size_of(stored);
    if (size == 4 || stored == DataType::f16)
        return decode(stored, type,
                      tail ? code_.load_masked(m, *tail, size, lanes() * size) : code_.load(m, count * size));
    if (!tail && count < lanes()) return decode(stored, type, code_.load(m, count * size));
    const bool sign = stored == DataType::s8 || stored == DataType::f8_e4m3;
    const int to = is_f8(stored) ? 2 : 4;
    return finish(code_, *this, stored, type, code_.load_widen(m, size, to, sign, lanes() * to, tail ? *tail : Mask{}));
}

Vec Codec::decode(DataType stored, ValueType type, Vec elements) {
    const int size = size_of(stored);
    if (size == 4 || stored == DataType::f16) return finish(code_, *this, stored, type, elements);
    const bool sign = stored == DataType::s8 || stored == DataType::f8_e4m3;
    const int to = is_f8(stored) ? 2 : 4;
    return finish(code_, *this, stored, type, code_.widen(elements, size, to, sign, lanes() * to));
}

// A broadcast fills wider lanes with copies of the element: shifts make of the lanes what widening would give.
Vec Codec::same(DataType stored, ValueType type, Mem m) {
    Vec x = code_.broadcast(m, size_of(stored));
    switch (stored) {
    case DataType::s8:
        x = code_.shift(VOp::sar, x, 24);
        break;
    case DataType::f8_e4m3:
        x = code_.shift(VOp::sar, x, 8, 2);
        break;
    case DataType::u8:
    case DataType::boolean:
    case DataType::e8m0:
        x = code_.shift(VOp::shr, x, 24);
        break;
    default: // f32, s32, f16 as they are; bf16 and f8_e5m2 shift the upper copies out
        break;
    }
    return finish(code_, *this, stored, type, x);
}

// SmallFloat::narrow. Its subnormals count steps; f16 does that in hardware, in any rounding mode, when the value is
// scaled so that one step is 2^-24. The product is exact but where it is far below half a step.
Vec Codec::encode_f8(DataType stored, Vec x) {
    const bool e5m2 = stored == DataType::f8_e5m2;
    const int mantissa = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7, shift = 23 - mantissa;
    const float to_f16_steps = e5m2 ? 0x1p-8f : 0x1p-15f; // from steps of 2^-16, 2^-9
    Code& c = code_;
    const Vec magnitude = c.op2(VOp::iand, x, u32(0x7fffffff));
    const Vec odd = c.op2(VOp::iand, c.shift(VOp::shr, magnitude, shift), u32(1));
    const uint32_t rounding = (1u << (shift - 1)) - 1u - (uint32_t(127 - bias) << 23); // and the other bias
    const Vec normal = c.shift(VOp::shr, c.op2(VOp::iadd, c.op2(VOp::iadd, magnitude, u32(rounding)), odd), shift);
    const Vec steps = c.unary(VOp::f32_to_f16, c.op2(VOp::fmul, magnitude, f32(to_f16_steps)));
    const Vec subnormal = c.widen(steps, 2, 4, false);
    const Mask small = c.icmp(magnitude, u32(uint32_t(128 - bias) << 23), lt);
    Vec code = c.op2(VOp::imin, c.select(small, subnormal, normal), u32(e5m2 ? 0x7c : 0x7f));
    if (e5m2) { // NaN: quiet, with what fits of its payload
        const Vec payload = c.op2(VOp::iand, c.shift(VOp::shr, magnitude, shift), u32(3));
        const Vec nan = c.op2(VOp::ior, payload, u32(0x7e));
        code = c.select(c.icmp(magnitude, u32(0x7f800000), gt), nan, code);
    }
    return c.op2(VOp::ior, code, c.op2(VOp::iand, c.shift(VOp::shr, x, 24), u32(0x80)));
}

Vec Codec::packable(DataType stored, ValueType type, Vec x) {
    Code& c = code_;
    if (type == ValueType::s32) {
        switch (stored) {
        case DataType::s32:
        case DataType::s8:
        case DataType::u8:
            return x;
        case DataType::boolean:
            return c.op2(VOp::umin, x, u32(1));
        default:
            return packable(stored, ValueType::f32, to_f32(x));
        }
    }
    switch (stored) {
    case DataType::s32:
        return to_s32(x);
    case DataType::s8: // NaN and all below -2^31 become 0x80000000, which saturates to the right byte in both types
        return c.unary(VOp::f32_to_s32, c.op2(VOp::fmin, f32(127.f), x));
    case DataType::u8:
        return c.unary(VOp::f32_to_s32, c.op2(VOp::fmin, f32(255.f), x));
    case DataType::boolean:
        return c.select(c.fcmp(x, u32(0), ne), u32(1), u32(0));
    case DataType::bf16: {
        const Vec upper = c.shift(VOp::shr, x, 16);
        if (short_values_) return upper;
        const Vec odd = c.op2(VOp::iand, upper, u32(1));
        const Vec rounded = c.shift(VOp::shr, c.op2(VOp::iadd, c.op2(VOp::iadd, x, u32(0x7fff)), odd), 16);
        return c.select(c.fcmp(x, x, unordered), c.op2(VOp::ior, upper, u32(0x40)), rounded);
    }
    case DataType::f16:
        return c.widen(c.unary(VOp::f32_to_f16, x), 2, 4, false);
    case DataType::e8m0:
        return c.op2(VOp::iand, c.shift(VOp::shr, x, 23), u32(0xff));
    case DataType::f8_e5m2:
    case DataType::f8_e4m3:
        return encode_f8(stored, x);
    default:
        return x; // f32
    }
}

Vec Codec::encode(DataType stored, ValueType type, Vec value) {
    const Vec x = packable(stored, type, value);
    if (stored != DataType::u8) return x;
    const Vec raised = code_.op2(VOp::imax, x, u32(0));
    return type == ValueType::s32 ? code_.op2(VOp::imin, raised, u32(255)) : raised;
}

Vec Codec::dense(DataType stored, ValueType type, Vec value) {
    if (stored == DataType::f16) return code_.unary(VOp::f32_to_f16, f32_values(type, value));
    if (stored == DataType::bf16 && pairs(stored)) return pair(stored, type, value, value);
    Vec x = encode(stored, type, value);
    if (size_of(stored) == 4) return x;
    if (stored == DataType::s8) {
        x = code_.op2(VOp::imax, x, u32(uint32_t(-128)));
        if (type == ValueType::s32) x = code_.op2(VOp::imin, x, u32(127));
    }
    return code_.narrow(x, 4, size_of(stored));
}

void Codec::put(Mem m, Vec a, bool stream) {
    if (stream)
        code_.stream(m, a);
    else
        code_.store(m, a);
}

void Codec::store(DataType stored, ValueType type, Mem m, Vec value, int count, const Mask* tail, bool stream) {
    const int size = size_of(stored);
    const Vec x = dense(stored, type, value);
    if (tail)
        code_.store_masked(m, x, *tail, size, lanes() * size);
    else if (stream)
        code_.stream(m, x, count * size);
    else
        code_.store(m, x, count * size);
}

void Codec::store4(DataType stored, ValueType type, Mem m, const Vec (&values)[4], bool stream) {
    Code& c = code_;
    const auto at = [&](int i) { return Mem{m.base, m.disp + i * c.width(), m.index, m.scale}; };
    const int size = size_of(stored);
    if (size == 4) {
        for (int i = 0; i < 4; ++i) put(at(i), encode(stored, type, values[i]), stream);
    } else if (size == 2) {
        store_normal(stored, type, values, [&] {
            for (int i = 0; i < 2; ++i) put(at(i), pair(stored, type, values[2 * i], values[2 * i + 1]), stream);
        });
    } else {
        put(m, quad(stored, type, values), stream);
    }
}

Vec Codec::quad(DataType stored, ValueType type, const Vec (&values)[4]) {
    const Vec bytes = pack_bytes(stored, type, values[0], values[1], values[2], values[3]);
    return code_.permute(bytes, table(unpack_order(code_.width(), 1)), 4);
}

void Codec::store_normal(DataType stored, ValueType type, std::span<const Vec> values, FunctionRef<void()> store) {
    const bool mostly =
        stored == DataType::bf16 && type == ValueType::f32 && !normal_values_ && !short_values_ && code_.target().bf16;
    if (!mostly) return store();
    // vcvtneps2bf16 takes denormals for zeros: where there are any, the integer results overwrite its own.
    normal_values_ = true;
    store();
    normal_values_ = false;
    code_.if_positive(denormals(values));
    store();
    code_.end_if();
}

// Of unsigned 2 * magnitude - 1: zeros wrap to the largest number, and what lies below this one is denormal.
constexpr uint32_t least_normal = 0x00ffffff;

void Codec::prepare_denormals() { prepare_u32(0xffffffff), prepare_u32(least_normal); }

Vec Codec::no_denormal() { return code_.op2(VOp::ior, u32(least_normal), u32(least_normal)); }

Vec Codec::note_denormals(Vec least, Vec x) {
    const Vec rank = code_.op2(VOp::iadd, code_.shift(VOp::shl, x, 1), u32(0xffffffff));
    return code_.op2(VOp::umin, least, rank);
}

Gpr Codec::denormals_noted(Vec least) { return code_.gmask(code_.icmp(least, u32(least_normal), 1), 4); }

Gpr Codec::denormals(std::span<const Vec> values) {
    if (exact_under_daz_) {
        Vec least = u32(least_normal);
        for (const Vec& x : values) least = note_denormals(least, x);
        return denormals_noted(least);
    }
    Mask any = code_.fdenormal(values[0]);
    for (const Vec& x : values.subspan(1)) any = code_.mask_op(VOp::mask_or, any, code_.fdenormal(x));
    return code_.gmask(any, 4);
}

bool Codec::pairs(DataType stored) const {
    return stored == DataType::f16 || (stored == DataType::bf16 && normal_values_ && code_.target().bf16);
}

Vec Codec::pair(DataType stored, ValueType type, Vec low, Vec high) {
    if (stored != DataType::bf16)
        return code_.insert_reg(dense(stored, type, low), dense(stored, type, high), code_.width() / 2, 1);
    if (pairs(stored)) return code_.op2(VOp::f32_to_bf16, f32_values(type, low), f32_values(type, high));
    const Vec packed = code_.pack(true, packable(stored, type, low), packable(stored, type, high), 4);
    return code_.permute(packed, table(unpack_order(code_.width(), 2)), 4);
}

Vec Codec::pack_bytes(DataType stored, ValueType type, Vec a, Vec b, Vec c, Vec d) {
    const Vec first = code_.pack(false, packable(stored, type, a), packable(stored, type, b), 4);
    const Vec second = code_.pack(false, packable(stored, type, c), packable(stored, type, d), 4);
    return code_.pack(stored != DataType::s8, first, second, 2);
}

void Codec::prepare_split(DataType stored) {
    prepare_u32(0xffff0000);
    if (size_of(stored) > 1) return;
    for (const auto& step : split_order(code_)) keep(step);
}

void Codec::load_split(ValueType type, Vec words, Vec& even, Vec& odd) {
    even = code_.shift(VOp::shl, words, 16), odd = code_.op2(VOp::iand, words, u32(0xffff0000));
    if (type == ValueType::s32) even = to_s32(even), odd = to_s32(odd);
}

void Codec::store_split(DataType stored, ValueType type, Mem m, const Vec (&values)[4], bool stream) {
    const Vec bytes = pack_bytes(stored, type, values[0], values[1], values[2], values[3]);
    const auto steps = split_order(code_);
    if (steps.size() == 1) return put(m, code_.permute(bytes, table(steps[0]), 1), stream);
    put(m, code_.permute(code_.shuffle(bytes, table(steps[0])), table(steps[1]), 4), stream);
}

} // namespace tessera::cpu::jit
