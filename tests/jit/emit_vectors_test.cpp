// SPDX-License-Identifier: Apache-2.0
// Every vector op of vcode.def that works on registers, for every size, on every target of this processor: what the
// emitted code leaves must be what the interpreter leaves, over the whole register.
//
// Each op runs as it is, with d one of its operands, with d an older variable, and all of that with more vectors alive
// than the target has, so that operands and results pass through the frame.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <random>

#include "cpu/jit/emit/emit.hpp"
#include "machines.hpp"
#include "run_code.hpp"
#include "vcode_interpreter.hpp"

namespace tessera::cpu::jit {
namespace {

enum class Data { bits, f32, f64, f16 };
enum class Like { same_bits, f32, f64 }; // floats: any NaN equals any NaN, for the payload follows operand order

struct Case {
    std::string name;
    Data data;
    Like like;
    int inputs;
    std::function<Vec(Code&, Vec a, Vec b, Vec c)> build;
};

struct Block {
    uint8_t a[64], b[64], c[64], old[64], out[64];
    uint8_t many[40][64], many_out[40][64];
};

std::mt19937_64& random_bits() {
    static std::mt19937_64 r(7);
    return r;
}

uint64_t random_element(Data data) {
    static const uint32_t f32[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0x7f812345, 0xffc54321, 1,          0x807fffff, 0x4f000000,
                                   0xcf000000, 0x4effffff, 0x477fefff, 0x477ff000, 0x33000000, 0x33000001,
                                   0x38801000, 0x38800fff, 0x7f7fffff, 0x3f000000, 0x40200000, 0x387fffff};
    static const uint16_t f16[] = {0,      0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7e00,
                                   0x7d01, 0xfe12, 1,      0x83ff, 0x7bff, 0x0400};
    const uint64_t x = random_bits()();
    switch (data) {
    case Data::f32: {
        auto one = [](uint64_t r) {
            if (r % 3 == 0) return f32[r / 3 % std::size(f32)];
            if (r % 3 == 1) return uint32_t(r >> 8);
            return std::bit_cast<uint32_t>(float(int32_t(r >> 16)) / 65536.f);
        };
        return one(x & 0xffffffffffff) | uint64_t(one(random_bits()())) << 32;
    }
    case Data::f64: {
        if (x % 3 == 1) return x;
        if (x % 3 == 2) return std::bit_cast<uint64_t>(double(int64_t(x)) / double(1ll << 40));
        return std::bit_cast<uint64_t>(double(std::bit_cast<float>(f32[x / 3 % std::size(f32)])));
    }
    case Data::f16: {
        uint64_t all = 0;
        for (int e = 0; e < 4; ++e) {
            const uint64_t r = random_bits()();
            all = all << 16 | (r % 2 ? f16[r / 2 % std::size(f16)] : r >> 48);
        }
        return all;
    }
    default:
        return x;
    }
}

void fill(Block& m, Data data) {
    auto* p = reinterpret_cast<uint8_t*>(&m);
    for (size_t at = 0; at < offsetof(Block, out); at += 8) {
        const uint64_t x = random_element(data);
        std::memcpy(p + at, &x, 8);
    }
    for (size_t at = 0; at < 64; ++at) // equal elements, for comparisons
        if (data == Data::bits && random_bits()() % 4 == 0) m.b[at] = m.a[at];
    for (size_t at = 0; at < 64; at += 8)
        if (random_bits()() % 4 == 0) std::memcpy(m.b + at, m.a + at, 8);
    for (auto& one : m.many)
        for (uint8_t& byte : one) byte = uint8_t(random_bits()());
    std::memset(m.out, 0xee, 64), std::memset(m.many_out, 0xee, sizeof m.many_out);
}

// How d is chosen: a fresh variable, an operand, or a variable that lives from the start.
enum class Into { fresh, a, b, c, old };

// False where the variant makes no sense.
bool build(Code& code, const Case& test, Into into, bool pressure) {
    const Gpr m = code.gcopy(code.args());
    const Vec a = code.load({m, offsetof(Block, a)}), b = code.load({m, offsetof(Block, b)});
    const Vec c = code.load({m, offsetof(Block, c)}), old = code.load({m, offsetof(Block, old)});
    if (pressure) {
        std::vector<Vec> many;
        const int count = code.target().vectors + 3;
        for (int n = 0; n < count; ++n) many.push_back(code.load({m, int64_t(offsetof(Block, many)) + 64 * n}));
        for (int n = 0; n < count; ++n) code.store({m, int64_t(offsetof(Block, many_out)) + 64 * n}, many[size_t(n)]);
    }
    Vec d = test.build(code, a, b, c);
    auto& op = const_cast<Inst&>(code.insts().back()); // builders make fresh results; vcode allows any
    const Vec chosen[] = {d, a, b, c, old};
    if (into != Into::fresh) {
        const Reg to = chosen[int(into)].id;
        if (into != Into::old && op.a != to && op.b != to && op.c != to) return false;
        op.d = to, d.id = to;
    }
    code.store({m, offsetof(Block, out)}, d);
    if (into != Into::old) code.store({m, offsetof(Block, old)}, old);
    if (into != Into::a) code.store({m, offsetof(Block, a)}, a);
    return true;
}

std::string difference(const Block& want, const Block& got, Like like) {
    if (std::memcmp(want.many_out, got.many_out, sizeof want.many_out)) return "other vectors";
    if (std::memcmp(want.a, got.a, 64) || std::memcmp(want.old, got.old, 64)) return "an operand";
    const int es = like == Like::f64 ? 8 : 4;
    for (int at = 0; at < 64; at += es) {
        if (!std::memcmp(want.out + at, got.out + at, size_t(es))) continue;
        double x = 0, y = 0;
        if (es == 8)
            std::memcpy(&x, want.out + at, 8), std::memcpy(&y, got.out + at, 8);
        else {
            float p, q;
            std::memcpy(&p, want.out + at, 4), std::memcpy(&q, got.out + at, 4);
            x = p, y = q;
        }
        if (like != Like::same_bits && std::isnan(x) && std::isnan(y)) continue;
        char text[64];
        uint64_t w = 0, g = 0;
        std::memcpy(&w, want.out + at, size_t(es)), std::memcpy(&g, got.out + at, size_t(es));
        std::snprintf(text, sizeof text, "byte %d: want %llx, got %llx", at, (unsigned long long)w,
                      (unsigned long long)g);
        return text;
    }
    return {};
}

void check(const Target& target, const Case& test) {
    for (bool pressure : {false, true})
        for (Into into : {Into::fresh, Into::a, Into::b, Into::c, Into::old}) {
            Code code(target, test.name);
            if (!build(code, test, into, pressure)) continue;
            const auto bytes = emit(code);
            const std::string where = test.name + " W " + std::to_string(target.vector_bytes) + " into " +
                                      std::to_string(int(into)) + (pressure ? " spilled" : "");
            ASSERT_TRUE(bytes) << where;
            for (int round = 0; round < (pressure ? 2 : 6); ++round) {
                auto want = std::make_unique<Block>(), got = std::make_unique<Block>();
                fill(*want, test.data);
                *got = *want;
                ASSERT_TRUE(run_code(*bytes, got.get())) << where;
                interpret(code, want.get());
                ASSERT_EQ(difference(*want, *got, test.like), "") << where;
            }
        }
}

const std::vector<int>& sizes_of(const Target& t) {
    static const std::vector<int> narrow{16, 32}, wide{16, 32, 64};
    return t.vector_bytes == 64 ? wide : narrow;
}

std::string name_of(const char* op, int es, int bytes, int imm = -1) {
    return std::string(op) + " es " + std::to_string(es) + " bytes " + std::to_string(bytes) +
           (imm < 0 ? "" : " imm " + std::to_string(imm));
}

class EmitVectors : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Host, EmitVectors, testing::ValuesIn(host_targets()),
                         [](const auto& info) { return name_of(info.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EmitVectors);

struct Row {
    VOp op;
    const char* name;
    std::vector<int> es;
};

TEST_P(EmitVectors, Integers) {
    const Row rows[] = {
        {VOp::iadd, "iadd", {1, 2, 4, 8}},  {VOp::isub, "isub", {1, 2, 4, 8}}, {VOp::imul, "imul", {4}},
        {VOp::imul_wide, "imul_wide", {8}}, {VOp::imin, "imin", {1, 2, 4, 8}}, {VOp::imax, "imax", {1, 2, 4, 8}},
        {VOp::umin, "umin", {1, 2, 4, 8}},  {VOp::iand, "iand", {1, 4, 8}},    {VOp::ior, "ior", {1, 4, 8}},
        {VOp::ixor, "ixor", {1, 4, 8}},     {VOp::iandn, "iandn", {1, 4, 8}}};
    for (const Row& row : rows)
        for (int es : row.es)
            for (int n : sizes_of(GetParam()))
                check(GetParam(), {name_of(row.name, es, n), Data::bits, Like::same_bits, 2,
                                   [&](Code& code, Vec a, Vec b, Vec) { return code.op2(row.op, a, b, es, n); }});
}

TEST_P(EmitVectors, Shifts) {
    const Row rows[] = {{VOp::shl, "shl", {2, 4, 8}}, {VOp::shr, "shr", {2, 4, 8}}, {VOp::sar, "sar", {2, 4}}};
    for (const Row& row : rows)
        for (int es : row.es)
            for (int count : {0, 1, 7, 8 * es - 1, 8 * es})
                for (int n : sizes_of(GetParam()))
                    check(GetParam(),
                          {name_of(row.name, es, n, count), Data::bits, Like::same_bits, 1,
                           [&](Code& code, Vec a, Vec, Vec) { return code.shift(row.op, a, count, es, n); }});
    for (VOp op : {VOp::shlv, VOp::shrv})
        for (int n : sizes_of(GetParam()))
            check(GetParam(), {name_of("shift by vector", 4, n, int(op)), Data::bits, Like::same_bits, 2,
                               [&](Code& code, Vec a, Vec b, Vec) {
                                   const Vec count = code.shift(VOp::shr, b, 26, 4); // 0..63
                                   return code.op2(op, a, count, 4, n);
                               }});
}

TEST_P(EmitVectors, Floats) {
    const Row rows[] = {
        {VOp::fadd, "fadd", {4, 8}}, {VOp::fsub, "fsub", {4, 8}},      {VOp::fmul, "fmul", {4, 8}},
        {VOp::fdiv, "fdiv", {4, 8}}, {VOp::fmin, "fmin", {4, 8}},      {VOp::fmax, "fmax", {4, 8}},
        {VOp::fma, "fma", {4, 8}},   {VOp::fmin_nan, "fmin_nan", {4}}, {VOp::fmax_nan, "fmax_nan", {4}}};
    for (const Row& row : rows)
        for (int es : row.es)
            for (int n : sizes_of(GetParam())) {
                const bool picks = row.op == VOp::fmin || row.op == VOp::fmax;
                const Data data = es == 8 ? Data::f64 : Data::f32;
                const Like like = picks ? Like::same_bits : es == 8 ? Like::f64 : Like::f32;
                check(GetParam(), {name_of(row.name, es, n), data, like, 3, [&](Code& code, Vec a, Vec b, Vec c) {
                                       if (row.op == VOp::fma) return code.fma(a, b, c, es, n);
                                       return code.op2(row.op, a, b, es, n);
                                   }});
            }
}

TEST_P(EmitVectors, RootsAndRounding) {
    for (VOp op : {VOp::fsqrt, VOp::fround})
        for (int es : {4, 8})
            for (int n : sizes_of(GetParam()))
                check(GetParam(), {name_of(op == VOp::fsqrt ? "fsqrt" : "fround", es, n),
                                   es == 8 ? Data::f64 : Data::f32, es == 8 ? Like::f64 : Like::f32, 1,
                                   [&](Code& code, Vec a, Vec, Vec) { return code.unary(op, a, n, es); }});
}

TEST_P(EmitVectors, Masks) {
    for (int n : sizes_of(GetParam()))
        for (int es : {1, 2, 4, 8}) {
            check(GetParam(),
                  {name_of("mask_vector", es, n), Data::bits, Like::same_bits, 2,
                   [&](Code& code, Vec a, Vec b, Vec) { return code.mask_vector(code.icmp(a, b, 1, es, n), es, n); }});
            for (VOp op : {VOp::mask_and, VOp::mask_or, VOp::mask_xor})
                check(GetParam(), {name_of("mask op", es, n, int(op)), Data::bits, Like::same_bits, 3,
                                   [&](Code& code, Vec a, Vec b, Vec c) {
                                       const Mask less = code.icmp(a, b, 1, es, n), equal = code.icmp(b, c, 4, es, n);
                                       return code.select(code.mask_op(op, less, equal, es), c, a, es, n);
                                   }});
        }
}

// Constants that find no register, in every place of every op that reads one from memory, and twice in one op.
TEST_P(EmitVectors, ConstantsWithoutRegisters) {
    const Row rows[] = {{VOp::iadd, "iadd", {1, 2, 4, 8}},
                        {VOp::isub, "isub", {1, 2, 4, 8}},
                        {VOp::imul, "imul", {4}},
                        {VOp::imul_wide, "imul_wide", {8}},
                        {VOp::imin, "imin", {1, 2, 4, 8}},
                        {VOp::imax, "imax", {1, 2, 4, 8}},
                        {VOp::umin, "umin", {1, 2, 4, 8}},
                        {VOp::iand, "iand", {4}},
                        {VOp::ior, "ior", {4}},
                        {VOp::ixor, "ixor", {4}},
                        {VOp::iandn, "iandn", {4}},
                        {VOp::shlv, "shlv", {4}},
                        {VOp::shrv, "shrv", {4}},
                        {VOp::unpack_lo, "unpack_lo", {1, 4}},
                        {VOp::unpack_hi, "unpack_hi", {2, 8}},
                        {VOp::pack_ss, "pack_ss", {2, 4}},
                        {VOp::pack_us, "pack_us", {2, 4}},
                        {VOp::shuffle, "shuffle", {1}},
                        {VOp::fadd, "fadd", {4}},
                        {VOp::fsub, "fsub", {4}},
                        {VOp::fmul, "fmul", {4}},
                        {VOp::fdiv, "fdiv", {4}},
                        {VOp::fmin, "fmin", {4}},
                        {VOp::fmax, "fmax", {4}},
                        {VOp::icmp, "icmp", {1, 4, 8}},
                        {VOp::fcmp, "fcmp", {4}},
                        {VOp::fma, "fma", {4}},
                        {VOp::permute, "permute", {4}},
                        {VOp::select, "select", {4}}};
    for (const Row& row : rows)
        for (int es : row.es)
            for (int n : sizes_of(GetParam()))
                for (int places = 1; places < 8; ++places) { // bit k: operand k is a constant
                    Code code(GetParam(), "");
                    const Vec kept[] = {code.constant_f32(1.5f), code.constant_f32(-3.25f), code.constant_f32(7.f)};
                    const Gpr m = code.gcopy(code.args());
                    Vec x[] = {code.load({m, offsetof(Block, a)}), code.load({m, offsetof(Block, b)}),
                               code.load({m, offsetof(Block, c)})};
                    std::vector<Vec> many;
                    const int count = GetParam().vectors + 3;
                    for (int k = 0; k < count; ++k)
                        many.push_back(code.load({m, int64_t(offsetof(Block, many)) + 64 * k}));
                    for (int k = 0; k < 3; ++k)
                        if (places >> k & 1) x[k] = kept[k];
                    Vec d;
                    if (row.op == VOp::fma)
                        d = code.fma(x[0], x[1], x[2], es, n);
                    else if (row.op == VOp::icmp || row.op == VOp::fcmp)
                        d = code.mask_vector(row.op == VOp::icmp ? code.icmp(x[0], x[1], 2, es, n)
                                                                 : code.fcmp(x[0], x[1], 2, es, n),
                                             es, n);
                    else if (row.op == VOp::select)
                        d = code.select(code.fcmp(x[2], x[2], 3, es, n), x[0], x[1], es, n);
                    else
                        d = code.op2(row.op, x[0], x[1], es, n);
                    code.store({m, offsetof(Block, out)}, d);
                    for (int k = 0; k < count; ++k)
                        code.store({m, int64_t(offsetof(Block, many_out)) + 64 * k}, many[size_t(k)]);
                    for (const Vec& constant : kept) // more uses than the many have: those go first, too, at times
                        code.store({m, offsetof(Block, old)}, constant);
                    const std::string where = name_of(row.name, es, n, places);
                    const auto bytes = emit(code);
                    ASSERT_TRUE(bytes) << where;
                    auto want = std::make_unique<Block>(), got = std::make_unique<Block>();
                    fill(*want, row.name[0] == 'f' ? Data::f32 : Data::bits);
                    *got = *want;
                    ASSERT_TRUE(run_code(*bytes, got.get())) << where;
                    interpret(code, want.get());
                    const bool floats = row.name[0] == 'f' && row.op != VOp::fmin && row.op != VOp::fmax;
                    ASSERT_EQ(difference(*want, *got, floats ? Like::f32 : Like::same_bits), "") << where;
                }
}

TEST_P(EmitVectors, Conversions) {
    const std::tuple<VOp, const char*, Data> rows[] = {{VOp::f32_to_s32, "f32_to_s32", Data::f32},
                                                       {VOp::s32_to_f32, "s32_to_f32", Data::bits},
                                                       {VOp::f32_to_f16, "f32_to_f16", Data::f32},
                                                       {VOp::f16_to_f32, "f16_to_f32", Data::f16}};
    for (const auto& [op, name, data] : rows)
        for (int n : sizes_of(GetParam()))
            check(GetParam(), {name_of(name, 4, n), data, Like::same_bits, 1,
                               [op = op, n](Code& code, Vec a, Vec, Vec) { return code.unary(op, a, n); }});
}

TEST_P(EmitVectors, ComparisonsAndSelect) {
    for (int n : sizes_of(GetParam())) {
        for (int es : {1, 2, 4, 8})
            for (int how : {0, 1, 2, 4, 5, 6})
                check(GetParam(), {name_of("icmp", es, n, how), Data::bits, Like::same_bits, 3,
                                   [&](Code& code, Vec a, Vec b, Vec c) {
                                       return code.select(code.icmp(a, b, how, es, n), c, b, es, n);
                                   }});
        for (int es : {4, 8})
            for (int how = 0; how < 8; ++how)
                check(GetParam(), {name_of("fcmp", es, n, how), es == 8 ? Data::f64 : Data::f32, Like::same_bits, 3,
                                   [&](Code& code, Vec a, Vec b, Vec c) {
                                       return code.select(code.fcmp(a, b, how, es, n), c, a, es, n);
                                   }});
        for (int how = 0; how < 8; ++how)
            check(GetParam(),
                  {name_of("fcmp_and", 4, n, how), Data::f32, Like::same_bits, 3, [&](Code& code, Vec a, Vec b, Vec c) {
                       const Mask k = code.icmp(c, a, 1, 4, n), both = code.fcmp_and(k, a, b, how, n);
                       code.fcmp_and_into(k, both, b, b, 7, n);
                       return code.select(k, c, code.select(both, b, a, 4, n), 4, n);
                   }});
    }
}

TEST_P(EmitVectors, MovesOfPieces) {
    for (int n : sizes_of(GetParam()))
        for (int es : {8, 16, 32})
            for (int piece = 0; piece < n / es; ++piece)
                check(GetParam(), {name_of("insert_reg", es, n, piece), Data::bits, Like::same_bits, 2,
                                   [&](Code& code, Vec a, Vec b, Vec) { return code.insert_reg(a, b, es, piece, n); }});
    for (int es : {8, 16, 32})
        for (int piece = 0; piece < GetParam().vector_bytes / es; ++piece)
            check(GetParam(), {name_of("extract", es, 0, piece), Data::bits, Like::same_bits, 1,
                               [&](Code& code, Vec a, Vec, Vec) { return code.extract(a, es, piece); }});
    for (int n : sizes_of(GetParam())) {
        if (n == 16) continue;
        for (int imm = 0; imm < (n == 64 ? 256 : 4); imm += n == 64 ? 5 : 1)
            check(GetParam(), {name_of("lanes", 16, n, imm), Data::bits, Like::same_bits, 2,
                               [&](Code& code, Vec a, Vec b, Vec) { return code.lanes(a, b, imm, n); }});
    }
    check(GetParam(), {"zero", Data::bits, Like::same_bits, 0, [](Code& code, Vec, Vec, Vec) { return code.zero(); }});
    check(GetParam(), {"copy", Data::bits, Like::same_bits, 1, [](Code& code, Vec a, Vec, Vec) {
                           const Vec d = code.vec();
                           code.copy(d, a);
                           return d;
                       }});
    check(GetParam(), {"constant", Data::bits, Like::same_bits, 0, [](Code& code, Vec, Vec, Vec) {
                           (void)code.constant_f32(1.5f);
                           return code.constant_u32(0x12345678);
                       }});
}

TEST_P(EmitVectors, UnpackAndPack) {
    for (int n : sizes_of(GetParam())) {
        for (int es : {1, 2, 4, 8})
            for (bool high : {false, true})
                check(GetParam(), {name_of("unpack", es, n, high), Data::bits, Like::same_bits, 2,
                                   [&](Code& code, Vec a, Vec b, Vec) { return code.unpack(high, a, b, es, n); }});
        for (int es : {2, 4})
            for (bool to_unsigned : {false, true})
                check(GetParam(), {name_of("pack", es, n, to_unsigned), Data::bits, Like::same_bits, 2,
                                   [&](Code& code, Vec a, Vec b, Vec) {
                                       const Vec small = code.shift(VOp::sar, a, 4 * es, es); // some within range
                                       return code.pack(to_unsigned, small, b, es, n);
                                   }});
    }
}

TEST_P(EmitVectors, MaskAsNumber) {
    for (int es : {1, 4, 8})
        check(GetParam(), {name_of("gmask", es, GetParam().vector_bytes), Data::bits, Like::same_bits, 2,
                           [&](Code& code, Vec a, Vec b, Vec) {
                               const Gpr bits = code.gmask(code.icmp(a, b, 1, es), es);
                               const Vec d = code.vec();
                               code.copy(d, a);
                               code.if_positive(bits);
                               code.copy(d, b);
                               code.end_if();
                               return d;
                           }});
}

TEST_P(EmitVectors, Denormal) {
    if (!GetParam().masks) GTEST_SKIP() << "no such instruction";
    for (int n : sizes_of(GetParam()))
        check(GetParam(),
              {name_of("fdenormal", 4, n), Data::f32, Like::same_bits, 2,
               [&](Code& code, Vec a, Vec b, Vec) { return code.select(code.fdenormal(a, n), a, b, 4, n); }});
}

TEST_P(EmitVectors, Bf16) {
    if (!GetParam().bf16) GTEST_SKIP() << "no such instruction";
    for (int n : sizes_of(GetParam()))
        check(GetParam(), {name_of("f32_to_bf16", 4, n), Data::f32, Like::same_bits, 2,
                           [&](Code& code, Vec a, Vec b, Vec) { return code.op2(VOp::f32_to_bf16, a, b, 4, n); }});
}

TEST_P(EmitVectors, SumsOfProducts) {
    const auto in_place = [](VOp op) {
        return [op](Code& code, Vec a, Vec b, Vec c) {
            code.dot_into(op, c, a, b);
            const Vec d = code.vec();
            code.copy(d, c);
            return d;
        };
    };
    const int n = GetParam().vector_bytes;
    if (GetParam().vnni)
        check(GetParam(), {name_of("dot_u8s8", 1, n), Data::bits, Like::same_bits, 3, in_place(VOp::dot_u8s8)});
    if (GetParam().bf16)
        for (Data data : {Data::bits, Data::f32})
            check(GetParam(), {name_of("dot_bf16", 2, n, int(data)), data, Like::f32, 3, in_place(VOp::dot_bf16)});
    for (int bytes : sizes_of(GetParam()))
        check(GetParam(), {name_of("dot_s16", 2, bytes), Data::bits, Like::same_bits, 2,
                           [&](Code& code, Vec a, Vec b, Vec) { return code.op2(VOp::dot_s16, a, b, 4, bytes); }});
}

TEST_P(EmitVectors, WidenAndNarrow) {
    for (int n : sizes_of(GetParam()))
        for (int small : {1, 2, 4})
            for (int large = 2 * small; large <= 8; large *= 2) {
                for (bool sign : {false, true})
                    check(GetParam(),
                          {name_of("widen", small, n, large), Data::bits, Like::same_bits, 1,
                           [&](Code& code, Vec a, Vec, Vec) { return code.widen(a, small, large, sign, n); }});
                check(GetParam(), {name_of("narrow", large, n, small), Data::bits, Like::same_bits, 1,
                                   [&](Code& code, Vec a, Vec, Vec) { return code.narrow(a, large, small, n); }});
            }
}

TEST_P(EmitVectors, ShuffleAndPermute) {
    for (int n : sizes_of(GetParam())) {
        check(GetParam(), {name_of("shuffle", 1, n), Data::bits, Like::same_bits, 2,
                           [&](Code& code, Vec a, Vec b, Vec) { return code.shuffle(a, b, n); }});
        for (int es : {1, 2, 4, 8}) {
            if ((es == 1 && !GetParam().byte_permute) || (es == 2 && !GetParam().masks)) continue;
            check(GetParam(), {name_of("permute", es, n), Data::bits, Like::same_bits, 2,
                               [&](Code& code, Vec a, Vec b, Vec) { return code.permute(a, b, es, n); }});
            if (GetParam().masks && (es < 8 || n > 16))
                check(GetParam(), {name_of("permute2", es, n), Data::bits, Like::same_bits, 3,
                                   [&](Code& code, Vec a, Vec b, Vec c) { return code.permute2(a, c, b, es, n); }});
            if (es == 8 && n == 16) continue; // refused into a
            check(GetParam(), {name_of("permute_merge", es, n), Data::bits, Like::same_bits, 3,
                               [&](Code& code, Vec a, Vec b, Vec c) {
                                   const Mask k = code.icmp(a, c, 1, es, n);
                                   return code.permute_merge(a, c, b, k, es, n);
                               }});
        }
    }
}

} // namespace
} // namespace tessera::cpu::jit
